//! Lookups for support: accounts by exact username or email address, and the time of the last use.

use uuid::Uuid;

use super::names::{self, NameKind};
use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::params;

/// Returns the ids of the account and of the unmigrated legacy account with a username.
pub(crate) async fn find_by_username(
    tx: &mut Tx,
    key: &str,
) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let old = "SELECT id FROM legacy_accounts WHERE username_key = $1 AND migrated_at IS NULL";
    let account = names::find(tx, NameKind::Username, key).await?;
    Ok((account, tx.first(old, params![key]).await?))
}

/// Returns the ids of the account and of the unmigrated legacy account with an email address.
pub(crate) async fn find_by_email(tx: &mut Tx, key: &str) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let old = "SELECT id FROM legacy_accounts WHERE email_key = $1 AND migrated_at IS NULL";
    let account = names::find(tx, NameKind::Email, key).await?;
    Ok((account, tx.first(old, params![key]).await?))
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
    let account = tx.first(account, params![legacy_id]).await?;
    Ok((account, tx.first(old, params![legacy_id]).await?))
}

statements! {
    /// Returns the id that the older system gave an account or a legacy account.
    fn find_legacy_id(id: Uuid) -> Option<String> =
        "SELECT legacy_id FROM legacy_accounts WHERE (id = $1 OR account_id = $1) AND legacy_id IS NOT NULL";

    fn created_at(account: Uuid) -> Option<i64> = "SELECT created_at FROM accounts WHERE id = $1";
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

statements! {
    /// Returns the last bounce of the email address of an account.
    fn find_bounce(account: Uuid) -> Option<Bounce> =
        "FROM accounts WHERE id = $1 AND bounced_at IS NOT NULL";
}

/// Returns the last bounce of the email address of a legacy account. The row of a legacy account has no status code.
pub(crate) async fn find_legacy_bounce(tx: &mut Tx, old: Uuid) -> Result<Option<Bounce>> {
    let sql = "SELECT bounced_at FROM legacy_accounts WHERE id = $1 AND bounced_at IS NOT NULL";
    let at = tx.first(sql, params![old]).await?;
    Ok(at.map(|at| Bounce { at, status: None }))
}

/// Returns the time of the last use of a device or session of the account, in milliseconds since 1970 UTC.
pub(crate) async fn find_last_seen(tx: &mut Tx, account: Uuid) -> Result<Option<i64>> {
    let mut latest: Option<i64> = None;
    for sql in [
        "SELECT MAX(last_used_at) FROM devices WHERE account_id = $1",
        "SELECT MAX(last_used_at) FROM sessions WHERE account_id = $1",
    ] {
        latest = latest.max(tx.first(sql, params![account]).await?.flatten());
    }
    Ok(latest)
}
