//! A mail is queued in the transaction of the change that it reports. A worker renders and sends the mail later.
//!
//! The queue contains no link token, so a copy of the database gives access to no account. The worker makes the token
//! when it sends the mail, in a transaction that checks that the mail is still queued. The lifetime of a link begins
//! with the sending. Retries of one mail share their Message-ID, and the links of all retries work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod address;
pub(crate) mod bounces;
pub(crate) mod compose;
mod headers;
mod mails;
pub(crate) mod probe;
mod row;
pub(crate) mod template;

pub(crate) use compose::{encode_hash, sample, time_in_words};
pub use mails::MailKind;
pub(crate) use template::date_in_words;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::account_detail::AccountDetail;
use crate::domain::email;
use crate::i18n::Language;
use crate::store::accounts::Account;
use crate::store::legacy::LegacyAccount;
use crate::store::tokens::Purpose;
use crate::store::{outbox, sign_in_challenges, tokens};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_email: Option<String>,
    /// The display name of the browser, such as "Firefox · Windows".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The SHA-256 of the device cookie that requested an approval, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_hash: Option<String>,
    /// The time of the reported event, in milliseconds since 1970 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The number of the change that the mail reports and its link undoes; see `account_emails::EmailChange` and
    /// `credentials::next_change_number`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_number: Option<i64>,
    /// The number of unused recovery codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codes_left: Option<i64>,
    /// The time at which the announced change takes effect, in milliseconds since 1970 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<AccountDetail>,
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
    schedule(app, tx, outgoing, app.clock.millis()).await
}

/// Queues the first mail to a new account without a search for earlier links, for which Citus would read every shard.
pub(crate) async fn queue_first(app: &App, tx: &mut Tx, outgoing: OutgoingMail<'_>) -> Result<()> {
    match may_be_queued(app, tx, &outgoing).await? {
        true => insert(app, tx, outgoing, app.clock.millis()).await,
        false => Ok(()),
    }
}

