//! Changes the email address of an account and records the account's former email addresses.

use uuid::Uuid;

use super::accounts::Account;
use super::deleted_accounts::NameHasher;
use super::{legacy, names};
use crate::clock::DAY;
use crate::db::{Result, StoreError, Tx};
use crate::domain::email::{self, Email};
use crate::params;

/// The time for which former email addresses are stored, in milliseconds: the default retention of security events.
pub(crate) const FORMER_EMAIL_RETENTION: i64 = 180 * DAY;

/// The time of an email change, and the hasher of former email addresses.
pub(crate) struct EmailChange<'a> {
    pub hasher: &'a NameHasher,
    pub now: i64,
}

impl EmailChange<'_> {
    /// Changes the email address of the account, whose row the caller has locked. Returns the change number: `number`,
    /// or the number of the last email change plus one if that is larger, so that numbers increase even if the clock
    /// was set back. Returns `StoreError::UniqueViolation` if another account has the email address.
    pub(crate) async fn apply(
        &self,
        tx: &mut Tx,
        account: &Account,
        new: &Email,
        number: i64,
    ) -> Result<i64> {
        self.replace_name(tx, account, new).await?;
        let sql = "UPDATE accounts SET email = $1, email_key = $2, bounced_at = NULL, bounce_status = NULL,
                     email_change_number =
                     CASE WHEN email_change_number >= $3 THEN email_change_number + 1 ELSE $3 END
                   WHERE id = $4 RETURNING email_change_number";
        let values = params![new.as_entered(), new.key(), number, account.id];
        let number = tx.value(sql, values).await?;
        number.ok_or_else(|| StoreError::Other("the account of a change is gone".into()))
    }

    /// Restores an earlier email address and leaves `email_change_number` unchanged. Returns
    /// `StoreError::UniqueViolation` if another account has the email address.
    pub(crate) async fn restore(&self, tx: &mut Tx, account: &Account, old: &Email) -> Result<()> {
        self.replace_name(tx, account, old).await?;
        let sql = "UPDATE accounts SET email = $1, email_key = $2, bounced_at = NULL, bounce_status = NULL,
                     details_changed_at = $3
                   WHERE id = $4";
        let values = params![old.as_entered(), old.key(), self.now, account.id];
        tx.run(sql, values).await
    }

    /// Replaces the email address in the table `names`, and records the former email address.
    async fn replace_name(&self, tx: &mut Tx, account: &Account, next: &Email) -> Result<()> {
        self.record_former(tx, account, next).await?;
        names::replace_email(tx, account.id, next.key()).await
    }

    /// Records the email address that `next` will replace in a legacy account. The record is in the table `names`,
    /// because the rows of `former_emails` refer to accounts.
    pub(crate) async fn record_former_of_legacy(
        &self,
        tx: &mut Tx,
        id: Uuid,
        next: &Email,
    ) -> Result<()> {
        let sql = "SELECT email_key FROM legacy_accounts WHERE id = $1 AND email_key <> $2";
        let former: Option<String> = tx.value(sql, params![id, next.key()]).await?;
        let Some(key) = former else { return Ok(()) };
        let until = self.now.saturating_add(FORMER_EMAIL_RETENTION);
        names::add_former_email(tx, &self.hasher.hash(&key), id, until).await
    }

    /// Records the account's email address as a former one, unless `next` has the same lookup key.
    async fn record_former(&self, tx: &mut Tx, account: &Account, next: &Email) -> Result<()> {
        let key = email::lookup_key(&account.email);
        if key == next.key() {
            return Ok(());
        }
        let sql = "INSERT INTO former_emails (account_id, email_hash, changed_at) VALUES ($1, $2, $3)
                   ON CONFLICT (account_id, email_hash) DO UPDATE SET changed_at = excluded.changed_at";
        tx.run(sql, params![account.id, &self.hasher.hash(&key), self.now])
            .await
    }
}

/// Returns the ids of the account and of the legacy account that last changed from this email address, within
/// [`FORMER_EMAIL_RETENTION`]. If there is only a legacy account, returns also the account that it became.
pub(crate) async fn find_former(
    tx: &mut Tx,
    hasher: &NameHasher,
    email_key: &str,
    now: i64,
) -> Result<(Option<Uuid>, Option<Uuid>)> {
    let sql = "SELECT account_id FROM former_emails WHERE email_hash = $1 AND changed_at > $2
               ORDER BY changed_at DESC LIMIT 1";
    let since = now.saturating_sub(FORMER_EMAIL_RETENTION);
    let hash = hasher.hash(email_key);
    let account = tx.value(sql, params![&hash, since]).await?;
    let old = names::find_former_email(tx, &hash, now).await?;
    match (account, old) {
        (None, Some(id)) => Ok((legacy::find_account(tx, id).await?, old)),
        _ => Ok((account, old)),
    }
}
