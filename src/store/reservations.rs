//! Usernames that a registration in profile `strict` reserves, whatever the outcome of the registration.

use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

/// Reserves the username for a browser, in one statement. Returns false if another registration reserved it before.
pub(crate) async fn reserve(
    tx: &mut Tx,
    username_key: &str,
    device: &SecretHash,
    now: i64,
) -> Result<bool> {
    let sql = "INSERT INTO username_reservations (username_key, device_hash, reserved_at)
               VALUES ($1, $2, $3) ON CONFLICT (username_key) DO NOTHING";
    Ok(tx.execute(sql, params![username_key, device, now]).await? == 1)
}

/// Ends the reservation of a username by this browser, unless the reservation was made before `made_after`.
pub(crate) async fn release(
    tx: &mut Tx,
    username_key: &str,
    device: &SecretHash,
    made_after: i64,
) -> Result<()> {
    let sql = "DELETE FROM username_reservations
               WHERE username_key = $1 AND device_hash = $2 AND reserved_at > $3";
    tx.run(sql, params![username_key, device, made_after]).await
}
