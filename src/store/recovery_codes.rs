//! Recovery codes of the second factor. Only the hashes of the codes are stored.
//!
//! A pending recovery code belongs to a session, and works only after the user has confirmed it in that session.

use uuid::Uuid;

use crate::db::row::statements;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

/// Replaces all recovery codes of the account. `at` is a change number (`Change::next_number`).
pub(crate) async fn replace(
    tx: &mut Tx,
    account: Uuid,
    hashes: &[SecretHash],
    at: i64,
) -> Result<()> {
    remove_all(tx, account).await?;
    insert(tx, account, None, hashes, at).await
}

async fn insert(
    tx: &mut Tx,
    account: Uuid,
    session: Option<&SecretHash>,
    hashes: &[SecretHash],
    at: i64,
) -> Result<()> {
    let sql = "INSERT INTO recovery_codes (account_id, code_hash, created_at, session_hash)
               VALUES ($1, $2, $3, $4)";
    for hash in hashes {
        tx.run(sql, params![account, hash, at, session]).await?;
    }
    Ok(())
}

/// Stores pending codes of a session, in place of the account's earlier pending codes.
pub(crate) async fn replace_pending(
    tx: &mut Tx,
    account: Uuid,
    session: &SecretHash,
    hashes: &[SecretHash],
    now: i64,
) -> Result<()> {
    let sql = "DELETE FROM recovery_codes WHERE account_id = $1 AND session_hash IS NOT NULL";
    tx.run(sql, params![account]).await?;
    insert(tx, account, Some(session), hashes, now).await
}

/// Replaces the account's recovery codes by the session's pending codes. Returns false if the session has no pending
/// code. `at` is a change number (`Change::next_number`), so every earlier code has a smaller number.
pub(crate) async fn confirm_pending(
    tx: &mut Tx,
    account: Uuid,
    session: &SecretHash,
    at: i64,
) -> Result<bool> {
    let sql = "UPDATE recovery_codes SET session_hash = NULL, created_at = $1
               WHERE account_id = $2 AND session_hash = $3";
    if tx.execute(sql, params![at, account, session]).await? == 0 {
        return Ok(false);
    }
    let sql = "DELETE FROM recovery_codes WHERE account_id = $1 AND created_at < $2";
    tx.execute(sql, params![account, at]).await?;
    Ok(true)
}

statements! {
    /// Assigns the pending codes of a session to the new session id.
    fn move_pending(account: Uuid, from: &SecretHash, to: &SecretHash) =
        "UPDATE recovery_codes SET session_hash = $1 WHERE account_id = $2 AND session_hash = $3",
        [to, account, from];

    /// Redeems a recovery code, in one statement. Returns whether the account had the code.
    fn redeem(account: Uuid, hash: &SecretHash) -> bool =
        "DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2
         AND session_hash IS NULL";

    /// Returns the number of unused recovery codes.
    fn count(account: Uuid) -> i64 =
        "SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1 AND session_hash IS NULL";

    fn remove_all(account: Uuid) = "DELETE FROM recovery_codes WHERE account_id = $1";

    /// Removes recovery codes that were made at this change number (`Change::next_number`) or later. Returns
    /// whether there were any.
    fn remove_since(account: Uuid, number: i64) -> bool =
        "DELETE FROM recovery_codes WHERE account_id = $1 AND created_at >= $2";
}
