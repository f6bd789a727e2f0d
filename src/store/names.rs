//! Names, which are unique in the whole database: the email addresses and usernames of accounts, and reserved
//! usernames. The table is distributed by lookup key, so that a cluster finds each name on one of its servers.

use uuid::Uuid;

use super::name_hasher::NameHasher;
use crate::db::row::{param_by_name, row, statements};
use crate::db::{Constraint, Result, StoreError, Tx};
use crate::domain::secret::{SecretHash, hexadecimal};
use crate::named_enum::named_enum;
use crate::params;

named_enum! {
    pub(crate) enum NameKind(
        /// The unique constraint that is violated if another account has the name.
        constraint: &'static str
    ) {
        Email = "email", "names_email";
        Username = "username", "names_username";
        /// A username that a registration in profile `strict` reserves, whatever the outcome of the registration.
        ReservedUsername = "reserved_username", "names_reserved_username";
        /// The hexadecimal keyed hash of a username that an account has let go. `account_id` is the account that may
        /// take the username back, or NULL if the account was deleted.
        HeldUsername = "held_username", "names_held_username";
        /// The hexadecimal keyed hash of a former email address of a legacy account and of the legacy account's id.
        FormerEmail = "former_email", "names_former_email";
    }
}

param_by_name!(NameKind);

impl NameKind {
    fn violation(self) -> StoreError {
        StoreError::UniqueViolation(Constraint::named(self.constraint()))
    }
}

row! {
    /// The email address and the username of an account, as lookup keys.
    pub(crate) struct AccountNames {
        pub account: Uuid = "id",
        pub email_key: String,
        pub username_key: String,
    }
}

impl AccountNames {
    /// Releases the names of a deleted account.
    pub(super) async fn release(&self, tx: &mut Tx) -> Result<()> {
        let sql = "DELETE FROM names WHERE key IN ($1, $2) AND account_id = $3";
        let values = params![&self.email_key, &self.username_key, self.account];
        tx.run(sql, values).await
    }

    /// Adds both names of a new account. Returns `StoreError::UniqueViolation` if another account has one of the names.
    pub(super) async fn claim(&self, tx: &mut Tx) -> Result<()> {
        let sql = "INSERT INTO names (key, kind, account_id)
                   VALUES ($1, 'email', $2), ($3, 'username', $2)
                   ON CONFLICT (key, kind) DO NOTHING RETURNING kind";
        let values = params![&self.email_key, self.account, &self.username_key];
        let claimed: Vec<String> = tx.all(sql, values).await?;
        let kinds = [NameKind::Email, NameKind::Username].into_iter();
        match kinds
            .into_iter()
            .find(|kind| claimed.iter().all(|claimed| claimed != kind.as_str()))
        {
            Some(taken) => Err(taken.violation()),
            None => Ok(()),
        }
    }
}

statements! {
    /// Returns the account with this name.
    fn find(kind: NameKind, key: &str) -> Option<Uuid> =
        "SELECT account_id FROM names WHERE kind = $1 AND key = $2 AND account_id IS NOT NULL";

    /// Records a former email address of a legacy account until `until`, in place of another legacy account's record.
    fn add_former_email(hash: &SecretHash, legacy_account: Uuid, until: i64) =
        "INSERT INTO names (key, kind, account_id, until) VALUES ($1, 'former_email', $2, $3)
         ON CONFLICT (key, kind) DO UPDATE SET account_id = excluded.account_id, until = excluded.until",
        [&hexadecimal(hash), legacy_account, until];

    /// Returns the legacy account that had the email address with this hash.
    fn find_former_email(hash: &SecretHash, now: i64) -> Option<Uuid> =
        "SELECT account_id FROM names
         WHERE key = $1 AND kind = 'former_email' AND until > $2 AND account_id IS NOT NULL",
        [&hexadecimal(hash), now];
}

/// Replaces the email address of the account in `names`. The caller changes the row in `accounts` afterwards, because
/// it still contains the old key. Returns `StoreError::UniqueViolation` if another account has the email address.
pub(super) async fn replace_email(tx: &mut Tx, account: Uuid, new_email_key: &str) -> Result<()> {
    let sql = "SELECT email_key FROM accounts WHERE id = $1";
    let old_key: String = tx.first(sql, params![account]).await?.unwrap_or_default();
    replace(tx, NameKind::Email, account, [&old_key, new_email_key]).await
}

/// Replaces the username of the account, which lets go of the old one. Returns `StoreError::UniqueViolation` if another
/// account has the new username.
pub(super) async fn replace_username(
    tx: &mut Tx,
    account: Uuid,
    [old_key, new_key]: [&str; 2],
    hold: &UsernameHold<'_>,
) -> Result<()> {
    if old_key == new_key {
        return Ok(());
    }
    replace(tx, NameKind::Username, account, [old_key, new_key]).await?;
    let sql = "DELETE FROM names WHERE key = $1 AND kind = 'held_username' AND account_id = $2";
    let held = held_key(hold.hasher, new_key);
    tx.execute(sql, params![&held, account]).await?;
    let_username_go(tx, old_key, Some(account), hold).await
}

