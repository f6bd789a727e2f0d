//! Challenges: sign-ins whose password was right and that still need the second factor.

use uuid::Uuid;

use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

pub(crate) async fn insert(
    tx: &mut Tx,
    hash: &SecretHash,
    account: Uuid,
    expires_at: i64,
) -> Result<()> {
    let sql = "INSERT INTO sign_in_challenges (token_hash, account_id, tries, expires_at)
               VALUES ($1, $2, 0, $3)";
    tx.run(sql, params![hash, account, expires_at]).await
}

/// Returns the account of a challenge, even if the challenge has expired.
pub(crate) async fn account_of(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Uuid>> {
    let sql = "SELECT account_id FROM sign_in_challenges WHERE token_hash = $1";
    tx.value(sql, params![hash]).await
}

pub(crate) async fn is_live(tx: &mut Tx, hash: &SecretHash, now: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM sign_in_challenges WHERE token_hash = $1 AND expires_at > $2";
    Ok(tx.row(sql, params![hash, now]).await?.is_some())
}

/// Counts an attempt, in one statement, before the second-factor code is checked. Returns the number of attempts
/// including this attempt, or `None` if the challenge has expired or already had `max_attempts` attempts.
pub(crate) async fn count_attempt(
    tx: &mut Tx,
    hash: &SecretHash,
    max_attempts: i64,
    now: i64,
) -> Result<Option<i64>> {
    let sql = "UPDATE sign_in_challenges SET tries = tries + 1
               WHERE token_hash = $1 AND tries < $2 AND expires_at > $3 RETURNING tries";
    tx.value(sql, params![hash, max_attempts, now]).await
}

/// Ends the challenges of an account, after a right second factor or a change of password or factor.
pub(crate) async fn end_all(tx: &mut Tx, account: Uuid) -> Result<()> {
    let sql = "DELETE FROM sign_in_challenges WHERE account_id = $1";
    tx.run(sql, params![account]).await
}
