//! Converts the errors of the driver to `StoreError`.

use tokio_postgres::error::SqlState;

use super::prepared;
use crate::db::{Cause, Constraint, StoreError};
use crate::observability::causes::{certificate_problem, with_causes};

/// Returns why the connection failed. If a certificate was rejected, the text names the settings to change.
pub(super) fn connection_error(error: &tokio_postgres::Error) -> String {
    match certificate_problem(error) {
        Some(problem) => format!(
            "the server's certificate is refused: {problem}; database.ca_file names the authority that issued it, and sslmode in database.url how much is checked"
        ),
        None => with_causes(error),
    }
}

/// The time limits of PostgreSQL that an operator may have set: `lock_timeout`, `idle_in_transaction_session_timeout`
/// and `transaction_timeout`.
const TIMEOUTS: [&str; 3] = ["55P03", "25P03", "25P04"];

pub(super) fn map_error(error: tokio_postgres::Error) -> StoreError {
    let Some(db) = error.as_db_error() else {
        return StoreError::Unavailable(Cause::of(error));
    };
    let code = db.code().clone();
    let class = code.code().get(..2).unwrap_or_default();
    if code == SqlState::UNIQUE_VIOLATION {
        return StoreError::UniqueViolation(Constraint::from_error(db.constraint(), db.message()));
    }
    let cause = Cause::new(format!("{}: {}", code.code(), db.message()), error);
    if code == SqlState::READ_ONLY_SQL_TRANSACTION || code == SqlState::DISK_FULL {
        StoreError::NotWritable(cause)
    } else if class == "40" {
        StoreError::Conflict(cause)
    } else if matches!(class, "08" | "53" | "57")
        || TIMEOUTS.contains(&code.code())
        || prepared::is_lost_statement(&code)
    {
        // The SQLSTATE classes of connection failures, insufficient resources and operator intervention are temporary. A
        // pooler that loses prepared statements makes the database unusable until the setting is corrected.
        StoreError::Unavailable(cause)
    } else {
        StoreError::Other(cause)
    }
}
