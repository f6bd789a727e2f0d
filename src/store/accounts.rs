//! Accounts and their earlier passwords.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use jiff::civil::Date;
use serde::Serialize;
use uuid::Uuid;

use super::consents;
use super::names::{self, AccountNames, NameKind};
use crate::clock::{DAY, serialize_time};
use crate::db::row::{column_through, row, statements};
use crate::db::{Connection, Param, Result, Tx};
use crate::domain::consent::MarketingConsent;
use crate::domain::email::Email;
use crate::domain::secret::SecretHash;
use crate::domain::username::Username;
use crate::i18n::Language;
use crate::params;
use crate::rng::Rng;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Account {
        pub id: Uuid,
        pub email: String,
        pub username: String,
        pub password_hash: String,
        pub language: Language,
        pub region: String,
        pub verified: bool = "email_verified_at IS NOT NULL",
        pub signed_in_before: bool = "first_sign_in_at IS NOT NULL",
        pub is_disabled: bool = "disabled_at IS NOT NULL",
        /// The time of the requested deletion, in milliseconds since 1970 UTC, or `None` if no deletion was requested.
        pub deletion_due_at: Option<i64> = "(SELECT due_at FROM pending_acts
            WHERE account_id = accounts.id AND act = 'deletion')",
        /// The time of the deletion for inactivity, which a sign-in cancels, in milliseconds since 1970 UTC, or `None`
        /// if the account is not inactive.
        pub inactive_due_at: Option<i64> = "(SELECT due_at FROM pending_acts
            WHERE account_id = accounts.id AND act = 'inactivity')",
    }
}

row! {
    /// The personal data of an account. Times are milliseconds since 1970 UTC.
    #[derive(Clone, Serialize)]
    pub(crate) struct PersonalDetails {
        pub email: String,
        pub username: String,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        /// The birthday as YYYY-MM-DD.
        pub birthday: String,
        pub country: String,
        pub zipcode: String,
        pub language: String,
        pub region: String,
        pub marketing_consent: bool,
        #[serde(serialize_with = "serialize_time")]
        pub created_at: i64,
        #[serde(serialize_with = "serialize_time")]
        pub email_verified_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub first_sign_in_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub password_changed_at: i64,
    }
}

impl Account {
    /// Returns whether the deletion of the account is due, on request or for inactivity.
    pub(crate) fn is_deletion_due(&self, now: i64) -> bool {
        let due = [self.deletion_due_at, self.inactive_due_at];
        due.iter().flatten().any(|due_at| *due_at <= now)
    }
}

pub(crate) struct NewAccount<'a> {
    pub id: Uuid,
    pub email: &'a Email,
    pub username: &'a Username,
    pub password_hash: &'a str,
    pub language: Language,
    pub region: &'a str,
    pub country: &'a str,
    pub zipcode: &'a str,
    pub birthday: Date,
    pub first_name: Option<&'a str>,
    pub last_name: Option<&'a str>,
    pub marketing_consent: MarketingConsent,
    /// The time of the verification of the email address, or `None` if the address is not verified yet.
    pub verified_at: Option<i64>,
    pub now: i64,
}

// During a rolling upgrade a later program version may have stored a language that this version does not know.
column_through!(Language = String, |code| Language::from_code(&code)
    .unwrap_or(Language::En));

/// Looks up the nil id for an unknown email address, so that the response time does not reveal that it is unknown.
pub(crate) async fn find_by_email(tx: &mut Tx, key: &str) -> Result<Option<Account>> {
    let found = names::find(tx, NameKind::Email, key).await?;
    let id = found.unwrap_or_default();
    tx.first("FROM accounts WHERE id = $1", params![id]).await
}

/// Reads the account with a row lock, which lasts until the transaction ends. Every decision that depends on the
/// account uses this lock, so that no parallel transaction changes its password, devices or email address.
pub(crate) async fn lock(tx: &mut Tx, id: Uuid) -> Result<Option<Account>> {
    lock_row(tx, id).await?;
    tx.first("FROM accounts WHERE id = $1", params![id]).await
}

/// Locks the row of an account, which a later statement reads. PostgreSQL reads other tables as they were before the
/// wait for the lock, so one statement for both could miss an act that another transaction has just stored in
/// `pending_acts`.
pub(super) async fn lock_row(tx: &mut Tx, id: Uuid) -> Result<()> {
    match tx.connection {
        // A write transaction of SQLite is alone.
        Connection::Sqlite(_) => Ok(()),
        Connection::Postgres(_) => {
            tx.run(
                "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE",
                params![id],
            )
            .await
        }
    }
}

