//! Chooses the statements that each connection prepares. A prepared statement is parsed and planned once per connection,
//! which is most of what a short statement costs the server. A pooler in transaction mode may run each transaction on
//! another connection, which lacks the prepared statements. [`supports_prepared_statements`] tests for such a pooler.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::Object;
use tokio_postgres::RowStream;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::{Postgres, Result, TypedParam, map_error, with_timeout};

/// The number of uses after which a statement is prepared.
const USES_BEFORE_PREPARING: u32 = 5;
/// The maximum number of prepared statements, each of which takes some 10 kB of the server's memory per connection.
const MAX_PREPARED: usize = 100;
/// The number of rounds of the connection test, because one round may succeed by chance.
const TEST_ROUNDS: usize = 8;

#[derive(Default)]
pub(super) struct PreparedStatements {
    is_enabled: AtomicBool,
    /// The number of uses of each statement, by its SQL text.
    uses: Mutex<HashMap<Box<str>, u32>>,
}

impl PreparedStatements {
    /// Counts one use of the statement. Returns whether the statement is used often enough to be prepared.
    pub(super) fn is_worth_preparing(&self, sql: &str) -> bool {
        if !self.is_enabled.load(Ordering::Relaxed) {
            return false;
        }
        let mut uses = self.uses.lock().expect("no panic while locked");
        if let Some(count) = uses.get_mut(sql) {
            *count = count.saturating_add(1);
            return *count > USES_BEFORE_PREPARING;
        }
        if uses.len() < MAX_PREPARED {
            uses.insert(sql.into(), 1);
        }
        false
    }

    /// Stops preparing statements if the error says that a connection has lost a prepared statement.
    pub(super) fn disable_if_lost(&self, error: &tokio_postgres::Error) {
        if error.code().is_some_and(is_lost_statement)
            && self.is_enabled.swap(false, Ordering::Relaxed)
        {
            tracing::warn!(
                "the database's pooler loses prepared statements, so none are prepared from now on; set database.prepared = false"
            );
        }
    }
}

/// Returns whether the error says that a prepared statement is unknown, or that another client of the pooler uses its
/// name.
pub(super) fn is_lost_statement(code: &SqlState) -> bool {
    *code == SqlState::INVALID_SQL_STATEMENT_NAME || *code == SqlState::DUPLICATE_PSTATEMENT
}

/// Runs a statement that the connection prepares at its first use.
pub(super) async fn query_prepared(
    client: &Object,
    sql: &str,
    params: &[TypedParam<'_>],
) -> std::result::Result<RowStream, tokio_postgres::Error> {
    let types: Vec<Type> = params.iter().map(|(_, kind)| kind.clone()).collect();
    let statement = client.prepare_typed_cached(sql, &types).await?;
    let values = params.iter().map(|(value, _)| *value);
    client.query_raw(&statement, values).await
}

pub(super) async fn enable_if_supported(db: Postgres) {
    match with_timeout(supports_prepared_statements(&db)).await {
        Some(Ok(true)) => db.prepared.is_enabled.store(true, Ordering::Relaxed),
        outcome => {
            let error = outcome.and_then(Result::err).map(tracing::field::display);
            tracing::info!(
                error,
                "statements are not prepared, because the test failed"
            );
        }
    }
}

/// Tests whether a statement is still prepared after another client has used the server. A pooler in transaction mode
/// then gives the first client another connection, which lacks the prepared statement.
async fn supports_prepared_statements(db: &Postgres) -> Result<bool> {
    // Both connections are taken out of the pool and closed at the end, because the time limit may end the test in the
    // middle of a transaction.
    let first = Object::take(db.connection(&db.lookup_pool).await?);
    let second = Object::take(db.connection(&db.lookup_pool).await?);
    let statement = first.prepare("SELECT 1").await.map_err(map_error)?;
    let mut is_supported = true;
    for _ in 0..TEST_ROUNDS {
        // A pooler gives away the connection that was used last. This use makes that the one with the prepared
        // statement, even if another client has just returned its connection.
        is_supported &= first.query(&statement, &[]).await.is_ok();
        second.batch_execute("BEGIN").await.map_err(map_error)?;
        let found = first.query(&statement, &[]).await;
        second.batch_execute("ROLLBACK").await.map_err(map_error)?;
        is_supported &= found.is_ok();
    }
    Ok(is_supported)
}
