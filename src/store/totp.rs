//! Authenticator apps: at most one per account, with its sealed secret.

use uuid::Uuid;

use crate::db::row::row;
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

pub(crate) async fn find(tx: &mut Tx, account: Uuid) -> Result<Option<StoredTotp>> {
    let sql = "FROM totp WHERE account_id = $1";
    StoredTotp::select_one(tx, sql, params![account]).await
}

/// Returns whether the account has a confirmed authenticator app, so that a password alone starts no session.
pub(crate) async fn has_confirmed_app(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "SELECT 1 FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL";
    Ok(tx.row(sql, params![account]).await?.is_some())
}

/// Begins a set-up in the session and replaces an unconfirmed set-up. Returns false if the account has a confirmed app,
/// which stays unchanged.
pub(crate) async fn begin_setup(
    tx: &mut Tx,
    account: Uuid,
    session: &SecretHash,
    sealed: &[u8],
    now: i64,
) -> Result<bool> {
    let sql = "INSERT INTO totp (account_id, session_hash, secret, created_at, last_step)
               VALUES ($1, $2, $3, $4, 0)
               ON CONFLICT (account_id) DO UPDATE SET session_hash = excluded.session_hash,
                 secret = excluded.secret, created_at = excluded.created_at, failed_codes = 0
               WHERE totp.confirmed_at IS NULL";
    let values = params![account, session, sealed, now];
    Ok(tx.execute(sql, values).await? > 0)
}

/// Assigns the set-up of a session to the new session id.
pub(crate) async fn move_setup(
    tx: &mut Tx,
    account: Uuid,
    from: &SecretHash,
    to: &SecretHash,
) -> Result<()> {
    let sql = "UPDATE totp SET session_hash = $1 WHERE account_id = $2 AND session_hash = $3";
    tx.run(sql, params![to, account, from]).await
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

/// Confirms the set-up. `step` is the time step of the code that confirmed it, which is then not accepted again. `at`
/// is a change number (`Change::next_number`).
pub(crate) async fn confirm_setup(tx: &mut Tx, account: Uuid, step: i64, at: i64) -> Result<()> {
    let sql = "UPDATE totp SET confirmed_at = $1, last_step = $2, session_hash = NULL
               WHERE account_id = $3 AND confirmed_at IS NULL";
    tx.run(sql, params![at, step, account]).await
}

/// Accepts a code of this time step once. The check is one statement, so only one of several parallel calls gets true.
pub(crate) async fn accept_step(tx: &mut Tx, account: Uuid, step: i64) -> Result<bool> {
    let sql = "UPDATE totp SET last_step = $1
               WHERE account_id = $2 AND confirmed_at IS NOT NULL AND last_step < $1";
    Ok(tx.execute(sql, params![step, account]).await? > 0)
}

/// Removes the authenticator app. Returns whether a confirmed app existed.
pub(crate) async fn remove(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "DELETE FROM totp WHERE account_id = $1 RETURNING confirmed_at";
    let row = tx.row(sql, params![account]).await?;
    Ok(row.is_some_and(|row| row.get::<Option<i64>>(0).is_some()))
}

/// Removes an authenticator app that was confirmed at this change number or later. Returns whether there was one.
pub(crate) async fn remove_since(tx: &mut Tx, account: Uuid, number: i64) -> Result<bool> {
    let sql = "DELETE FROM totp WHERE account_id = $1 AND confirmed_at >= $2";
    Ok(tx.execute(sql, params![account, number]).await? > 0)
}
