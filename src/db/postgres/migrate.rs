//! Migrates the schema of PostgreSQL while a site uses the database.

use std::time::Duration;

use deadpool_postgres::Object;
use refinery_core::traits::r#async::{AsyncMigrate, AsyncQuery, AsyncTransaction};
use refinery_core::{Migration, Runner};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{Cause, Postgres, Result, StoreError, map_error};
use crate::db::SCHEMA_HISTORY;
use crate::db::former;
use crate::db::history::{self, AppliedMigration};
use crate::db::schema::{self, SchemaMigration};
use crate::observability::causes::chain;

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
}

/// Returns the migrations of PostgreSQL, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<SchemaMigration> {
    SchemaMigration::list(&embedded::migrations::runner())
}

/// Returns the statements that adopt a database of the last version before 1.0.
pub(crate) fn migration_adoption_sql() -> String {
    former::adopt_postgres(&embedded::migrations::runner())
}

/// The maximum number of attempts to migrate. If several nodes migrate an empty database at once, all but one node fail
/// and try again.
const MAX_ATTEMPTS: u32 = 10;
/// The maximum number of attempts to get a lock that another session holds. The attempts take about ten minutes.
const MAX_LOCK_ATTEMPTS: u32 = 100;
/// Limits the time that a migration waits for a lock. Statements of HTTP requests queue behind the waiting migration,
/// so this time is less than the time limit of statements (`STATEMENT_TIMEOUT`).
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '2s'";
/// The pause between two attempts to get a lock, in which queued HTTP requests are served.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_secs(4);

impl Postgres {
    /// Applies the migrations of this program, and then `later`.
    pub(super) async fn migrate(&self, later: &[Migration]) -> Result<()> {
        let own = embedded::migrations::runner();
        let all = schema::with_later(&own, later);
        let mut last = Cause::from("schema: no attempt");
        let (mut attempts, mut lock_attempts) = (0, 0);
        while attempts < MAX_ATTEMPTS && lock_attempts < MAX_LOCK_ATTEMPTS {
            let mut client = self.connection(&self.pool).await?;
            self.check_writable(&client).await?;
            if former::is_former(&read_history(&client).await?)? {
                let adopted = adopt_former_migrations(&client, &own).await;
                if let Err(error) = adopted {
                    // The connection is still in a transaction, so it is discarded.
                    drop(Object::take(client));
                    return Err(error);
                }
            }
            let result = all.run_async(&mut MigrationClient(&mut client)).await;
            let Err(error) = result else { return Ok(()) };
            // A failed migration leaves its connection in an open transaction, so the connection is discarded.
            drop(Object::take(client));
            if let Some(refused) = schema::schema_error(&error) {
                // Another attempt to migrate would fail with the same error.
                return Err(refused);
            }
            let is_locked = is_locked(&error);
            last = schema::migration_cause(error);
            if is_locked {
                lock_attempts += 1;
                tracing::warn!(
                    "a migration waits for a lock of another session (a backup?); trying again"
                );
                tokio::time::sleep(LOCK_RETRY_INTERVAL).await;
            } else {
                tokio::time::sleep(Duration::from_millis(50 << attempts.min(4))).await;
                attempts += 1;
            }
        }
        Err(StoreError::Other(last))
    }

    /// Returns an error if the server accepts only reads. A standby cannot even create the table of migrations.
    async fn check_writable(&self, client: &Client) -> Result<()> {
        let sql = "SELECT 1 WHERE current_setting('transaction_read_only') = 'on'";
        let rows = client.query_typed(sql, &[]).await.map_err(map_error)?;
        match rows.is_empty() {
            true => Ok(()),
            false => Err(StoreError::NotWritable(
                format!(
                    "{}: the server is a standby, or read-only by its settings",
                    self.endpoints
                )
                .into(),
            )),
        }
    }
}

/// Adopts a database of the last version before 1.0, unless another node has adopted it meanwhile. Waits for all locks
/// without a time limit, because no node of a version before 1.0 may run beside this version.
async fn adopt_former_migrations(client: &Client, runner: &Runner) -> Result<()> {
    let sql = format!("BEGIN; LOCK TABLE {SCHEMA_HISTORY} IN ACCESS EXCLUSIVE MODE");
    client.batch_execute(&sql).await.map_err(map_error)?;
    if former::is_former(&read_history(client).await?)? {
        let sql = former::adopt_postgres(runner);
        client.batch_execute(&sql).await.map_err(map_error)?;
    }
    client.batch_execute("COMMIT").await.map_err(map_error)
}

fn is_locked(error: &refinery::Error) -> bool {
    let driver_error = chain(error).find_map(|cause| cause.downcast_ref::<tokio_postgres::Error>());
    driver_error.is_some_and(|error| error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
}

/// Reads the applied migrations, and checks that the refinery library can parse them, because it would panic otherwise.
async fn read_history(client: &Client) -> Result<Vec<AppliedMigration>> {
    let rows = match client.simple_query(history::SELECT_HISTORY).await {
        Ok(rows) => rows,
        Err(missing) if missing.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(Vec::new()),
        Err(failed) if failed.code() == Some(&SqlState::UNDEFINED_COLUMN) => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(map_error(failed)),
    };
    let mut history = Vec::new();
    for row in &rows {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = row {
            let columns = [0, 1, 2, 3].map(|at| row.get(at).map(str::to_owned));
            history.push(AppliedMigration::parse(columns)?);
        }
    }
    Ok(history)
}

/// A connection that limits the wait for locks in each transaction of the migrations. The limit cannot be set for the
/// whole session, because a pooler may give the session to another client next.
struct MigrationClient<'a>(&'a mut Client);

impl AsyncTransaction for MigrationClient<'_> {
    type Error = tokio_postgres::Error;

    async fn execute<'a, T: Iterator<Item = &'a str> + Send + 'a>(
        &mut self,
        queries: T,
    ) -> std::result::Result<usize, Self::Error> {
        let transaction = self.0.transaction().await?;
        transaction.batch_execute(LOCK_TIMEOUT).await?;
        let mut count = 0;
        for query in queries {
            // Citus refuses several statements in one text if one of them changes a distributed table. In the
            // migrations a semicolon at the end of a line always ends a statement.
            for statement in query.split_inclusive(";\n") {
                transaction.batch_execute(statement).await?;
            }
            count += 1;
        }
        transaction.commit().await?;
        Ok(count)
    }
}

impl AsyncQuery<Vec<Migration>> for MigrationClient<'_> {
    async fn query(&mut self, query: &str) -> std::result::Result<Vec<Migration>, Self::Error> {
        self.0.query(query).await
    }
}

impl AsyncMigrate for MigrationClient<'_> {}
