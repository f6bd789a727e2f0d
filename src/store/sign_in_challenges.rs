//! Challenges: sign-ins whose password was right and that still need the second factor.

use uuid::Uuid;

use crate::db::row::statements;
use crate::domain::secret::SecretHash;

statements! {
    fn insert(hash: &SecretHash, account: Uuid, expires_at: i64) =
        "INSERT INTO sign_in_challenges (token_hash, account_id, tries, expires_at)
         VALUES ($1, $2, 0, $3)";

    /// Returns the account of a challenge, even if the challenge has expired.
    fn account_of(hash: &SecretHash) -> Option<Uuid> =
        "SELECT account_id FROM sign_in_challenges WHERE token_hash = $1";

    fn is_live(hash: &SecretHash, now: i64) -> bool =
        "SELECT 1 FROM sign_in_challenges WHERE token_hash = $1 AND expires_at > $2";

    /// Counts an attempt, in one statement, before the second-factor code is checked. Returns the number of attempts
    /// including this attempt, or `None` if the challenge has expired or already had `max_attempts` attempts.
    fn count_attempt(hash: &SecretHash, max_attempts: i64, now: i64) -> Option<i64> =
        "UPDATE sign_in_challenges SET tries = tries + 1
         WHERE token_hash = $1 AND tries < $2 AND expires_at > $3 RETURNING tries";

    /// Ends the challenges of an account, after a right second factor or a change of password or factor.
    fn end_all(account: Uuid) = "DELETE FROM sign_in_challenges WHERE account_id = $1";
}
