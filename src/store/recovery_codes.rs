//! Recovery codes of the second factor. Only the hashes of the codes are stored.

use uuid::Uuid;

use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

/// Replaces the account's recovery codes. `at` is a change number (`credentials::next_change_number`).
pub(crate) async fn replace(
    tx: &mut Tx,
    account: Uuid,
    hashes: &[SecretHash],
    at: i64,
) -> Result<()> {
    remove_all(tx, account).await?;
    let sql = "INSERT INTO recovery_codes (account_id, code_hash, created_at) VALUES ($1, $2, $3)";
    for hash in hashes {
        tx.execute(sql, params![account, hash, at]).await?;
    }
    Ok(())
}

/// Redeems a recovery code, in one statement. Returns whether the account had the code.
pub(crate) async fn redeem(tx: &mut Tx, account: Uuid, hash: &SecretHash) -> Result<bool> {
    let sql = "DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2";
    Ok(tx.execute(sql, params![account, hash]).await? > 0)
}

/// Returns the number of unused recovery codes.
pub(crate) async fn count(tx: &mut Tx, account: Uuid) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1";
    tx.number(sql, params![account]).await
}

pub(crate) async fn remove_all(tx: &mut Tx, account: Uuid) -> Result<()> {
    let sql = "DELETE FROM recovery_codes WHERE account_id = $1";
    tx.run(sql, params![account]).await
}

/// Removes recovery codes that were made at this change number or later. Returns whether there were any.
pub(crate) async fn remove_since(tx: &mut Tx, account: Uuid, number: i64) -> Result<bool> {
    let sql = "DELETE FROM recovery_codes WHERE account_id = $1 AND created_at >= $2";
    Ok(tx.execute(sql, params![account, number]).await? > 0)
}
