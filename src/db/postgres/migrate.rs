//! Migrates the schema of PostgreSQL while a site uses the database.

use std::time::Duration;

use deadpool_postgres::Object;
use refinery_core::Migration;
use refinery_core::traits::r#async::{AsyncMigrate, AsyncQuery, AsyncTransaction};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{Cause, Postgres, Result, StoreError, map_error};
use crate::db::history;
use crate::db::schema::{self, SchemaMigration};
use crate::observability::causes::chain;

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
}

/// Returns the migrations of PostgreSQL, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<SchemaMigration> {
    SchemaMigration::list(&embedded::migrations::runner())
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
        let all = schema::with_later(&embedded::migrations::runner(), later);
        let mut last = Cause::from("schema: no attempt");
        let (mut attempts, mut lock_attempts) = (0, 0);
        while attempts < MAX_ATTEMPTS && lock_attempts < MAX_LOCK_ATTEMPTS {
            let mut client = self.connection(&self.pool).await?;
            self.check_writable(&client).await?;
            check_history(&client).await?;
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

fn is_locked(error: &refinery::Error) -> bool {
    let driver_error = chain(error).find_map(|cause| cause.downcast_ref::<tokio_postgres::Error>());
    driver_error.is_some_and(|error| error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
}

/// Checks that the refinery library can parse the applied migrations, because it would panic otherwise.
async fn check_history(client: &Client) -> Result<()> {
    let rows = match client.simple_query(history::SELECT_HISTORY).await {
        Ok(rows) => rows,
        Err(missing) if missing.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(()),
        Err(failed) if failed.code() == Some(&SqlState::UNDEFINED_COLUMN) => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(map_error(failed)),
    };
    for row in &rows {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = row {
            history::check_row([0, 1, 2, 3].map(|at| row.get(at).map(str::to_owned)))?;
        }
    }
    Ok(())
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
