//! Ends, keeps and lists the links in mails. No other file invalidates a link or withdraws a mail because an account
//! has changed.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::compose::{encode_hash, link_lifetime};
use super::{MailDetails, MailKind};
use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::email;
use crate::domain::secret::SecretHash;
use crate::store::pending_acts::Act;
use crate::store::tokens::{LinkEnd, Purpose};
use crate::store::{outbox, sign_in_challenges, tokens};

/// Why links end. The column `ended_by` of [`Purpose`] lists the links that each reason ends.
#[derive(Clone, Copy)]
pub(crate) enum Ending<'e> {
    /// A newer mail of this kind replaces the older mails; an approval mail replaces only those of its device.
    Replaced(MailKind, Option<&'e SecretHash>),
    /// All access to the account ends, for example after a change of the password or of the email address. Unfinished
    /// sign-ins end too.
    AccessRevoked,
    /// The change with this number was undone, and with it all later changes.
    UndoneFrom(i64),
    /// The act has happened or was stopped.
    ActOver(Act),
    /// The device with this hash was approved, refused or removed.
    Device(&'e SecretHash),
    /// The legacy account has migrated, or has another email address now.
    Migrated,
}

impl Ending<'_> {
    fn link_end(self) -> LinkEnd {
        match self {
            Ending::Replaced(..) => LinkEnd::Replaced,
            Ending::AccessRevoked => LinkEnd::AccessRevoked,
            Ending::UndoneFrom(_) => LinkEnd::Undone,
            Ending::ActOver(act) => LinkEnd::ActOver(act),
            Ending::Device(_) => LinkEnd::DeviceDecided,
            Ending::Migrated => LinkEnd::Migrated,
        }
    }

    /// Returns whether the links of this kind of mail end.
    fn ends(self, kind: MailKind) -> bool {
        let purpose = kind.purpose();
        !matches!(self, Ending::Replaced(newer, _) if newer != kind)
            && purpose.is_some_and(|purpose| self.ends_purpose(purpose))
    }

    fn ends_purpose(self, purpose: Purpose) -> bool {
        purpose.ended_by().contains(&self.link_end())
            && !matches!(self, Ending::Replaced(newer, _) if newer.purpose() != Some(purpose))
    }
}

/// Withdraws the queued mails with such links, and invalidates the links in sent mails. The worker locks the row of a
/// mail while it makes the link, so no link is made after its mail was withdrawn.
pub(crate) async fn end(tx: &mut Tx, subject: Uuid, ending: Ending<'_>) -> Result<()> {
    let (from, device) = match ending {
        Ending::UndoneFrom(number) => (number, None),
        Ending::Device(device) => (0, Some(device)),
        Ending::Replaced(_, device) => (0, device),
        _ => (0, None),
    };
    let text = device.map(encode_hash);
    for kind in MailKind::ALL.iter().filter(|kind| ending.ends(**kind)) {
        outbox::withdraw(tx, subject, kind.as_str(), from, text.as_deref()).await?;
    }
    for purpose in Purpose::ALL.iter().filter(|one| ending.ends_purpose(**one)) {
        tokens::end_unredeemed(tx, subject, *purpose, from, device).await?;
    }
    match ending {
        Ending::AccessRevoked => sign_in_challenges::end_all(tx, subject).await,
        _ => Ok(()),
    }
}

/// Withdraws the queued mails of one kind. The links of sent mails stay valid.
pub(crate) async fn withdraw(tx: &mut Tx, subject: Uuid, kind: MailKind) -> Result<()> {
    outbox::withdraw(tx, subject, kind.as_str(), 0, None).await
}

/// The number of former mailboxes that are told. Those with the earliest changes come first, so that an attacker with
/// many mailboxes neither displaces the owner nor causes many mails.
const MAX_HOLDERS: usize = 5;

/// A mailbox that has received or will receive an undo link.
pub(crate) struct Holder {
    pub mailbox: String,
    /// The number of the earliest change that the mailbox can undo.
    pub change_number: i64,
    /// The time at which the mailbox's last link expires. The lifetime of a queued link begins with its sending.
    pub until: i64,
}

/// Returns the mailboxes with a valid or queued undo link, except `own`, the present email address of the account. The
/// mailboxes with the earliest changes come first.
pub(crate) async fn holders(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
    own: &str,
) -> Result<Vec<Holder>> {
    let now = app.clock.millis();
    let mut links = tokens::list_undo_recipients(tx, account, now).await?;
    for mail in outbox::list_of(tx, account).await? {
        let purpose = MailKind::from_name(&mail.kind).and_then(MailKind::purpose);
        if let Some(purpose) = purpose.filter(|purpose| purpose.is_undo()) {
            let details: MailDetails = serde_json::from_str(&mail.details).unwrap_or_default();
            let lifetime = link_lifetime(app, purpose, &details);
            let until = mail.created_at.max(now).saturating_add(lifetime);
            let until = details.link_until.unwrap_or(until);
            links.push((mail.recipient, mail.change_number, until));
        }
    }
    let mut holders = BTreeMap::<String, Holder>::new();
    for (mailbox, change_number, until) in links {
        let key = email::lookup_key(&mailbox);
        let holder = holders.entry(key).or_insert(Holder {
            mailbox,
            change_number,
            until,
        });
        holder.change_number = holder.change_number.min(change_number);
        holder.until = holder.until.max(until);
    }
    holders.remove(&email::lookup_key(own));
    let mut holders: Vec<_> = holders.into_values().collect();
    holders.sort_by_key(|holder| holder.change_number);
    holders.truncate(MAX_HOLDERS);
    Ok(holders)
}

/// Returns whether a sent or queued mail has a link that can approve this device. The queue is read before the tokens,
/// because the worker makes the token before it removes the mail from the queue.
pub(crate) async fn has_approval_link(
    tx: &mut Tx,
    account: Uuid,
    device: &SecretHash,
) -> Result<bool> {
    let (kind, text) = (MailKind::ApproveDevice.as_str(), encode_hash(device));
    Ok(
        outbox::is_queued_for_device(tx, account, kind, &text).await?
            || tokens::has_approval_link(tx, account, device).await?,
    )
}
