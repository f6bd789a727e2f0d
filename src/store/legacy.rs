//! Legacy accounts, which were imported from the older system for their owners to migrate.

use serde::Serialize;
use uuid::Uuid;

use super::tokens::Purpose;
use super::{sent_mails, verified_emails};
use crate::clock::serialize_time;
use crate::db::row::{row, statements};
use crate::db::{Connection, Result, Tx};
use crate::domain::email::{Email, lookup_key};
use crate::params;

row! {
    #[derive(Debug, Clone, Serialize)]
    pub(crate) struct LegacyAccount {
        pub id: Uuid,
        pub email: String,
        pub username: Option<String>,
        #[serde(skip)]
        pub password_hash: Option<String>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub country: Option<String>,
        pub birthday_day: Option<i64>,
        pub birthday_month: Option<i64>,
        pub birthday_year: Option<i64>,
        pub zipcode: Option<String>,
        pub marketing_consent: Option<bool>,
        pub language: Option<String>,
    }
}

impl LegacyAccount {
    /// Returns the birthday as YYYY-MM-DD, or `None` if the day, month or year is unknown.
    pub(crate) fn birthday(&self) -> Option<String> {
        let (day, month, year) = (
            self.birthday_day?, self.birthday_month?, self.birthday_year?,
        );
        Some(format!("{year:04}-{month:02}-{day:02}"))
    }
}

row! {
    /// The columns of a legacy account that only the data export needs. Times are milliseconds since 1970 UTC.
    #[derive(Serialize)]
    pub(crate) struct LegacyRecord {
        pub legacy_id: Option<String>,
        #[serde(serialize_with = "serialize_time")]
        pub created_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub imported_at: i64,
        #[serde(serialize_with = "serialize_time")]
        pub invited_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub opened_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub refused_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub bounced_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub unsubscribed_at: Option<i64>,
    }
}

statements! {
    /// Returns the record of a legacy account, migrated or not.
    fn find_record(id: Uuid) -> Option<LegacyRecord> = "FROM legacy_accounts WHERE id = $1";
}

row! {
    /// The data that remains of a legacy account after its migration. Times are milliseconds since 1970 UTC.
    #[derive(Serialize)]
    pub(crate) struct MigratedRecord {
        pub id: Uuid,
        pub legacy_id: Option<String>,
        pub email: String,
        #[serde(serialize_with = "serialize_time")]
        pub imported_at: i64,
        #[serde(serialize_with = "serialize_time")]
        pub invited_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub opened_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub migrated_at: Option<i64>,
    }
}

statements! {
    /// Returns the legacy account that became this account.
    fn find_by_account(account: Uuid) -> Option<MigratedRecord> =
        "FROM legacy_accounts WHERE account_id = $1";

    /// Returns the account that a legacy account became, or `None` if it has not migrated.
    fn find_account(id: Uuid) -> Option<Uuid> =
        "SELECT account_id FROM legacy_accounts WHERE id = $1 AND account_id IS NOT NULL";
}

/// Returns whether a verified account, or a legacy account other than `own`, migrated or not, has the email address.
pub(crate) async fn is_email_taken(tx: &mut Tx, email_key: &str, own: Uuid) -> Result<bool> {
    let sql = "SELECT 1 FROM legacy_accounts WHERE email_key = $1 AND id <> $2";
    Ok(verified_emails::is_verified(tx, email_key).await?
        || tx.row(sql, params![email_key, own]).await?.is_some())
}

statements! {
    /// Sets a new email address, and removes the bounce mark, which concerns the old email address.
    fn set_email(id: Uuid, email: &Email) =
        "UPDATE legacy_accounts SET email = $1, email_key = $2, bounced_at = NULL WHERE id = $3",
        [email.as_entered(), email.key(), id];

    /// Returns the unmigrated legacy account with this email address.
    fn unmigrated_by_email(key: &str) -> Option<LegacyAccount> =
        "FROM legacy_accounts WHERE email_key = $1 AND migrated_at IS NULL";

    /// Reads an unmigrated legacy account without a lock.
    fn find_unmigrated(id: Uuid) -> Option<LegacyAccount> =
        "FROM legacy_accounts WHERE id = $1 AND migrated_at IS NULL";

    /// Reads an unmigrated legacy account with a row lock, which lasts until the transaction ends.
    fn lock(id: Uuid) -> Option<LegacyAccount> =
        "FROM legacy_accounts WHERE id = $1 AND migrated_at IS NULL FOR UPDATE";

    /// Marks the legacy account as migrated and removes its personal data, which the new account has now. The row keeps
    /// the email address, by which a repeated import finds the row; the legacy id and the account id, for data that is
    /// migrated later; and the times that `legacy status` counts.
    // The hash of the imported row is removed too, because it would confirm guesses of the personal data.
    fn mark_migrated(id: Uuid, account: Uuid, now: i64) =
        "UPDATE legacy_accounts SET migrated_at = $1, account_id = $2, row_hash = $3,
         username = NULL, username_key = NULL, password_hash = NULL, first_name = NULL,
         last_name = NULL, country = NULL, birthday_day = NULL, birthday_month = NULL,
         birthday_year = NULL, zipcode = NULL, marketing_consent = NULL, language = NULL,
         created_at = NULL
         WHERE id = $4", [now, account, &[][..], id];

    /// Records the earliest time that the person opened or requested the migration link.
    fn mark_invitation_opened(id: Uuid, now: i64) =
        "UPDATE legacy_accounts SET opened_at = $1 WHERE id = $2 AND opened_at IS NULL", [now, id];

    /// Records that the person is too young. The legacy account stays, so that the person can migrate it when old
    /// enough.
    fn mark_refused(id: Uuid, now: i64) =
        "UPDATE legacy_accounts SET refused_at = $1 WHERE id = $2 AND migrated_at IS NULL", [now, id];

    fn mark_unsubscribed(id: Uuid, now: i64) =
        "UPDATE legacy_accounts SET unsubscribed_at = $1
         WHERE id = $2 AND unsubscribed_at IS NULL", [now, id];

    /// Records that the mailbox does not exist, so that no further invitation is sent.
    fn mark_bounced(id: Uuid, now: i64) =
        "UPDATE legacy_accounts SET bounced_at = $1 WHERE id = $2 AND bounced_at IS NULL", [now, id];

    /// Removes the mark that `mark_bounced` set, so that the account is invited again. Returns false if there is no
    /// mark.
    fn clear_bounced(email_key: &str) -> bool =
        "UPDATE legacy_accounts SET bounced_at = NULL
         WHERE email_key = $1 AND bounced_at IS NOT NULL";

    /// Locks and returns at most `limit` unmigrated accounts with ids after `after`, imported before `imported_before`.
    fn list_unmigrated(after: Uuid, imported_before: i64, limit: usize) -> Vec<Uuid> =
        "SELECT id FROM legacy_accounts WHERE id > $1 AND migrated_at IS NULL AND imported_at < $2
         ORDER BY id LIMIT $3 FOR UPDATE", [after, imported_before, limit as i64];
}

