//! The outbox queues mails (this file) and HTTP requests (`requests.rs`). `rows.rs` has the queries of both queues. If
//! no SMTP server is configured, mails are captured: stored in a table for reading.

use serde::Serialize;
use uuid::Uuid;

pub(crate) mod requests;
mod rows;

pub(crate) use rows::{DelayCause, OutboxTable, WaitingRows, delay, make_due, remove};

use crate::clock::serialize_time;
use crate::db::row::{column_through, row, statements};
use crate::db::{Result, Tx};
use crate::i18n::Language;
use crate::params;

row! {
    /// A queued mail. `details` is JSON with the mail's data except the link.
    #[derive(Debug, Clone)]
    pub struct QueuedMail {
        pub id: Uuid,
        pub kind: String,
        pub subject_id: Uuid,
        pub recipient: String,
        pub language: Language,
        pub region: String,
        pub details: String,
        /// The number of the reported change. `device_hash` is the base64 hash of the cookie of the device to approve.
        pub change_number: i64 = "COALESCE(change_number, created_at)",
        pub device_hash: Option<String>,
        /// The time when the mail was queued, or the later time at which it is scheduled to be sent.
        pub created_at: i64,
        pub priority: Priority,
        /// The number of attempts in which the mail server refused this mail.
        pub attempts: i64,
        /// The time since which the mail server fails for every mail, in milliseconds since 1970 UTC.
        pub deferred_since: Option<i64>,
    }
}

/// The order in which mails are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// The recipient waits for the mail.
    Awaited = 0,
    Notice = 1,
    /// The mail is one of thousands of equal mails, such as invitations.
    Bulk = 2,
}

impl Priority {
    fn from_number(number: i64) -> Priority {
        match number {
            0 => Priority::Awaited,
            1 => Priority::Notice,
            _ => Priority::Bulk,
        }
    }
}

column_through!(Priority = i64, Priority::from_number);

statements! {
    fn insert(mail: &QueuedMail) =
        "INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, change_number,
         device_hash, created_at, due_at, attempts, priority)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12)",
        [mail.id, &mail.kind, mail.subject_id, &mail.recipient, mail.language.code(), &mail.region,
         &mail.details, mail.change_number, mail.device_hash.as_deref(), mail.created_at,
         mail.created_at, mail.priority as i64];
}

/// Claims due mails for one worker, highest priority first and no priority below `lowest`. Another worker can claim the
/// mails only after `claimed_until`, in case this worker has crashed.
pub async fn claim(
    tx: &mut Tx,
    now: i64,
    claimed_until: i64,
    limit: i64,
    lowest: Priority,
) -> Result<Vec<QueuedMail>> {
    let due = "SELECT id FROM outbox WHERE due_at <= $1 AND priority <= $2 AND failed_at IS NULL
               ORDER BY priority, due_at LIMIT $3";
    let sql = tx.update_unlocked("outbox", due, "due_at = $4");
    let values = params![now, lowest as i64, limit, claimed_until];
    let mut mails: Vec<QueuedMail> = tx.all(&sql, values).await?;
    // RETURNING guarantees no order.
    mails.sort_unstable_by_key(|mail| (mail.priority, mail.created_at));
    Ok(mails)
}

/// The numbers of queued mails and the time of the oldest mail. `given_up` counts the mails that are no longer retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailQueueDepth {
    pub waiting: i64,
    /// The time of the oldest queued mail, in milliseconds since 1970 UTC.
    pub oldest: Option<i64>,
    /// The number of queued mails except bulk mails that were queued before `late_before`.
    pub late: i64,
    /// The number of queued mails that are delayed by a failure of the mail server.
    pub deferred: i64,
    pub given_up: i64,
}

/// Returns the depth of the queue. Mails that are scheduled for later do not count.
pub async fn queue_depth(tx: &mut Tx, late_before: i64, now: i64) -> Result<MailQueueDepth> {
    let sql = "SELECT COUNT(*), MIN(created_at), COUNT(deferred_since),
                 COUNT(CASE WHEN created_at < $1 AND priority < $2 THEN 1 END)
               FROM outbox WHERE failed_at IS NULL AND created_at <= $3";
    let bulk = Priority::Bulk as i64;
    let row = tx.row(sql, params![late_before, bulk, now]).await?;
    let row = row.expect("a count is one row");
    let (waiting, oldest, deferred, late) = (row.get(0), row.get(1), row.get(2), row.get(3));
    let sql = "SELECT COUNT(*) FROM outbox WHERE failed_at IS NOT NULL";
    let given_up = tx.number(sql, &[]).await?;
    Ok(MailQueueDepth {
        waiting,
        oldest,
        late,
        deferred,
        given_up,
    })
}

row! {
    /// The number of mails whose last attempt failed for the same reason.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FailureCount {
        pub reason: String = "last_error",
        pub waiting: i64 = "COUNT(*) - COUNT(failed_at)",
        pub given_up: i64 = "COUNT(failed_at)",
    }
}

