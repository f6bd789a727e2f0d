//! Authenticator apps: at most one per account, with its sealed secret.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct StoredTotp {
        /// Sealed, see `src/sealing.rs`.
        pub secret: Vec<u8>,
        /// The time when the set-up began, in milliseconds since 1970 UTC.
        pub created_at: i64,
        /// None until a right code confirms the set-up.
        pub confirmed_at: Option<i64>,
    }
}

pub(crate) async fn find(tx: &mut Tx, account: Uuid) -> Result<Option<StoredTotp>> {
    let sql = format!(
        "SELECT {} FROM totp WHERE account_id = $1",
        StoredTotp::COLUMNS
    );
    let row = tx.row(&sql, params![account]).await?;
    Ok(row.as_ref().map(StoredTotp::from_row))
}

/// Returns whether the account has a confirmed authenticator app, so that a password alone starts no session.
pub(crate) async fn is_on(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "SELECT 1 FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL";
    Ok(tx.row(sql, params![account]).await?.is_some())
}

/// Begins a set-up and replaces an unconfirmed one; a confirmed app stays. Returns whether the set-up has begun.
pub(crate) async fn begin(tx: &mut Tx, account: Uuid, sealed: &[u8], now: i64) -> Result<bool> {
    let sql = "INSERT INTO totp (account_id, secret, created_at, last_step) VALUES ($1, $2, $3, 0)
               ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret,
                 created_at = excluded.created_at WHERE totp.confirmed_at IS NULL";
    Ok(tx.execute(sql, params![account, sealed, now]).await? > 0)
}

/// Confirms the set-up with the step of its first code. `at` is a change number
/// (`credentials::next_change_number`).
pub(crate) async fn confirm(tx: &mut Tx, account: Uuid, step: i64, at: i64) -> Result<()> {
    let sql = "UPDATE totp SET confirmed_at = $1, last_step = $2
               WHERE account_id = $3 AND confirmed_at IS NULL";
    tx.execute(sql, params![at, step, account]).await?;
    Ok(())
}

/// Accepts a code of a time step, in one statement: of several parallel calls with one code exactly one gets true.
pub(crate) async fn accept(tx: &mut Tx, account: Uuid, step: i64) -> Result<bool> {
    let sql = "UPDATE totp SET last_step = $1
               WHERE account_id = $2 AND confirmed_at IS NOT NULL AND last_step < $1";
    Ok(tx.execute(sql, params![step, account]).await? > 0)
}

/// Removes the app. Returns whether a confirmed one existed.
pub(crate) async fn remove(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "DELETE FROM totp WHERE account_id = $1 RETURNING confirmed_at";
    let row = tx.row(sql, params![account]).await?;
    Ok(row.is_some_and(|row| row.get::<Option<i64>>(0).is_some()))
}

/// Removes an app that was confirmed at this change number or later. Returns whether there was one.
pub(crate) async fn remove_since(tx: &mut Tx, account: Uuid, number: i64) -> Result<bool> {
    let sql = "DELETE FROM totp WHERE account_id = $1 AND confirmed_at >= $2";
    Ok(tx.execute(sql, params![account, number]).await? > 0)
}
