//! Authenticator apps: at most one per account, with its sealed secret.

use uuid::Uuid;

use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct StoredTotp {
        /// The encrypted TOTP secret; see `src/crypto/sealing.rs`.
        pub secret: Vec<u8>,
        /// The time when the set-up began, in milliseconds since 1970 UTC.
        pub created_at: i64,
        /// The time of the confirmation, or `None` until a right code confirms the set-up.
        pub confirmed_at: Option<i64>,
        /// The hash of the id of the session that began the set-up, or `None` if the app is confirmed.
        pub session_hash: Option<SecretHash>,
    }
}

statements! {
    fn find(account: Uuid) -> Option<StoredTotp> = "FROM totp WHERE account_id = $1";

    /// Returns whether the account has a confirmed authenticator app, so that a password alone starts no session.
    fn has_confirmed_app(account: Uuid) -> bool =
        "SELECT 1 FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL";

    /// Begins a set-up in the session and replaces an unconfirmed set-up. Returns false if the account has a confirmed
    /// app, which stays unchanged.
    fn begin_setup(account: Uuid, session: &SecretHash, sealed: &[u8], now: i64) -> bool =
        "INSERT INTO totp (account_id, session_hash, secret, created_at, last_step)
         VALUES ($1, $2, $3, $4, 0)
         ON CONFLICT (account_id) DO UPDATE SET session_hash = excluded.session_hash,
         secret = excluded.secret, created_at = excluded.created_at, failed_codes = 0
         WHERE totp.confirmed_at IS NULL";

    /// Assigns the set-up of a session to the new session id.
    fn move_setup(account: Uuid, from: &SecretHash, to: &SecretHash) =
        "UPDATE totp SET session_hash = $1 WHERE account_id = $2 AND session_hash = $3", [to, account, from];
}

/// Counts a wrong code of the set-up, and removes the set-up after `most` wrong codes.
pub(crate) async fn count_wrong_code(tx: &mut Tx, account: Uuid, most: i64) -> Result<()> {
    let sql = "UPDATE totp SET failed_codes = failed_codes + 1
               WHERE account_id = $1 AND confirmed_at IS NULL";
    tx.execute(sql, params![account]).await?;
    let sql =
        "DELETE FROM totp WHERE account_id = $1 AND confirmed_at IS NULL AND failed_codes >= $2";
    tx.run(sql, params![account, most]).await
}

statements! {
    /// Confirms the set-up. `step` is the time step of the code that confirmed it, which is then not accepted again.
    /// `at` is a change number (`Change::next_number`).
    fn confirm_setup(account: Uuid, step: i64, at: i64) =
        "UPDATE totp SET confirmed_at = $1, last_step = $2, session_hash = NULL
         WHERE account_id = $3 AND confirmed_at IS NULL", [at, step, account];

    /// Accepts a code of this time step once. The check is one statement, so only one of several parallel calls gets
    /// true.
    fn accept_step(account: Uuid, step: i64) -> bool =
        "UPDATE totp SET last_step = $1
         WHERE account_id = $2 AND confirmed_at IS NOT NULL AND last_step < $1", [step, account];
}

/// Removes the authenticator app. Returns whether a confirmed app existed.
pub(crate) async fn remove(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "DELETE FROM totp WHERE account_id = $1 RETURNING confirmed_at";
    let row = tx.row(sql, params![account]).await?;
    Ok(row.is_some_and(|row| row.get::<Option<i64>>(0).is_some()))
}

statements! {
    /// Removes an authenticator app that was confirmed at this change number or later. Returns whether there was one.
    fn remove_since(account: Uuid, number: i64) -> bool =
        "DELETE FROM totp WHERE account_id = $1 AND confirmed_at >= $2";
}