statements! {
    /// Returns the numbers of mails that wait or were given up after a failed attempt, by the reason of the failure. A
    /// reason contains no email address, so there are only few different reasons.
    fn list_failures() -> Vec<FailureCount> =
        "FROM outbox WHERE last_error IS NOT NULL GROUP BY last_error";
}

/// Returns whether the mail's account or legacy account exists. Locks the account against deletion.
pub async fn lock_account_of_mail(tx: &mut Tx, subject: Uuid) -> Result<bool> {
    Ok(lock_account(tx, subject).await? || is_legacy_account(tx, subject).await?)
}

statements! {
    fn lock_account(id: Uuid) -> bool = "SELECT 1 FROM accounts WHERE id = $1 FOR SHARE";

    fn is_legacy_account(id: Uuid) -> bool = "SELECT 1 FROM legacy_accounts WHERE id = $1";

    /// Locks the mail's row. Returns false if the mail is no longer queued, because a newer mail may have replaced it.
    fn lock_queued(id: Uuid) -> bool = "SELECT 1 FROM outbox WHERE id = $1 FOR UPDATE";

    fn is_queued(subject: Uuid, kind: &str) -> bool =
        "SELECT 1 FROM outbox WHERE subject_id = $1 AND kind = $2 AND failed_at IS NULL";
}

row! {
    /// A queued mail, as the data export shows it.
    #[derive(Serialize)]
    pub struct WaitingMail {
        pub kind: String,
        /// The time when the mail was queued, or for which it is scheduled, in milliseconds since 1970 UTC.
        #[serde(rename = "at", serialize_with = "serialize_time")]
        pub created_at: i64,
    }
}

statements! {
    /// Returns the queued mails of an account, oldest first.
    fn list_queued(subject: Uuid) -> Vec<WaitingMail> =
        "FROM outbox WHERE subject_id = $1 ORDER BY created_at";

    /// Removes the queued mails of this kind about the change `from` and later changes, and only those about one device
    /// if `device_hash`, the value in `QueuedMail`, is given.
    fn withdraw(subject: Uuid, kind: &str, from: i64, device_hash: Option<&str>) =
        "DELETE FROM outbox WHERE subject_id = $1 AND kind = $2
         AND COALESCE(change_number, created_at) >= $3 AND ($4 IS NULL OR device_hash = $4)";

    /// Returns the queued mails of an account.
    fn list_of(account: Uuid) -> Vec<QueuedMail> = "FROM outbox WHERE subject_id = $1";

    /// Returns whether a mail about this device is queued. `device_hash` is the value in `QueuedMail`.
    fn is_queued_for_device(account: Uuid, kind: &str, device_hash: &str) -> bool =
        "SELECT 1 FROM outbox WHERE subject_id = $1 AND kind = $2 AND device_hash = $3";

    /// Ends the attempts to send a mail, because the server refused it permanently or too many attempts failed.
    fn give_up(id: Uuid, now: i64, error: &str) =
        "UPDATE outbox SET failed_at = $1, last_error = $2 WHERE id = $3", [now, error, id];
}

row! {
    pub struct RequeuedMail {
        pub kind: String,
        pub subject_id: Uuid,
    }
}

/// Queues at most `limit` mails again that were given up after `since`.
pub async fn requeue_failed(
    tx: &mut Tx,
    since: i64,
    now: i64,
    limit: i64,
) -> Result<Vec<RequeuedMail>> {
    let failed = "SELECT id FROM outbox WHERE failed_at >= $1 ORDER BY failed_at LIMIT $2";
    let reset =
        "failed_at = NULL, last_error = NULL, attempts = 0, deferred_since = NULL, due_at = $3";
    let sql = tx.update_unlocked("outbox", failed, reset);
    tx.all(&sql, params![since, limit, now]).await
}

row! {
    /// A mail that was stored for developers instead of being sent.
    #[derive(Debug, Clone, serde::Serialize)]
    pub struct CapturedMail {
        #[serde(skip)]
        pub id: Uuid,
        /// The account or legacy account of the mail, or `None` if an earlier program version stored the mail.
        #[serde(skip)]
        pub subject_id: Option<Uuid>,
        pub to: String = "recipient",
        pub subject: String,
        pub text: String,
        pub html: String,
        pub created_at: i64,
    }
}

statements! {
    fn store_captured(mail: &CapturedMail) =
        "INSERT INTO kept_mail (id, subject_id, recipient, subject, text, html, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [mail.id, mail.subject_id, &mail.to, &mail.subject, &mail.text, &mail.html, mail.created_at];
}

/// Returns the captured mails, newest first.
pub async fn list_captured(tx: &mut Tx, limit: i64) -> Result<Vec<CapturedMail>> {
    let sql = "FROM kept_mail ORDER BY created_at DESC, id DESC LIMIT $1";
    tx.all(sql, params![limit]).await
}