/// Replaces a name of the account. Returns `StoreError::UniqueViolation` if another account has the new name.
async fn replace(
    tx: &mut Tx,
    kind: NameKind,
    account: Uuid,
    [old_key, new_key]: [&str; 2],
) -> Result<()> {
    if old_key == new_key {
        return Ok(());
    }
    let sql = "DELETE FROM names WHERE key = $1 AND kind = $2 AND account_id = $3";
    tx.execute(sql, params![old_key, kind, account]).await?;
    let sql = "INSERT INTO names (key, kind, account_id) VALUES ($1, $2, $3)
               ON CONFLICT (key, kind) DO NOTHING";
    match tx.execute(sql, params![new_key, kind, account]).await? {
        0 => Err(kind.violation()),
        _ => Ok(()),
    }
}

/// Returns whether the username is taken for `own`, which is an account or a legacy account: by another account, by a
/// reservation, by an account that has let it go and for which it is held, or by an unmigrated legacy account.
pub(crate) async fn is_username_taken(
    tx: &mut Tx,
    hasher: &NameHasher,
    key: &str,
    own: Option<Uuid>,
    now: i64,
) -> Result<bool> {
    let sql = "SELECT 1 FROM names WHERE key IN ($1, $2)
                 AND (kind IN ('username', 'reserved_username')
                   OR (kind = 'held_username' AND until > $3 AND (account_id IS NULL OR account_id <> $4)))";
    let (held, own) = (held_key(hasher, key), own.unwrap_or_default());
    if tx.row(sql, params![key, &held, now, own]).await?.is_some() {
        return Ok(true);
    }
    // `legacy_accounts` has its own query, because for a query of two tables Citus would copy rows between servers.
    let sql = "SELECT 1 FROM legacy_accounts
                 WHERE username_key = $1 AND migrated_at IS NULL AND id <> $2";
    let found = tx.row(sql, params![key, own]).await?;
    Ok(found.is_some())
}

/// The reservation of a username by a browser.
pub(crate) struct Reservation<'a> {
    pub key: &'a str,
    /// The hash of the browser's device cookie.
    pub device: &'a SecretHash,
    /// The lifetime of unverified accounts, in milliseconds.
    pub lifetime: i64,
}

impl Reservation<'_> {
    /// Returns the end of a reservation, which lasts longer than an unverified account, because an earlier end would
    /// reveal whether the email address of the registration was taken.
    fn end(&self, made_at: i64) -> i64 {
        made_at.saturating_add(self.lifetime).saturating_add(1)
    }

    /// Makes the reservation, in one statement. Returns false if another registration has reserved the username.
    pub(crate) async fn make(&self, tx: &mut Tx, now: i64) -> Result<bool> {
        let sql = "INSERT INTO names (key, kind, device_hash, until) VALUES ($1, 'reserved_username', $2, $3)
                   ON CONFLICT (key, kind) DO NOTHING";
        let values = params![self.key, self.device, self.end(now)];
        Ok(tx.execute(sql, values).await? == 1)
    }

    /// Ends the reservation if it was made after `made_after`.
    pub(crate) async fn release(&self, tx: &mut Tx, made_after: i64) -> Result<()> {
        let sql = "DELETE FROM names WHERE key = $1 AND kind = 'reserved_username'
                     AND device_hash = $2 AND until > $3";
        let values = params![self.key, self.device, self.end(made_after)];
        tx.run(sql, values).await
    }
}

/// How long a username is held that an account lets go.
pub(crate) struct UsernameHold<'a> {
    pub hasher: &'a NameHasher,
    /// The end of the hold, in milliseconds since 1970 UTC, or `None` if nobody has seen the name, because the account
    /// was never verified.
    pub until: Option<i64>,
}

/// Lets go of a username that no account has any more, and removes its reservation. Other people may know the account
/// by the name, so for a while only `owner` can take it, which is `None` if the account was deleted.
pub(super) async fn let_username_go(
    tx: &mut Tx,
    key: &str,
    owner: Option<Uuid>,
    hold: &UsernameHold<'_>,
) -> Result<()> {
    let sql = "DELETE FROM names WHERE key = $1 AND kind = 'reserved_username'";
    tx.execute(sql, params![key]).await?;
    let Some(until) = hold.until else {
        return Ok(());
    };
    let sql = "INSERT INTO names (key, kind, account_id, until) VALUES ($1, 'held_username', $2, $3)
               ON CONFLICT (key, kind) DO UPDATE SET account_id = excluded.account_id, until = excluded.until";
    tx.run(sql, params![&held_key(hold.hasher, key), owner, until])
        .await
}

fn held_key(hasher: &NameHasher, key: &str) -> String {
    hexadecimal(&hasher.hash(key))
}
