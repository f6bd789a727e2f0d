//! Deletes accounts with their data, and holds the usernames of deleted accounts.

use uuid::Uuid;

use super::accounts::{self, Account};
use super::names::{self, UsernameHold};
use super::{legacy, sent_mails, sign_in_challenges};
use crate::db::row::statements;
use crate::db::{Result, Tx};
use crate::domain::email::lookup_key;
use crate::domain::username::Username;
use crate::params;

/// Deletes the account with all its data. The account id and the time of the deletion are kept, and the username stays
/// held. The caller has locked the account's row.
pub(crate) async fn remove(
    tx: &mut Tx,
    account: &Account,
    hold: &UsernameHold<'_>,
    now: i64,
) -> Result<()> {
    let id = account.id;
    // Queued mails are removed before tokens, because the mail worker locks a mail while it adds the link token.
    for sql in [
        "DELETE FROM outbox WHERE subject_id = $1 OR recipient = $2",
        "DELETE FROM kept_mail WHERE subject_id = $1 OR recipient = $2",
    ] {
        tx.run(sql, params![id, &account.email]).await?;
    }
    tx.run("DELETE FROM tokens WHERE subject_id = $1", params![id])
        .await?;
    sign_in_challenges::end_all(tx, id).await?;
    sent_mails::remove_all(tx, id).await?;
    for old in list_older_accounts(tx, id, &lookup_key(&account.email)).await? {
        legacy::remove(tx, old).await?;
    }
    let username = Username::parse(&account.username).map(|name| name.key());
    let username_key = username.unwrap_or_else(|_| account.username.to_lowercase());
    // The rows of the other tables have foreign keys to the account, so the database deletes them by cascade.
    accounts::delete_where(tx, "id = $1", params![id]).await?;
    names::let_username_go(tx, &username_key, None, hold).await?;
    // Usernames that the account had before stay held, but no longer name the account.
    let sql = "UPDATE names SET account_id = NULL WHERE kind = 'held_username' AND account_id = $1";
    tx.execute(sql, params![id]).await?;
    let sql = "INSERT INTO deleted_accounts (id, deleted_at) VALUES ($1, $2)";
    tx.run(sql, params![id, now]).await
}

statements! {
    /// Returns the legacy accounts that became this account or have its email address.
    fn list_older_accounts(account: Uuid, email_key: &str) -> Vec<Uuid> =
        "SELECT id FROM legacy_accounts WHERE account_id = $1 OR email_key = $2";

    /// Returns whether any account was ever deleted.
    fn has_any() -> bool = "SELECT 1 FROM deleted_accounts LIMIT 1";
}
