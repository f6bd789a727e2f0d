//! Numbers the changes of accounts, disables accounts, and schedules and cancels the deletion of accounts.

use uuid::Uuid;

use crate::clock::DAY;
use crate::db::{Result, StoreError, Tx};
use crate::params;

/// The length of a month in the column `last_sign_in_month`, in milliseconds.
const LAST_SIGN_IN_MONTH: i64 = 30 * DAY;

/// Takes the number of a change of the account, whose row is locked: the time `now`, or the number of the account's
/// latest change plus one if that is larger, so that the numbers grow even if the clock was set back.
pub(crate) async fn take_change_number(tx: &mut Tx, id: Uuid, now: i64) -> Result<i64> {
    let sql = "UPDATE accounts SET change_number =
                 CASE WHEN change_number >= $1 THEN change_number + 1 ELSE $1 END
               WHERE id = $2 RETURNING change_number";
    let number = tx.value(sql, params![now, id]).await?;
    number.ok_or_else(|| StoreError::Other("the account of a change is gone".into()))
}

/// Disables the account. Returns false if the account was already disabled.
pub(crate) async fn disable(tx: &mut Tx, id: Uuid, now: i64) -> Result<bool> {
    let sql = "UPDATE accounts SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL";
    Ok(tx.execute(sql, params![now, id]).await? > 0)
}

/// Enables the account. Returns false if the account was already enabled.
pub(crate) async fn enable(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let sql = "UPDATE accounts SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";
    Ok(tx.execute(sql, params![id]).await? > 0)
}

/// Stores a deletion request: the time of the deletion, in milliseconds since 1970 UTC, and the change number.
pub(crate) async fn set_deletion(
    tx: &mut Tx,
    id: Uuid,
    due_at: i64,
    change_number: i64,
) -> Result<()> {
    let sql = "UPDATE accounts SET deletion_due_at = $1, deletion_change_number = $2 WHERE id = $3";
    tx.run(sql, params![due_at, change_number, id]).await
}

/// Cancels the requested deletion of the account. Returns false if no deletion was requested.
pub(crate) async fn cancel_deletion(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let sql = "UPDATE accounts SET deletion_due_at = NULL, deletion_change_number = NULL
               WHERE id = $1 AND deletion_due_at IS NOT NULL";
    Ok(tx.execute(sql, params![id]).await? > 0)
}

/// Returns the time of the requested deletion, in milliseconds since 1970 UTC, or `None` if no deletion was requested.
pub(crate) async fn deletion_due_at(tx: &mut Tx, id: Uuid) -> Result<Option<i64>> {
    let sql = "SELECT deletion_due_at FROM accounts WHERE id = $1";
    Ok(tx.value(sql, params![id]).await?.flatten())
}

/// Returns the accounts whose deletion is due: at most `limit` after a request and at most `limit` for inactivity.
pub(crate) async fn list_due_deletions(tx: &mut Tx, now: i64, limit: i64) -> Result<Vec<Uuid>> {
    let mut due = Vec::new();
    for sql in [
        "SELECT id FROM accounts WHERE deletion_due_at <= $1 ORDER BY deletion_due_at LIMIT $2",
        "SELECT id FROM accounts WHERE inactive_due_at <= $1 ORDER BY inactive_due_at LIMIT $2",
    ] {
        let rows = tx.rows(sql, params![now, limit]).await?;
        due.extend(rows.iter().map(|row| row.get::<Uuid>(0)));
    }
    Ok(due)
}

/// Sets an unknown last sign-in to the time `now` in at most `limit` accounts. Returns the number of accounts.
pub(crate) async fn init_last_sign_in(tx: &mut Tx, now: i64, limit: i64) -> Result<u64> {
    tx.execute(
        "UPDATE accounts SET last_sign_in_at = $1 WHERE id IN
           (SELECT id FROM accounts WHERE last_sign_in_month IS NULL LIMIT $2)",
        params![now, limit],
    )
    .await
}

pub(crate) async fn is_any_last_sign_in_unknown(tx: &mut Tx) -> Result<bool> {
    let sql = "SELECT 1 FROM accounts WHERE last_sign_in_month IS NULL LIMIT 1";
    Ok(!tx.rows(sql, params![]).await?.is_empty())
}

/// Returns at most `limit` usable accounts without a sign-in since `since`, whose deletion is not announced yet.
pub(crate) async fn list_inactive(tx: &mut Tx, since: i64, limit: i64) -> Result<Vec<Uuid>> {
    // The index contains the month of the last sign-in instead of its time, so that most sign-ins do not write the
    // index.
    let sql = "SELECT id FROM accounts WHERE last_sign_in_month <= $1 AND last_sign_in_at < $2
                 AND inactive_due_at IS NULL AND deletion_due_at IS NULL AND disabled_at IS NULL
               ORDER BY last_sign_in_month LIMIT $3";
    let month = since / LAST_SIGN_IN_MONTH;
    tx.query_column(sql, params![month, since, limit]).await
}

/// Schedules the deletion of an account whose user has not signed in since `since`. Returns false if the user has
/// signed in meanwhile or the deletion is already scheduled.
pub(crate) async fn set_inactive(tx: &mut Tx, id: Uuid, since: i64, due_at: i64) -> Result<bool> {
    let sql = "UPDATE accounts SET inactive_due_at = $1
               WHERE id = $2 AND last_sign_in_at < $3 AND inactive_due_at IS NULL";
    Ok(tx.execute(sql, params![due_at, id, since]).await? > 0)
}

/// Cancels the account's deletion for inactivity. The period of inactivity begins again at `now`.
pub(crate) async fn set_active(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE accounts SET last_sign_in_at = $1, inactive_due_at = NULL WHERE id = $2";
    tx.run(sql, params![now, id]).await
}

/// Returns at most `limit` accounts that will be deleted for inactivity.
pub(crate) async fn list_announced_deletions(tx: &mut Tx, limit: i64) -> Result<Vec<Uuid>> {
    let sql = "SELECT id FROM accounts WHERE inactive_due_at IS NOT NULL LIMIT $1";
    tx.query_column(sql, params![limit]).await
}
