//! Chooses the statements that each connection prepares. A prepared statement is parsed and planned once per connection,
//! which is most of what a short statement costs the server. A pooler in transaction mode may run each transaction on
//! another connection, which lacks the prepared statements; behind such a pooler `database.prepared` must be false.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::Object;
use tokio_postgres::RowStream;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use super::TypedParam;

/// The number of uses after which a statement is prepared.
const USES_BEFORE_PREPARING: u32 = 5;
/// The maximum number of prepared statements, each of which takes some 10 kB of the server's memory per connection.
const MAX_PREPARED: usize = 100;

pub(super) struct PreparedStatements {
    is_enabled: bool,
    has_reported_loss: AtomicBool,
    /// The number of uses of each statement, by its SQL text.
    uses: Mutex<HashMap<Box<str>, u32>>,
}

impl PreparedStatements {
    pub(super) fn new(is_enabled: bool) -> PreparedStatements {
        PreparedStatements {
            is_enabled,
            has_reported_loss: AtomicBool::new(false),
            uses: Mutex::default(),
        }
    }

    /// Counts one use of the statement. Returns whether the statement is used often enough to be prepared.
    pub(super) fn is_worth_preparing(&self, sql: &str) -> bool {
        if !self.is_enabled {
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

    /// Logs the earliest error that says that a connection has lost a prepared statement.
    pub(super) fn report_if_lost(&self, error: &tokio_postgres::Error) {
        if error.code().is_some_and(is_lost_statement)
            && !self.has_reported_loss.swap(true, Ordering::Relaxed)
        {
            tracing::error!("the pooler loses prepared statements; set database.prepared = false");
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