/// Removes the queued mails of a legacy account and invalidates the links in sent mails. The queued mails are removed
/// before the tokens, because the mail worker locks a mail while it adds the link token.
pub(crate) async fn end_mails(tx: &mut Tx, id: Uuid) -> Result<()> {
    for sql in [
        "DELETE FROM outbox WHERE subject_id = $1",
        "DELETE FROM tokens WHERE subject_id = $1",
    ] {
        tx.execute(sql, params![id]).await?;
    }
    Ok(())
}

/// Moves the queued mails and the undo links of the legacy account to the account that it became, because the deletion
/// of an account looks for the undo links by the id of the account. Mails are moved first, as in [`end_mails`].
pub(crate) async fn move_undo_links(tx: &mut Tx, account: Uuid) -> Result<()> {
    let Some(old) = find_by_account(tx, account).await? else {
        return Ok(());
    };
    let sql = "UPDATE outbox SET subject_id = $1 WHERE subject_id = $2";
    tx.run(sql, params![account, old.id]).await?;
    let sql = "UPDATE tokens SET subject_id = $1 WHERE subject_id = $2 AND purpose = $3";
    tx.run(sql, params![account, old.id, Purpose::EmailUndo.as_str()])
        .await
}

/// Removes a legacy account, with its mails and mailed links.
pub(crate) async fn remove(tx: &mut Tx, id: Uuid) -> Result<()> {
    sent_mails::remove_all(tx, id).await?;
    end_mails(tx, id).await?;
    for sql in [
        "DELETE FROM kept_mail WHERE subject_id = $1",
        "DELETE FROM legacy_accounts WHERE id = $1",
    ] {
        tx.execute(sql, params![id]).await?;
    }
    Ok(())
}

statements! {
    /// Returns the last id of the slice of `accounts` legacy accounts that follows the id `after`, or `None` if fewer
    /// accounts follow. Jobs over all legacy accounts read slices, so that no statement reads a million rows.
    fn find_last_id_of_slice(after: Uuid, accounts: i64) -> Option<Uuid> =
        "SELECT id FROM legacy_accounts WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2", [after, accounts - 1];
}

/// The maximum number of rows that one search for legacy accounts to invite reads.
const ROWS_PER_INVITATION_SEARCH: i64 = 20_000;

/// Returns at most `limit` legacy accounts whose ids follow `after` and that may be invited, and the value of `after`
/// for the next search, or `None` if no account is left. With `lock_rows` PostgreSQL locks the accounts and skips
/// accounts that another transaction has locked.
pub(crate) async fn list_invitable(
    tx: &mut Tx,
    after: Uuid,
    limit: usize,
    lock_rows: bool,
) -> Result<(Vec<LegacyAccount>, Option<Uuid>)> {
    let end = find_last_id_of_slice(tx, after, ROWS_PER_INVITATION_SEARCH).await?;
    let lock = match &mut tx.connection {
        Connection::Postgres(_) if lock_rows => " FOR UPDATE SKIP LOCKED",
        Connection::Postgres(_) | Connection::Sqlite(_) => "",
    };
    let sql = format!(
        "FROM legacy_accounts
         WHERE id > $1 AND id <= $2 AND invited_at IS NULL AND migrated_at IS NULL
           AND refused_at IS NULL AND bounced_at IS NULL AND unsubscribed_at IS NULL
         ORDER BY id LIMIT $3{lock}"
    );
    let last = end.unwrap_or(Uuid::max());
    let mut found: Vec<LegacyAccount> = tx.all(&sql, params![after, last, limit as i64]).await?;
    let next = match found.last() {
        Some(last) if found.len() == limit => Some(last.id),
        _ => end,
    };
    // A person who already has an account with this verified email address needs no invitation.
    let keys: Vec<String> = found.iter().map(|old| lookup_key(&old.email)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let verified = verified_emails::list_verified(tx, &keys).await?;
    found.retain(|old| !verified.contains(&lookup_key(&old.email)));
    Ok((found, next))
}

statements! {
    fn mark_invited(id: Uuid, now: i64) =
        "UPDATE legacy_accounts SET invited_at = $1 WHERE id = $2", [now, id];

    /// Removes the mark of an invitation that was not sent, so that the next `legacy invite` invites the account again.
    fn unmark_invited(id: Uuid) =
        "UPDATE legacy_accounts SET invited_at = NULL
         WHERE id = $1 AND migrated_at IS NULL AND bounced_at IS NULL";
}
