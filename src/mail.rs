//! A mail is queued in the transaction of the change that it reports. A worker renders and sends the mail later.
//!
//! The queue contains no link token, so a copy of the database gives access to no account. The worker makes the token
//! when it sends the mail, in a transaction that checks that the mail is still queued. The lifetime of a link begins
//! with the sending. Retries of one mail share their Message-ID, and the links of all retries work.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod address;
pub(crate) mod bounces;
pub(crate) mod compose;
mod headers;
pub(crate) mod links;
mod mails;
pub(crate) mod probe;
mod row;
pub(crate) mod template;

pub(crate) use compose::{encode_hash, sample};
pub use mails::MailKind;
use row::Audience;
pub(crate) use template::{date_in_words, time_in_words};

use links::Ending;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::account_detail::AccountDetail;
use crate::domain::email;
use crate::domain::way_in_change::WayInChange;
use crate::i18n::Language;
use crate::store::accounts::Account;
use crate::store::legacy::{self, LegacyAccount};
use crate::store::outbox;

#[derive(Clone)]
pub(crate) struct OutgoingMail<'a> {
    pub kind: MailKind,
    /// The account or legacy account that the mail is about.
    pub subject_id: Uuid,
    pub recipient: &'a str,
    pub language: Language,
    pub region: &'a str,
    pub details: MailDetails,
}

/// The details of a mail, except its link. The details are stored as JSON and contain no secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MailDetails {
    /// The new email address of the account, which the mail shows masked.
    pub new_email: Option<String>,
    /// The display name of the browser, such as "Firefox · Windows".
    pub device: Option<String>,
    /// The SHA-256 of the device cookie that requested an approval, in base64.
    pub device_hash: Option<String>,
    /// The time of the reported event, in milliseconds since 1970 UTC.
    pub at: Option<i64>,
    /// The number of the change that the mail reports and its link undoes (`Change::next_number`).
    pub change_number: Option<i64>,
    /// The number of unused recovery codes.
    pub codes_left: Option<i64>,
    /// The time at which the announced change takes effect, in milliseconds since 1970 UTC.
    pub effective_at: Option<i64>,
    /// The lifetime of the link in milliseconds, if it differs from the lifetime of the purpose.
    pub link_lifetime: Option<i64>,
    pub changed: Vec<AccountDetail>,
    /// The reported change of a way to sign in.
    pub way_in_change: Option<WayInChange>,
    /// The time at which the link expires if that is earlier than its lifetime, in milliseconds since 1970 UTC.
    pub link_until: Option<i64>,
}

impl<'a> OutgoingMail<'a> {
    pub(crate) fn to(account: &'a Account, kind: MailKind) -> OutgoingMail<'a> {
        OutgoingMail {
            kind,
            subject_id: account.id,
            recipient: &account.email,
            language: account.language,
            region: &account.region,
            details: MailDetails::default(),
        }
    }

    /// Returns a mail to the owner of a legacy account, which has no region of its own.
    pub(crate) fn to_legacy(
        old: &'a LegacyAccount,
        kind: MailKind,
        language: Language,
        region: &'a str,
    ) -> OutgoingMail<'a> {
        OutgoingMail {
            kind,
            subject_id: old.id,
            recipient: &old.email,
            language,
            region,
            details: MailDetails::default(),
        }
    }

    pub(crate) fn at(mut self, now: i64) -> OutgoingMail<'a> {
        self.details.at = Some(now);
        self
    }
}

/// Queues a mail in the caller's transaction. A newer mail with a link replaces older mails of its kind, because unsent
/// mails are withdrawn, and the links of sent mails become invalid. Approval mails replace only approval mails of the
/// same device, and undo mails replace no mail. If the mailbox has used up its rate limit (`limits.mail_*`), or the
/// account has no email address, the function queues nothing and returns no error.
pub(crate) async fn queue(app: &App, tx: &mut Tx, outgoing: OutgoingMail<'_>) -> Result<()> {
    if let Audience::AccountAndHolders(way_in_change) = outgoing.kind.audience() {
        tell_holders(app, tx, &outgoing, way_in_change).await?;
    }
    schedule(app, tx, outgoing, app.clock.millis()).await
}

