//! Migrates the schema while a site uses the database.

use std::error::Error;
use std::time::Duration;

use deadpool_postgres::Object;
use refinery_core::Migration;
use refinery_core::traits::r#async::{AsyncMigrate, AsyncQuery, AsyncTransaction};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::{Postgres, Result, StoreError, map_error};
use crate::db::schema::Step;
use crate::db::{history, schema};
use crate::observability::causes::with_causes;

mod embedded {
    refinery::embed_migrations!("migrations/postgres");
}

/// The migrations of this database, oldest first.
pub(crate) fn steps() -> Vec<Step> {
    let runner = embedded::migrations::runner();
    let mut steps: Vec<Step> = runner.get_migrations().iter().map(Step::from).collect();
    steps.sort_unstable_by_key(|step| step.version);
    steps
}

/// Several nodes may migrate an empty database at once: all but one fail and check again.
const MAX_ATTEMPTS: u32 = 10;
/// The most attempts to get a lock that another session holds: with the pauses, about ten minutes.
const MAX_LOCK_ATTEMPTS: u32 = 100;
/// The time limit of one statement for a lock. Later requests queue behind a statement that waits for a lock, so this
/// is less than the time limit of their statements (`STATEMENT_TIMEOUT`).
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '2s'";
/// The pause between two attempts, in which queued requests are served.
const LOCK_PAUSE: Duration = Duration::from_secs(4);

impl Postgres {
    pub(super) async fn migrate(&self) -> Result<()> {
        let mut last = String::new();
        let (mut attempts, mut lock_attempts) = (0, 0);
        while attempts < MAX_ATTEMPTS && lock_attempts < MAX_LOCK_ATTEMPTS {
            let mut client = self.connection().await?;
            check_history(&client).await?;
            let result = embedded::migrations::runner()
                .set_grouped(true)
                .run_async(&mut MigrationClient(&mut client))
                .await;
            let Err(error) = result else { return Ok(()) };
            // A failed run leaves its connection in an open transaction, so the connection is discarded.
            drop(Object::take(client));
            if let Some(refused) = schema::schema_error(&error) {
                // Another attempt would return the same error.
                return Err(refused);
            }
            last = with_causes(&error);
            if is_locked(&error) {
                lock_attempts += 1;
                tracing::warn!(
                    "a migration waits for a lock of another session (a backup?); trying again"
                );
                tokio::time::sleep(LOCK_PAUSE).await;
            } else {
                tokio::time::sleep(Duration::from_millis(50 << attempts.min(4))).await;
                attempts += 1;
            }
        }
        Err(StoreError::Other(format!("schema: {last}")))
    }
}

fn is_locked(error: &refinery::Error) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<tokio_postgres::Error>() {
            return error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE);
        }
        next = error.source();
    }
    false
}

/// The migrations library panics on rows of its table that it cannot parse.
async fn check_history(client: &Client) -> Result<()> {
    let rows = match client.simple_query(history::SELECT_ALL).await {
        Ok(rows) => rows,
        Err(missing) if missing.code() == Some(&SqlState::UNDEFINED_TABLE) => return Ok(()),
        Err(failed) if failed.code() == Some(&SqlState::UNDEFINED_COLUMN) => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(map_error(failed)),
    };
    for row in &rows {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = row {
            let columns = [0, 1, 2, 3].map(|at| row.get(at).map(str::to_owned));
            history::check(columns)?;
        }
    }
    Ok(())
}

/// A connection that limits the wait for locks in each transaction of the migrations. It cannot be set for the session,
/// because a pooler may give that to another client next.
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
            transaction.batch_execute(query).await?;
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
