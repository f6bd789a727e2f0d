//! Mail: queued in the transaction of the change that it reports, rendered and sent by a worker.
//!
//! The queue holds no token, so a copy of the database opens no account. The worker makes the token
//! when it sends, in a transaction that checks that the mail is still queued; so the lifetime of a link
//! begins when it is sent. Retries of one mail share their Message-ID, and the links of all of them
//! work.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod compose;
mod headers;
mod mails;
pub(crate) mod retry;
mod row;
pub(crate) mod template;
pub(crate) mod worker;

pub(crate) use compose::{encode_hash, sample};
pub use mails::Kind;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::email::Email;
use crate::i18n::Language;
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::tokens::Purpose;
use crate::store::{outbox, tokens};

/// One mail to be queued.
pub(crate) struct OutgoingMail<'a> {
    pub kind: Kind,
    /// The account (or legacy account) that the link belongs to.
    pub subject_id: Uuid,
    pub recipient: &'a str,
    pub language: Language,
    pub region: &'a str,
    pub details: MailDetails,
}

/// The data of a mail besides its link. Stored as JSON; contains no secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MailDetails {
    /// The new address of the account. Shown masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_email: Option<String>,
    /// The browser as text, such as "Firefox · Windows".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// SHA-256 of the device cookie that requested an approval, base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_hash: Option<String>,
    /// The time of the event, milliseconds since 1970 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The number of the address change that the mail reports, see `accounts::change_email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_number: Option<i64>,
}

impl<'a> OutgoingMail<'a> {
    pub(crate) fn to(account: &'a Account, kind: Kind) -> OutgoingMail<'a> {
        OutgoingMail {
            kind,
            subject_id: account.id,
            recipient: &account.email,
            language: account.language,
            region: &account.region,
            details: MailDetails::default(),
        }
    }

    pub(crate) fn at(mut self, now: i64) -> OutgoingMail<'a> {
        self.details.at = Some(now);
        self
    }
}

/// Queues a mail inside the caller's transaction. A newer mail with a link replaces older ones of its
/// kind: unsent ones are withdrawn, and the links of sent ones end. Approval mails replace those of the
/// same device only, and undo mails replace none. A mailbox that has used up its budget
/// (`limits.mail_*`) gets no mail, without an error.
pub(crate) async fn queue(app: &App, tx: &mut Tx, outgoing: OutgoingMail<'_>) -> Result<()> {
    let now = app.clock.millis();
    let key = match Email::parse(outgoing.recipient) {
        Ok(email) => email.key().to_owned(),
        Err(_) => outgoing.recipient.to_owned(),
    };
    if let Some(budget) = outgoing.kind.budget() {
        let tried = [LimitedAction::MailTo(budget, &key)];
        if !app.rate_limiter.allows(tx, &tried, now).await? {
            return Ok(());
        }
    }
    match &outgoing.details.device_hash {
        Some(device) if outgoing.kind == Kind::ApproveDevice => {
            end_approvals_of(tx, outgoing.subject_id, device).await?;
        }
        // A second address change must not end the link that undoes the first one.
        _ if outgoing.kind == Kind::EmailChanged => {}
        _ => end_link(tx, outgoing.subject_id, outgoing.kind).await?,
    }
    let mail = outbox::Queued {
        id: app.rng.id(now),
        kind: outgoing.kind.as_str().to_owned(),
        subject_id: outgoing.subject_id,
        recipient: outgoing.recipient.to_owned(),
        language: outgoing.language,
        region: outgoing.region.to_owned(),
        change_number: outgoing.details.change_number,
        device_hash: outgoing.details.device_hash.clone(),
        details: serde_json::to_string(&outgoing.details).expect("plain data"),
        created_at: now,
        priority: outgoing.kind.priority(),
        attempts: 0,
        deferred_since: None,
    };
    wake_worker_on_commit(app, tx);
    outbox::insert(tx, &mail).await
}

/// Wakes the worker once the transaction that queued a mail has been committed.
fn wake_worker_on_commit(app: &App, tx: &mut Tx) {
    let wakeup = app.mailer.wakeup.clone();
    tx.on_commit(move || wakeup.notify_one());
}

/// Ends all links of an account and withdraws the queued mails that would carry one, after a change of
/// its password or address or the refusal of a device. Only links that undo an address change stay:
/// they end by use, by expiry, and by an undo of the same or an earlier change.
pub(crate) async fn end_links(tx: &mut Tx, account: Uuid) -> Result<()> {
    for kind in Kind::ALL {
        if *kind != Kind::EmailChanged {
            end_link(tx, account, *kind).await?;
        }
    }
    tokens::end(tx, account, Purpose::DeviceChoice).await
}

/// Ends the links of one kind of mail. The queue comes first: the worker locks the mail's row while it
/// makes the token, so after this statement the token exists and can be ended.
pub(crate) async fn end_link(tx: &mut Tx, subject: Uuid, kind: Kind) -> Result<()> {
    if let Some(purpose) = kind.purpose() {
        outbox::take_back(tx, subject, kind.as_str()).await?;
        tokens::end(tx, subject, purpose).await?;
    }
    Ok(())
}

/// Ends the links and queued mails that would approve one device; `device` as in [`MailDetails`].
pub(crate) async fn end_approvals_of(tx: &mut Tx, account: Uuid, device: &str) -> Result<()> {
    outbox::take_back_of_device(tx, account, Kind::ApproveDevice.as_str(), device).await?;
    match compose::decode_hash(device) {
        Some(hash) => tokens::end_approvals_of(tx, account, &hash).await,
        None => Ok(()),
    }
}

/// Ends the undo links of this address change and of later ones, sent or queued, because the change has
/// been undone.
pub(crate) async fn end_undo_links_from(
    tx: &mut Tx,
    account: Uuid,
    change_number: i64,
) -> Result<()> {
    let kind = Kind::EmailChanged.as_str();
    outbox::take_back_changes_from(tx, account, kind, change_number).await?;
    tokens::end_undo_links_from(tx, account, change_number).await
}