/// Tells each former mailbox with an undo link that a way to sign in to the account was changed. The link in this mail
/// expires together with the mailbox's other links, so that changes never prolong the power of a former mailbox.
async fn tell_holders(
    app: &App,
    tx: &mut Tx,
    notice: &OutgoingMail<'_>,
    way_in_change: WayInChange,
) -> Result<()> {
    // Undo links that were mailed before a migration belong to the id of the legacy account.
    legacy::move_undo_links(tx, notice.subject_id).await?;
    for holder in links::holders(app, tx, notice.subject_id, notice.recipient).await? {
        let outgoing = OutgoingMail {
            kind: MailKind::WayInChangedOfFormerAddress,
            recipient: &holder.mailbox,
            details: MailDetails {
                at: notice.details.at,
                change_number: Some(holder.change_number),
                way_in_change: Some(way_in_change),
                link_until: Some(holder.until),
                ..MailDetails::default()
            },
            ..notice.clone()
        };
        schedule(app, tx, outgoing, app.clock.millis()).await?;
    }
    Ok(())
}

/// Queues the first mail to a new account without a search for earlier links, for which Citus would read every shard.
pub(crate) async fn queue_first(app: &App, tx: &mut Tx, outgoing: OutgoingMail<'_>) -> Result<()> {
    match may_be_queued(app, tx, &outgoing).await? {
        true => insert(app, tx, outgoing, app.clock.millis()).await,
        false => Ok(()),
    }
}

/// Queues a mail for `send_at` (milliseconds since 1970 UTC), unless [`links::end`] or [`links::withdraw`] removes it.
pub(crate) async fn schedule(
    app: &App,
    tx: &mut Tx,
    outgoing: OutgoingMail<'_>,
    send_at: i64,
) -> Result<()> {
    if !may_be_queued(app, tx, &outgoing).await? {
        return Ok(());
    }
    let device = outgoing.details.device_hash.as_deref();
    let device = device.and_then(compose::decode_hash);
    let replaced = Ending::Replaced(outgoing.kind, device.as_ref());
    links::end(tx, outgoing.subject_id, replaced).await?;
    insert(app, tx, outgoing, send_at).await
}

/// Returns whether the recipient has an email address whose rate limit is not used up.
async fn may_be_queued(app: &App, tx: &mut Tx, outgoing: &OutgoingMail<'_>) -> Result<bool> {
    if email::is_placeholder(outgoing.recipient) {
        return Ok(false);
    }
    let Some(budget) = outgoing.kind.budget() else {
        return Ok(true);
    };
    let key = email::lookup_key(outgoing.recipient);
    let tried = [budget.mail_to(&key)];
    app.rate_limiter
        .count_within_limits(tx, &tried, app.clock.millis())
        .await
}

async fn insert(app: &App, tx: &mut Tx, outgoing: OutgoingMail<'_>, send_at: i64) -> Result<()> {
    let now = app.clock.millis();
    let mail = outbox::QueuedMail {
        id: app.rng.id(now),
        kind: outgoing.kind.as_str().to_owned(),
        subject_id: outgoing.subject_id,
        recipient: outgoing.recipient.to_owned(),
        language: outgoing.language,
        region: outgoing.region.to_owned(),
        change_number: outgoing.details.change_number.unwrap_or(now),
        device_hash: outgoing.details.device_hash.clone(),
        details: serde_json::to_string(&outgoing.details).expect("plain data"),
        created_at: send_at,
        priority: outgoing.kind.priority(),
        attempts: 0,
        deferred_since: None,
    };
    let wakeup = app.mailer.wakeup.clone();
    tx.on_commit(move || wakeup.send_replace(()));
    outbox::insert(tx, &mail).await
}
