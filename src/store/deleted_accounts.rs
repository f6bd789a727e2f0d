//! Deleted accounts: removes their data and keeps a reservation of their username.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use uuid::Uuid;

use super::accounts::{self, Account};
use super::legacy;
use super::names;
use super::{secrets, sent_mails, sign_in_challenges};
use crate::db::{Result, Tx};
use crate::domain::email::lookup_key;
use crate::domain::username::Username;
use crate::params;
use crate::rng::Rng;

/// Makes keyed hashes of the usernames of deleted accounts, which stay reserved for a while, and of former email
/// addresses. The tables of both therefore reveal no username and no email address.
#[derive(Clone)]
pub struct UsernameHasher {
    key: Vec<u8>,
}

impl UsernameHasher {
    /// Reads the key of this installation, and creates it first if there is none.
    pub(crate) async fn load(tx: &mut Tx, rng: &Rng) -> Result<UsernameHasher> {
        let key = secrets::get_or_create(tx, "usernames", rng).await?;
        Ok(UsernameHasher { key })
    }

    /// Returns the HMAC-SHA-256 of the lookup key of a username, which has no @, or of an email address.
    pub(crate) fn hash(&self, key: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(key.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

pub(crate) struct UsernameReservation<'a> {
    pub hasher: &'a UsernameHasher,
    pub now: i64,
    /// The end of the username's reservation, in milliseconds since 1970 UTC, or 0 if the username is not reserved.
    pub held_until: i64,
}

/// Removes the account with all its data, keeps the account id and the time, and holds the username. The caller
/// has locked the account.
pub(crate) async fn remove(
    tx: &mut Tx,
    account: &Account,
    reservation: &UsernameReservation<'_>,
) -> Result<()> {
    let id = account.id;
    // The mail queue is emptied first: the worker locks a mail while it makes a link token, so no token is made later.
    let sql = "DELETE FROM outbox WHERE subject_id = $1 OR recipient = $2";
    tx.execute(sql, params![id, &account.email]).await?;
    let sql = "DELETE FROM kept_mail WHERE subject_id = $1 OR recipient = $2";
    tx.execute(sql, params![id, &account.email]).await?;
    tx.execute("DELETE FROM tokens WHERE subject_id = $1", params![id])
        .await?;
    sign_in_challenges::end_all(tx, id).await?;
    sent_mails::remove_all(tx, id).await?;
    remove_older_account(tx, id, &lookup_key(&account.email)).await?;
    let username = Username::parse(&account.username).map(|name| name.key());
    let username_key = username.unwrap_or_else(|_| account.username.to_lowercase());
    // The rows of the remaining tables refer to the account and are deleted by cascade.
    accounts::delete_where(tx, "id = $1", params![id]).await?;
    names::hold_username(
        tx, reservation.hasher, &username_key, reservation.held_until,
    )
    .await?;
    let sql = "INSERT INTO deleted_accounts (id, deleted_at) VALUES ($1, $2)";
    tx.run(sql, params![id, reservation.now]).await
}

/// Removes the legacy account that became this account, with its mails and mailed links.
async fn remove_older_account(tx: &mut Tx, account: Uuid, email_key: &str) -> Result<()> {
    let sql = "SELECT id FROM legacy_accounts WHERE account_id = $1 OR email_key = $2";
    for row in tx.rows(sql, params![account, email_key]).await? {
        legacy::remove(tx, row.get(0)).await?;
    }
    Ok(())
}

/// Returns whether any account was ever deleted.
pub(crate) async fn has_any(tx: &mut Tx) -> Result<bool> {
    let sql = "SELECT 1 FROM deleted_accounts LIMIT 1";
    Ok(tx.row(sql, &[]).await?.is_some())
}