/// Adds an account and the record of its earliest consent.
pub(crate) async fn insert(tx: &mut Tx, new: &NewAccount<'_>) -> Result<()> {
    let birthday = new.birthday.to_string();
    let names = AccountNames {
        account: new.id,
        email_key: new.email.key().to_owned(),
        username_key: new.username.key(),
    };
    names.claim(tx).await?;
    tx.execute(
        "INSERT INTO accounts (id, email, email_key, username, username_key, password_hash,
           password_changed_at, language, region, country, zipcode, birthday, first_name, last_name,
           marketing_consent, marketing_consent_at, email_verified_at, created_at, change_number)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
        params![
            new.id,
            new.email.as_entered(),
            &names.email_key,
            new.username.as_str(),
            &names.username_key,
            new.password_hash,
            new.now,
            new.language.code(),
            new.region,
            new.country,
            new.zipcode,
            &birthday,
            new.first_name,
            new.last_name,
            new.marketing_consent.is_given,
            new.now,
            new.verified_at,
            new.now,
            new.now,
        ],
    )
    .await?;
    // The earliest consent record has the id of the account.
    consents::insert(tx, new.id, new.id, &new.marketing_consent, new.now).await
}

statements! {
    fn personal_details(id: Uuid) -> Option<PersonalDetails> = "FROM accounts WHERE id = $1";

    /// Returns whether the account has consented to marketing mails, or `None` if there is no such account.
    fn marketing_consent(id: Uuid) -> Option<bool> = "SELECT marketing_consent FROM accounts WHERE id = $1";

    fn set_marketing_consent(id: Uuid, is_given: bool, now: i64) =
        "UPDATE accounts SET marketing_consent = $1, marketing_consent_at = $2 WHERE id = $3",
        [is_given, now, id];

    fn mark_verified(id: Uuid, now: i64) =
        "UPDATE accounts SET email_verified_at = $1 WHERE id = $2 AND email_verified_at IS NULL", [now, id];

    /// Records a sign-in, at most once a day, so that most sign-ins do not write the row.
    fn mark_signed_in(id: Uuid, now: i64) =
        "UPDATE accounts SET first_sign_in_at = COALESCE(first_sign_in_at, $1), last_sign_in_at = $1
         WHERE id = $2 AND (first_sign_in_at IS NULL OR last_sign_in_at IS NULL OR last_sign_in_at < $3)",
        [now, id, now.saturating_sub(DAY)];
}

/// Removes the unverified account with this email address, which has just been verified for another account. Returns
/// the id of the removed account.
pub(crate) async fn delete_unverified(tx: &mut Tx, email_key: &str) -> Result<Option<Uuid>> {
    let Some(id) = names::find(tx, NameKind::Email, email_key).await? else {
        return Ok(None);
    };
    let condition = "id = $1 AND email_verified_at IS NULL";
    Ok(delete_where(tx, condition, params![id]).await?.pop())
}

/// Selects the unverified accounts that a new registration from the same browser replaces.
pub(crate) struct RegistrationCorrection<'a> {
    /// The hash of the browser's device cookie. Only unverified accounts of this browser are replaced.
    pub device: &'a SecretHash,
    /// Accounts with this username are replaced, except the account whose email address is `kept_email_key`.
    pub username_key: &'a str,
    pub kept_email_key: &'a str,
    /// Accounts with these email addresses are replaced.
    pub email_keys: [&'a str; 2],
    /// The time after which an account must have been created to be replaced, in milliseconds since 1970 UTC.
    pub made_after: i64,
}

/// Removes the unverified accounts that a new registration replaces, except disabled accounts. Returns the removed ids.
pub(crate) async fn delete_corrected(
    tx: &mut Tx,
    correction: &RegistrationCorrection<'_>,
) -> Result<Vec<Uuid>> {
    let [email_key, earlier_email_key] = correction.email_keys;
    let sql =
        "SELECT account_id FROM names WHERE key IN ($1, $2, $3) AND kind IN ('email', 'username')";
    // An empty key matches no row. The username replaces it, because Citus would also query the shard of the empty key.
    let or_username = |key| match key {
        "" => correction.username_key,
        key => key,
    };
    let values = params![
        correction.username_key,
        or_username(email_key),
        or_username(earlier_email_key)
    ];
    let found: Vec<Uuid> = tx.all(sql, values).await?;
    let mut deleted = Vec::new();
    for id in found {
        let condition = "id = $1
            AND ((username_key = $2 AND email_key <> $3) OR email_key = $4 OR email_key = $5)
            AND email_verified_at IS NULL AND disabled_at IS NULL AND created_at > $6
            AND EXISTS (SELECT 1 FROM devices WHERE devices.account_id = $1 AND devices.cookie_hash = $7)";
        let values = params![
            id, correction.username_key, correction.kept_email_key, email_key, earlier_email_key,
            correction.made_after, correction.device
        ];
        deleted.extend(delete_where(tx, condition, values).await?);
    }
    Ok(deleted)
}

