//! The schemas of the tests on PostgreSQL, each with all tables of the program.
//!
//! Creating a hundred tables and indexes takes longer than most tests, so on the private server of
//! `scripts/with-postgres.sh` a test empties its schema, and a later test uses it again. A schema whose structure the
//! test has changed is dropped, as is every schema on another server. On a Citus cluster (`scripts/with-citus.sh`) every
//! schema has the placements of `deploy/citus.sql`.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Client;

/// The prefixes of the names of schemas in use and of schemas that the next test can use.
const IN_USE: &str = "test_";
const FREE: &str = "free_";

/// The advisory lock of the test that creates or drops placed tables, because Citus detects a deadlock otherwise.
const PLACEMENT_LOCK: i64 = 1;

/// A schema that no other test uses, and the connection that creates and empties it.
pub struct Schema {
    name: String,
    server: Client,
}

impl Schema {
    pub async fn claim() -> Schema {
        let server = server().await;
        if let Some(name) = claim_free(&server).await {
            return Schema { name, server };
        }
        let id = account::testing::rng::Rng::System.id(0).simple();
        let schema = Schema {
            name: format!("{IN_USE}{id}"),
            server,
        };
        schema.run(&format!("CREATE SCHEMA {}", schema.name)).await;
        if is_citus() {
            drop(super::database::open(&schema.url()).await);
            schema.place_tables().await;
        } else if run_folder().is_some() {
            schema.create_tables().await;
        }
        schema
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the address of the server with this schema as its search path.
    pub fn url(&self) -> String {
        let url = server_url();
        let joint = if url.contains('?') { '&' } else { '?' };
        format!("{url}{joint}options=-c%20search_path%3D{}", self.name)
    }

    /// Runs statements on the server.
    pub async fn run(&self, script: &str) {
        self.server.batch_execute(script).await.unwrap();
    }

    /// Empties the tables for the next test, or drops the schema.
    pub async fn release(&self) {
        let name = &self.name;
        let can_be_reused = run_folder().is_some() && self.is_unchanged().await;
        if !can_be_reused {
            let drop = format!("DROP SCHEMA {name} CASCADE");
            if is_citus() {
                self.run(&format!("SELECT pg_advisory_lock({PLACEMENT_LOCK})"))
                    .await;
            }
            self.run(&drop).await;
            return;
        }
        let free = name.replacen(IN_USE, FREE, 1);
        self.run(&format!(
            "BEGIN;
             SET LOCAL session_replication_role = replica; -- no foreign keys: every table is emptied
             DO $$ DECLARE one regclass; BEGIN
               FOR one IN SELECT oid FROM pg_class WHERE relnamespace = '{name}'::regnamespace AND relkind = 'r'
                 AND relname <> 'refinery_schema_history'
               LOOP EXECUTE 'DELETE FROM ' || one; END LOOP;
             END $$;
             ALTER SCHEMA {name} RENAME TO {free};
             COMMIT"
        ))
        .await;
    }

    /// Places the tables on the members of the cluster.
    async fn place_tables(&self) {
        let script = include_str!("../../deploy/citus.sql");
        let name = &self.name;
        self.run(&format!(
            "SELECT pg_advisory_lock({PLACEMENT_LOCK}); SET search_path TO {name}; {script}
             SELECT pg_advisory_unlock({PLACEMENT_LOCK})"
        ))
        .await;
    }

    /// Creates the tables, and stores the digest of their structure as the comment of the schema.
    async fn create_tables(&self) {
        drop(super::database::open(&self.url()).await);
        let structure = self.structure().await.unwrap();
        self.run(&format!("COMMENT ON SCHEMA {} IS '{structure}'", self.name))
            .await;
    }

    /// Compares the structure with the comment of the schema.
    async fn is_unchanged(&self) -> bool {
        let sql = "SELECT obj_description($1::text::regnamespace, 'pg_namespace')";
        let comment = self.text(sql, &self.name).await;
        comment.is_some() && comment == self.structure().await
    }

    /// Returns a digest of all tables, columns, indexes, constraints, triggers, functions and applied migrations. A new
    /// or replaced object has a new id. `None` without migrations.
    async fn structure(&self) -> Option<String> {
        let history = format!("{}.refinery_schema_history", self.name);
        let exists = "SELECT to_regclass($1)::text";
        self.text(exists, &history).await?;
        let sql = format!(
            "WITH own AS (SELECT oid FROM pg_class WHERE relnamespace = $1::text::regnamespace)
             SELECT md5(string_agg(one, ' ' ORDER BY one)) FROM (
               SELECT 'class ' || oid AS one FROM own
               UNION ALL SELECT format('column %s %s %s %s %s', attrelid, attname, atttypid, attnotnull, atthasdef)
                 FROM pg_attribute WHERE attrelid IN (SELECT oid FROM own)
               UNION ALL SELECT 'constraint ' || oid FROM pg_constraint WHERE connamespace = $1::text::regnamespace
               UNION ALL SELECT 'trigger ' || oid FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM own)
               UNION ALL SELECT 'function ' || oid FROM pg_proc WHERE pronamespace = $1::text::regnamespace
               UNION ALL SELECT 'migration ' || version FROM {history}
             ) AS objects"
        );
        self.text(&sql, &self.name).await
    }

    async fn text(&self, sql: &str, parameter: &str) -> Option<String> {
        let row = self.server.query_one(sql, &[&parameter]).await.unwrap();
        row.get(0)
    }
}

pub fn server_url() -> String {
    std::env::var("ACCOUNT_TEST_POSTGRES_URL").expect(
        "ACCOUNT_TEST_POSTGRES_URL is not set: run the tests with `make test`, or behind \
         `scripts/with-postgres.sh`, which starts a PostgreSQL server for them",
    )
}

pub async fn server() -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&server_url(), tokio_postgres::NoTls)
        .await
        .expect("the PostgreSQL server of ACCOUNT_TEST_POSTGRES_URL answers");
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            eprintln!("PostgreSQL: {error}");
        }
    });
    client
}

/// The folder of the private server, which ends with the tests, as does the folder.
pub fn run_folder() -> Option<PathBuf> {
    std::env::var_os("ACCOUNT_TEST_RUN_FOLDER").map(PathBuf::from)
}

/// Whether the server is the coordinator of a Citus cluster.
fn is_citus() -> bool {
    std::env::var_os("ACCOUNT_TEST_CITUS").is_some()
}

/// Claims a free schema by renaming it. Of several tests that rename the same schema one succeeds.
async fn claim_free(server: &Client) -> Option<String> {
    let sql =
        format!("SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, '{FREE}')");
    loop {
        let free = server.query(&sql, &[]).await.unwrap();
        let free: String = free.first()?.get(0);
        let name = free.replacen(FREE, IN_USE, 1);
        let rename = format!("ALTER SCHEMA {free} RENAME TO {name}");
        match server.batch_execute(&rename).await {
            Ok(()) => return Some(name),
            Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}
