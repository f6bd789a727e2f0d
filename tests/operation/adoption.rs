//! The adoption of a database of the last version before 1.0.

use super::migrating::former_history;
use super::upgrade::Olga;
use crate::support::database::Kind;
use crate::support::process::run_account;
use crate::support::site::NOON;
use crate::support::{Database, form};

const FORMER_TABLES: &str = include_str!("../../testdata/former_schema.sql");
const FORMER_ROWS: &str = concat!(
    include_str!("../../testdata/upgrade/V0001.sql"),
    include_str!("../../testdata/upgrade/former.sql")
);

/// The tables of the last version before 1.0. SQLite had the same tables with other types, and one index more.
fn former_tables(kind: Kind) -> String {
    match kind {
        Kind::Postgres => FORMER_TABLES.to_owned(),
        Kind::Sqlite => {
            FORMER_TABLES
                .replace("BIGINT", "INTEGER")
                .replace("BYTEA", "BLOB")
                .replace("UUID", "BLOB")
                .replace(" WITH (fillfactor = 80)", "")
                .replace("\n);", "\n) STRICT;")
                .replace("STORED", "VIRTUAL")
                + "CREATE INDEX accounts_shown ON accounts (id, email, username);\n"
        }
    }
}

/// Replaces the database by one of the last version before 1.0, in which Olga has an account.
async fn make_former(db: &Database) -> Olga {
    let number = match db.kind() {
        Kind::Sqlite => "int4",
        Kind::Postgres => "INTEGER",
    };
    let history = format!(
        "CREATE TABLE refinery_schema_history (version {number} PRIMARY KEY, name VARCHAR(255),
           applied_on VARCHAR(255), checksum VARCHAR(255));
         INSERT INTO refinery_schema_history VALUES (1, 'init', '2026-11-22T12:00:00Z', '1');"
    );
    let mut olga = Olga::new();
    // The cookie of a former session contains only the secret.
    olga.cookie.truncate(43);
    let mut rows = olga.fill_in(FORMER_ROWS, db.kind(), NOON);
    // The former tables have no table of names.
    rows.retain(|sql| !sql.contains("INSERT INTO names"));
    let script = [
        &*former_tables(db.kind()),
        &history,
        &former_history(true),
        ";",
        &rows.join(";"),
    ];
    db.replace_schema(&script.concat()).await;
    olga
}

on_both_databases!(a_database_of_the_last_version_before_1_0_is_adopted);
async fn a_database_of_the_last_version_before_1_0_is_adopted(db: Database) {
    let olga = make_former(&db).await;
    let status = run_account(&db, &["migrate", "--status"]);
    assert!(
        status.0 == 1 && status.1.starts_with("V0001 init pending\n"),
        "{status:?}"
    );
    let (code, sql, _) = run_account(&db, &["migrate", "--sql"]);
    let adopts =
        sql.contains("CREATE TABLE names (") && sql.contains("UPDATE refinery_schema_history");
    assert!(
        code == 0 && adopts && !sql.contains("CREATE TABLE consents ("),
        "{sql}"
    );
    let (site, second) = tokio::join!(db.site(), db.site());
    drop(second);
    let status = run_account(&db, &["migrate", "--status"]);
    assert!(status.0 == 0 && !status.1.contains("pending"), "{status:?}");
    for taken in ["olga", "reserved", "held"] {
        let refused = site.browser().post("/register", &form(taken)).await;
        assert_eq!(refused.status, 409, "{taken}");
    }
    olga.assert_served_by(&site).await;
    site.advance("91d");
    site.run_expiry().await;
    for free in ["reserved", "held"] {
        assert_status!(site.browser().post("/register", &form(free)), 201);
        site.mail_to(&format!("{free}@example.org")).await;
    }
}

/// Returns what the database knows of its tables, columns, keys and indexes, independent of the order of columns.
async fn catalogue(db: &Database) -> Vec<String> {
    let queries: &[&str] = match db.kind() {
        Kind::Sqlite => &[
            "SELECT t.name || ' ' || t.strict || t.wr || ' ' || c.name || ' ' || c.type || c.\"notnull\" || c.pk
               || c.hidden || COALESCE(c.dflt_value, '')
             FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.schema = 'main'",
            "SELECT m.tbl_name || ' ' || l.origin || l.\"unique\" || ' '
               || COALESCE(m.sql, (SELECT group_concat(i.name) FROM pragma_index_info(m.name) i))
             FROM sqlite_schema m JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name WHERE m.type = 'index'",
            "SELECT m.name || ' ' || f.id || f.seq || f.\"table\" || f.\"from\" || f.\"to\" || f.on_delete
             FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
        ],
        Kind::Postgres => &[
            "SELECT table_name || ' ' || column_name || ' ' || data_type || is_nullable || is_generated
               || COALESCE(column_default, '') || COALESCE(generation_expression, '')
             FROM information_schema.columns WHERE table_schema = current_schema()",
            "SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes
             WHERE schemaname = current_schema()",
            "SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
             FROM pg_constraint WHERE connamespace = current_schema()::regnamespace",
            "SELECT relname || ' ' || COALESCE(reloptions::text, '') FROM pg_class
             WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'",
        ],
    };
    let mut tx = db.migrated().await.read().await.unwrap();
    let mut lines = Vec::new();
    for sql in queries {
        let rows = tx.rows(sql, &[]).await.unwrap();
        lines.extend(rows.iter().map(|row| row.get::<String>(0)));
    }
    lines.retain(|line| !line.contains("refinery_schema_history"));
    lines.sort();
    lines
}

on_both_databases!(an_adopted_database_has_the_schema_of_a_new_database);
async fn an_adopted_database_has_the_schema_of_a_new_database(db: Database) {
    db.remove_tables().await;
    let new = catalogue(&db).await;
    assert!(new.len() > 200, "{new:?}");
    make_former(&db).await;
    let adopted = catalogue(&db).await;
    for line in &new {
        assert!(adopted.contains(line), "missing: {line}");
    }
    for line in &adopted {
        assert!(new.contains(line), "left over: {line}");
    }
}