/// Deletes the accounts that meet a condition, and releases their email addresses and usernames. Returns the ids.
pub(super) async fn delete_where(
    tx: &mut Tx,
    condition: &str,
    params: &[Param<'_>],
) -> Result<Vec<Uuid>> {
    let sql = format!("DELETE FROM accounts WHERE {condition} RETURNING");
    let deleted: Vec<AccountNames> = tx.all(&sql, params).await?;
    for names in &deleted {
        names.release(tx).await?;
    }
    Ok(deleted.iter().map(|names| names.account).collect())
}

/// Records that a mail to this email address bounced. Returns false if no account has the address.
pub(crate) async fn mark_bounced(
    tx: &mut Tx,
    email_key: &str,
    status: &str,
    now: i64,
) -> Result<bool> {
    let Some(id) = names::find(tx, NameKind::Email, email_key).await? else {
        return Ok(false);
    };
    let sql = "UPDATE accounts SET bounced_at = COALESCE(bounced_at, $1), bounce_status = $2
               WHERE id = $3";
    Ok(tx.execute(sql, params![now, status, id]).await? > 0)
}

/// Removes the mark that `mark_bounced` set. Returns false if no account with this email address has the mark.
pub(crate) async fn clear_bounced(tx: &mut Tx, email_key: &str) -> Result<bool> {
    let Some(id) = names::find(tx, NameKind::Email, email_key).await? else {
        return Ok(false);
    };
    let sql = "UPDATE accounts SET bounced_at = NULL, bounce_status = NULL
               WHERE id = $1 AND bounced_at IS NOT NULL";
    Ok(tx.execute(sql, params![id]).await? > 0)
}

statements! {
    /// Returns the number of accounts whose mails bounce.
    fn count_bounced() -> i64 = "SELECT COUNT(*) FROM accounts WHERE bounced_at IS NOT NULL";

    /// Replaces the hash `old` by a hash of the same password with other parameters, unless the password has changed
    /// meanwhile. The password history stays unchanged.
    fn replace_password_hash(id: Uuid, old: &str, new: &str) =
        "UPDATE accounts SET password_hash = $1 WHERE id = $2 AND password_hash = $3", [new, id, old];
}

/// Sets a new password, with the number of this change as its time. The replaced hash moves to the password history,
/// which keeps the newest `keep` hashes.
pub(crate) async fn set_password(
    tx: &mut Tx,
    account: &Account,
    hash: &str,
    keep: u32,
    number: i64,
) -> Result<()> {
    tx.execute(
        "INSERT INTO password_history (account_id, password_hash, replaced_at) VALUES ($1, $2, $3)",
        params![account.id, &account.password_hash, number],
    )
    .await?;
    tx.execute(
        "UPDATE accounts SET password_hash = $1, password_changed_at = $2 WHERE id = $3",
        params![hash, number, account.id],
    )
    .await?;
    tx.run(
        "DELETE FROM password_history WHERE account_id = $1 AND password_hash NOT IN
           (SELECT password_hash FROM password_history WHERE account_id = $1
            ORDER BY replaced_at DESC LIMIT $2)",
        params![account.id, i64::from(keep)],
    )
    .await
}

statements! {
    /// Returns the number of the last password change; the first password has the time of the registration.
    fn password_changed_at(id: Uuid) -> Option<i64> = "SELECT password_changed_at FROM accounts WHERE id = $1";
}

/// Replaces the password hash with random bytes, so that no password matches. A check takes as long as for any hash.
pub(crate) async fn disable_password(tx: &mut Tx, account: &Account, rng: &Rng) -> Result<()> {
    let kept = account.password_hash.rsplit_once('$');
    let kept = kept.map_or("", |(parameters, _)| parameters);
    let unusable_hash = STANDARD_NO_PAD.encode(rng.bytes::<32>());
    let sql = "UPDATE accounts SET password_hash = $1 WHERE id = $2";
    tx.run(sql, params![&format!("{kept}${unusable_hash}"), account.id])
        .await
}

statements! {
    /// Returns at most `limit` earlier password hashes of the account, newest first.
    fn password_history(id: Uuid, limit: u32) -> Vec<String> =
        "SELECT password_hash FROM password_history WHERE account_id = $1
         ORDER BY replaced_at DESC LIMIT $2", [id, i64::from(limit)];
}

/// Removes at most `limit` unverified accounts that were created before `made_before`. Returns the removed ids.
pub(crate) async fn delete_long_unverified(
    tx: &mut Tx,
    made_before: i64,
    limit: i64,
) -> Result<Vec<Uuid>> {
    // The outer condition keeps an account that is verified while the DELETE waits for its row. After the wait,
    // PostgreSQL checks the outer condition again, but not the subquery.
    let condition = "email_verified_at IS NULL AND id IN (SELECT id FROM accounts
        WHERE email_verified_at IS NULL AND created_at < $1 ORDER BY created_at LIMIT $2)";
    delete_where(tx, condition, params![made_before, limit]).await
}
