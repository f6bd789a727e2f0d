//! Changes the email address of an account and records the account's former email addresses.

use uuid::Uuid;

use super::accounts::Account;
use super::name_hasher::NameHasher;
use super::tokens::Token;
use super::{legacy, names};
use crate::clock::DAY;
use crate::db::row::statements;
use crate::db::{Result, Tx};
use crate::domain::email::{self, Email};
use crate::domain::secret::{SecretHash, hexadecimal};
use crate::params;

/// The time for which former email addresses are stored, in milliseconds: the default retention of security events.
pub(crate) const FORMER_EMAIL_RETENTION: i64 = 180 * DAY;

/// An email address that an account may be given, because its mailbox was proved, or because nothing claims a proof. No
/// other code sets the address of an account, so an address is never shown as verified without a proof.
#[derive(Debug, Clone)]
pub(crate) struct ProvedEmail(Email);

impl ProvedEmail {
    /// Returns the recipient of the mail whose link a person has used, or `None` for a token that was not mailed.
    pub(crate) fn of_link(token: &Token) -> Option<ProvedEmail> {
        token
            .email
            .as_deref()
            .map(|email| ProvedEmail(Email::from_stored(email)))
    }

    /// Returns the address that an operator corrects.
    pub(crate) fn by_operator(email: &Email) -> ProvedEmail {
        ProvedEmail(email.clone())
    }

    /// Returns an address without a mailbox, for an account whose own address another account has.
    pub(crate) fn placeholder(id: Uuid) -> ProvedEmail {
        ProvedEmail(Email::placeholder(id))
    }

    pub(crate) fn email(&self) -> &Email {
        &self.0
    }
}

/// How an account leaves its email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Departure {
    /// The owner or an operator has chosen another address.
    Replaced,
    /// An undo link has removed the address, which may be a thief's. Support never gives it back.
    Undone,
}

/// Sets the email address of an account whose row is locked by the change with this number, and records the former
/// address, unless the new address has the same lookup key. Returns `StoreError::UniqueViolation` if another account
/// has the address.
pub(crate) async fn replace(
    tx: &mut Tx,
    hasher: &NameHasher,
    account: &Account,
    new: &ProvedEmail,
    departure: Departure,
    number: i64,
    now: i64,
) -> Result<()> {
    let (key, new) = (email::lookup_key(&account.email), new.email());
    if key != new.key() {
        let is_restorable = account.verified
            && departure == Departure::Replaced
            && !email::is_placeholder(&account.email);
        let restorable = is_restorable.then_some(number);
        record_former(tx, account.id, &hasher.hash(&key), now, restorable).await?;
    }
    names::replace_email(tx, account.id, new.key()).await?;
    let sql =
        "UPDATE accounts SET email = $1, email_key = $2, bounced_at = NULL, bounce_status = NULL,
                 email_change_number = $3
               WHERE id = $4";
    let values = params![new.as_entered(), new.key(), number, account.id];
    tx.run(sql, values).await
}

statements! {
    fn record_former(account: Uuid, hash: &SecretHash, now: i64, number: Option<i64>) =
        "INSERT INTO former_emails (account_id, email_hash, changed_at, change_number)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, email_hash) DO UPDATE
         SET changed_at = excluded.changed_at, change_number = excluded.change_number";

    fn find_replaced_key(old: Uuid, next_key: &str) -> Option<String> =
        "SELECT email_key FROM legacy_accounts WHERE id = $1 AND email_key <> $2";

    /// Returns the number of the last recorded change of the email address of a legacy account.
    fn last_number_of_legacy(old: Uuid) -> Option<i64> =
        "SELECT until - $1 FROM names WHERE kind = 'former_email' AND account_id = $2
         ORDER BY until DESC LIMIT 1", [FORMER_EMAIL_RETENTION, old];
}

/// Records the email address that `next` will replace in a legacy account. The record is in the table `names`, because
/// the rows of `former_emails` refer to accounts. Returns the number of the change: its time, or the number of the last
/// change plus one if that is larger, so that the numbers grow even if the clock was set back.
pub(crate) async fn record_former_of_legacy(
    tx: &mut Tx,
    hasher: &NameHasher,
    id: Uuid,
    next: &Email,
    now: i64,
) -> Result<i64> {
    let last = last_number_of_legacy(tx, id).await?;
    let number = last.map_or(now, |last| now.max(last + 1));
    if let Some(key) = find_replaced_key(tx, id, next.key()).await? {
        let until = number.saturating_add(FORMER_EMAIL_RETENTION);
        names::add_former_email(tx, &hasher.hash(&key), id, until).await?;
    }
    Ok(number)
}

/// An email address that an account had and had proved.
pub(crate) struct FormerEmail {
    pub mailbox: ProvedEmail,
    /// The number of the change by which the account left the address.
    pub change_number: i64,
}

impl FormerEmail {
    fn new(email: &Email, change_number: i64) -> FormerEmail {
        FormerEmail {
            mailbox: ProvedEmail(email.clone()),
            change_number,
        }
    }
}

/// Returns the address if the account had it and had proved it within [`FORMER_EMAIL_RETENTION`], also before its
/// migration, and no undo has removed it.
pub(crate) async fn of_former(
    tx: &mut Tx,
    hasher: &NameHasher,
    account: Uuid,
    email: &Email,
    now: i64,
) -> Result<Option<FormerEmail>> {
    let hash = hasher.hash(email.key());
    let sql = "SELECT change_number FROM former_emails
               WHERE account_id = $1 AND email_hash = $2 AND changed_at > $3";
    let since = now.saturating_sub(FORMER_EMAIL_RETENTION);
    let found: Option<Option<i64>> = tx.first(sql, params![account, &hash, since]).await?;
    if let Some(number) = found {
        return Ok(number.map(|number| FormerEmail::new(email, number)));
    }
    match legacy::find_by_account(tx, account).await? {
        Some(old) => of_former_of_legacy(tx, hasher, old.id, email, now).await,
        None => Ok(None),
    }
}

/// Returns the address if a legacy account was imported with it. Later addresses were set by an operator, and count as
/// proved only after the migration.
pub(crate) async fn of_former_of_legacy(
    tx: &mut Tx,
    hasher: &NameHasher,
    old: Uuid,
    email: &Email,
    now: i64,
) -> Result<Option<FormerEmail>> {
    let hash = hexadecimal(&hasher.hash(email.key()));
    let first = first_former_email(tx, old, now).await?;
    let first = first.filter(|(key, _)| *key == hash);
    Ok(first.map(|(_, number)| FormerEmail::new(email, number)))
}

statements! {
    /// Returns the hash of the legacy account's earliest former email address, and the number of the change from it.
    fn first_former_email(old: Uuid, now: i64) -> Option<(String, i64)> =
        "SELECT key, until - $1 FROM names WHERE kind = 'former_email' AND account_id = $2 AND until > $3
         ORDER BY until LIMIT 1", [FORMER_EMAIL_RETENTION, old, now];

    /// Forgets that the account had proved the addresses that it left by the change with this number or later, because
    /// the change is undone.
    fn forget_departures_since(account: Uuid, number: i64) =
        "UPDATE former_emails SET change_number = NULL
         WHERE account_id = $1 AND change_number >= $2";
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
    let account = tx.first(sql, params![&hash, since]).await?;
    let old = names::find_former_email(tx, &hash, now).await?;
    match (account, old) {
        (None, Some(id)) => Ok((legacy::find_account(tx, id).await?, old)),
        _ => Ok((account, old)),
    }
}
