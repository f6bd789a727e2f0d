//! Whether an account is disabled, and when it will be deleted.

use uuid::Uuid;

use crate::db::{Result, Tx};
use crate::params;

/// Disables the account. Returns whether it was not disabled before.
pub(crate) async fn disable(tx: &mut Tx, id: Uuid, now: i64) -> Result<bool> {
    let sql = "UPDATE accounts SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL";
    Ok(tx.execute(sql, params![now, id]).await? > 0)
}

/// Enables the account. Returns whether it was disabled before.
pub(crate) async fn enable(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let sql = "UPDATE accounts SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";
    Ok(tx.execute(sql, params![id]).await? > 0)
}

/// Sets the time of the deletion, in milliseconds since 1970 UTC.
pub(crate) async fn set_deletion(tx: &mut Tx, id: Uuid, due_at: i64) -> Result<()> {
    let sql = "UPDATE accounts SET deletion_due_at = $1 WHERE id = $2";
    tx.execute(sql, params![due_at, id]).await?;
    Ok(())
}

/// Cancels the deletion. Returns whether one was pending.
pub(crate) async fn cancel_deletion(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let sql = "UPDATE accounts SET deletion_due_at = NULL
               WHERE id = $1 AND deletion_due_at IS NOT NULL";
    Ok(tx.execute(sql, params![id]).await? > 0)
}

/// When the account will be deleted, in milliseconds since 1970 UTC.
pub(crate) async fn deletion_due_at(tx: &mut Tx, id: Uuid) -> Result<Option<i64>> {
    let sql = "SELECT deletion_due_at FROM accounts WHERE id = $1";
    let row = tx.row(sql, params![id]).await?;
    Ok(row.and_then(|row| row.get(0)))
}

/// The accounts whose deletion is due, the one that is due longest first; at most so many.
pub(crate) async fn due_deletions(tx: &mut Tx, now: i64, most: i64) -> Result<Vec<Uuid>> {
    let sql =
        "SELECT id FROM accounts WHERE deletion_due_at <= $1 ORDER BY deletion_due_at LIMIT $2";
    let rows = tx.rows(sql, params![now, most]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
