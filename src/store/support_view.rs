//! Lookups for support: accounts by exact username or email address, and the time of the last use.

use uuid::Uuid;

use super::names::{self, NameKind};
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

/// Returns the ids of the account and of the unmigrated legacy account with a username.
pub(crate) async fn find_by_username(
    tx: &mut Tx,
    key: &str,
) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let old = "SELECT id FROM legacy_accounts WHERE username_key = $1 AND migrated_at IS NULL";
    let account = names::find(tx, NameKind::Username, key).await?;
    Ok((account, tx.value(old, params![key]).await?))
}

/// Returns the ids of the account and of the unmigrated legacy account with an email address.
pub(crate) async fn find_by_email(tx: &mut Tx, key: &str) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let old = "SELECT id FROM legacy_accounts WHERE email_key = $1 AND migrated_at IS NULL";
    let account = names::find(tx, NameKind::Email, key).await?;
    Ok((account, tx.value(old, params![key]).await?))
}

/// Returns the ids of the migrated account and of the unmigrated legacy account with an id of the older system. If an
/// earlier program version has imported this id several times, the newest account is returned.
pub(crate) async fn find_by_legacy_id(
    tx: &mut Tx,
    legacy_id: &str,
) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let account = "SELECT account_id FROM legacy_accounts
                   WHERE legacy_id = $1 AND account_id IS NOT NULL ORDER BY id DESC LIMIT 1";
    let old = "SELECT id FROM legacy_accounts
               WHERE legacy_id = $1 AND migrated_at IS NULL ORDER BY id DESC LIMIT 1";
    let account = tx.value(account, params![legacy_id]).await?;
    Ok((account, tx.value(old, params![legacy_id]).await?))
}

/// Returns the id that the older system gave an account or a legacy account.
pub(crate) async fn find_legacy_id(tx: &mut Tx, id: Uuid) -> Result<Option<String>> {
    let sql = "SELECT legacy_id FROM legacy_accounts WHERE id = $1 OR account_id = $1";
    Ok(tx.value(sql, params![id]).await?.flatten())
}

pub(crate) async fn created_at(tx: &mut Tx, account: Uuid) -> Result<Option<i64>> {
    let sql = "SELECT created_at FROM accounts WHERE id = $1";
    tx.value(sql, params![account]).await
}

row! {
    /// The bounce of a mail to an email address.
    pub(crate) struct Bounce {
        /// The time of the bounce, in milliseconds since 1970 UTC.
        pub at: i64 = "bounced_at",
        /// The enhanced status code (RFC 3463), such as 5.1.1.
        pub status: Option<String> = "bounce_status",
    }
}

/// Returns the last bounce of the email address of an account.
pub(crate) async fn find_bounce(tx: &mut Tx, account: Uuid) -> Result<Option<Bounce>> {
    let sql = "FROM accounts WHERE id = $1 AND bounced_at IS NOT NULL";
    Bounce::select_one(tx, sql, params![account]).await
}

/// Returns the last bounce of the email address of a legacy account. The row of a legacy account has no status code.
pub(crate) async fn find_legacy_bounce(tx: &mut Tx, old: Uuid) -> Result<Option<Bounce>> {
    let sql = "SELECT bounced_at FROM legacy_accounts WHERE id = $1 AND bounced_at IS NOT NULL";
    let at = tx.value(sql, params![old]).await?;
    Ok(at.map(|at| Bounce { at, status: None }))
}

/// Returns the time of the last use of a device or session of the account, in milliseconds since 1970 UTC.
pub(crate) async fn find_last_seen(tx: &mut Tx, account: Uuid) -> Result<Option<i64>> {
    let mut latest: Option<i64> = None;
    for sql in [
        "SELECT MAX(last_used_at) FROM devices WHERE account_id = $1",
        "SELECT MAX(last_used_at) FROM sessions WHERE account_id = $1",
    ] {
        latest = latest.max(tx.value(sql, params![account]).await?.flatten());
    }
    Ok(latest)
}