/// Queues a mail for `send_at` (milliseconds since 1970 UTC), unless [`withdraw`] or [`invalidate_link`] removes it.
pub(crate) async fn schedule(
    app: &App,
    tx: &mut Tx,
    outgoing: OutgoingMail<'_>,
    send_at: i64,
) -> Result<()> {
    if !may_be_queued(app, tx, &outgoing).await? {
        return Ok(());
    }
    match &outgoing.details.device_hash {
        Some(device) if outgoing.kind == MailKind::ApproveDevice => {
            end_approval_links(tx, outgoing.subject_id, device).await?;
        }
        // A later change must not invalidate the link that undoes an earlier change.
        _ if outgoing.kind.has_undo_link() => {}
        _ => invalidate_link(tx, outgoing.subject_id, outgoing.kind).await?,
    }
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
    let mail = outbox::QueuedMail {
        id: app.rng.id(app.clock.millis()),
        kind: outgoing.kind.as_str().to_owned(),
        subject_id: outgoing.subject_id,
        recipient: outgoing.recipient.to_owned(),
        language: outgoing.language,
        region: outgoing.region.to_owned(),
        change_number: outgoing.details.change_number,
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

/// Invalidates all mailed links of an account and withdraws the queued mails with such links, after a change of its
/// password or email address or the refusal of a device. Three kinds of links are kept. Links that undo a change
/// become invalid by use, by expiry, and by an undo of the same or an earlier change. The link that resets a lost
/// second factor becomes invalid with that reset. Links that cancel a deletion become invalid with that deletion.
pub(crate) async fn invalidate_links(tx: &mut Tx, account: Uuid) -> Result<()> {
    for kind in MailKind::ALL {
        let is_way_back = kind.purpose() == Some(Purpose::AccountRestore);
        if !kind.has_undo_link() && !is_way_back && *kind != MailKind::SecondFactorResetReady {
            invalidate_link(tx, account, *kind).await?;
        }
    }
    sign_in_challenges::end_all(tx, account).await?;
    tokens::invalidate_unredeemed(tx, account, Purpose::DeviceChoice).await
}

/// Invalidates the tokens that cancel an account's deletion, also those in API responses, and withdraws their mails.
pub(crate) async fn end_recovery_links(tx: &mut Tx, account: Uuid) -> Result<()> {
    for kind in MailKind::ALL {
        if kind.purpose() == Some(Purpose::AccountRestore) {
            invalidate_link(tx, account, *kind).await?;
        }
    }
    Ok(())
}

/// A mailbox that has received or will receive an undo link.
pub(crate) struct UndoMailbox {
    pub address: String,
    /// The number of the earliest change that the undo link in the mail can undo.
    pub change_number: i64,
}

/// Returns the mailboxes with a valid undo link of the account, except the mailbox of its current email address.
pub(crate) async fn list_undo_mailboxes(
    tx: &mut Tx,
    account: &Account,
    now: i64,
) -> Result<Vec<UndoMailbox>> {
    let mut links = tokens::list_undo_recipients(tx, account.id, now).await?;
    for kind in MailKind::ALL.iter().filter(|kind| kind.has_undo_link()) {
        links.extend(outbox::list_recipients(tx, account.id, kind.as_str()).await?);
    }
    let own = email::lookup_key(&account.email);
    let mut mailboxes = BTreeMap::new();
    // The latest change comes first, so that an earlier change of the same mailbox overwrites it in the map.
    links.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    for (address, change_number) in links {
        let key = email::lookup_key(&address);
        if key != own {
            let mailbox = UndoMailbox {
                address,
                change_number,
            };
            mailboxes.insert(key, mailbox);
        }
    }
    Ok(mailboxes.into_values().collect())
}

/// Withdraws the queued mails of one kind. The links of sent mails stay valid.
pub(crate) async fn withdraw(tx: &mut Tx, subject: Uuid, kind: MailKind) -> Result<()> {
    outbox::withdraw(tx, subject, kind.as_str()).await
}

/// Invalidates the links of one kind of mail. The worker locks the mail's row while it makes the link token. The
/// queue is cleared before the tokens are deleted, so that no token is made afterwards.
pub(crate) async fn invalidate_link(tx: &mut Tx, subject: Uuid, kind: MailKind) -> Result<()> {
    if let Some(purpose) = kind.purpose() {
        outbox::withdraw(tx, subject, kind.as_str()).await?;
        tokens::invalidate_unredeemed(tx, subject, purpose).await?;
    }
    Ok(())
}

/// Invalidates the links and withdraws the queued mails that would approve the device with this `device_hash`.
pub(crate) async fn end_approval_links(tx: &mut Tx, account: Uuid, device: &str) -> Result<()> {
    outbox::withdraw_by_device(tx, account, MailKind::ApproveDevice.as_str(), device).await?;
    match compose::decode_hash(device) {
        Some(hash) => tokens::end_approval_links(tx, account, &hash).await,
        None => Ok(()),
    }
}

/// Returns whether a sent or queued mail has a link that can approve the device with this `device_hash`. The queue is
/// read before the tokens, because the worker makes the token before it removes the mail from the queue.
pub(crate) async fn has_approval_link(tx: &mut Tx, account: Uuid, device: &str) -> Result<bool> {
    let kind = MailKind::ApproveDevice.as_str();
    if outbox::is_queued_for_device(tx, account, kind, device).await? {
        return Ok(true);
    }
    match compose::decode_hash(device) {
        Some(hash) => tokens::has_approval_link(tx, account, &hash).await,
        None => Ok(false),
    }
}

/// Invalidates the sent and queued undo links of this email change and of later changes, because the change was undone.
pub(crate) async fn end_undo_links_from(
    tx: &mut Tx,
    account: Uuid,
    change_number: i64,
) -> Result<()> {
    end_undo_links(tx, account, MailKind::EmailChanged, change_number).await
}

/// Invalidates the sent and queued undo links of this credential and of later credentials, after an undo.
pub(crate) async fn end_credential_undo_links_since(
    tx: &mut Tx,
    account: Uuid,
    created_at: i64,
) -> Result<()> {
    for kind in MailKind::ALL {
        if kind.purpose() == Some(Purpose::CredentialUndo) {
            end_undo_links(tx, account, *kind, created_at).await?;
        }
    }
    Ok(())
}

async fn end_undo_links(tx: &mut Tx, account: Uuid, kind: MailKind, number: i64) -> Result<()> {
    outbox::withdraw_mails_since_change(tx, account, kind.as_str(), number).await?;
    match kind.purpose() {
        Some(purpose) => tokens::end_undo_links_from(tx, account, purpose, number).await,
        None => Ok(()),
    }
}
