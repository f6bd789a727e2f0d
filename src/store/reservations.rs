//! Usernames that a registration in profile `strict` reserves, whatever the outcome of the registration.

use crate::db::{Result, Tx};
use crate::params;

/// Reserves the name, in one statement. False: another registration has reserved it already.
pub(crate) async fn reserve(tx: &mut Tx, username_key: &str, now: i64) -> Result<bool> {
    let sql = "INSERT INTO username_reservations (username_key, reserved_at) VALUES ($1, $2)
               ON CONFLICT (username_key) DO NOTHING";
    Ok(tx.execute(sql, params![username_key, now]).await? == 1)
}

/// Removes reservations after the lifetime of an unverified account. Returns their number.
pub(crate) async fn delete_expired(tx: &mut Tx, reserved_before: i64, limit: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM username_reservations WHERE username_key IN
           (SELECT username_key FROM username_reservations WHERE reserved_at < $1
            ORDER BY reserved_at LIMIT $2)",
        params![reserved_before, limit],
    )
    .await
}
