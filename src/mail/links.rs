//! Ends, keeps and lists the links in mails. No other file invalidates a link or withdraws a mail because an account
//! has changed.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::MailKind;
use super::compose::decode_hash;
use crate::db::{Result, Tx};
use crate::domain::email;
use crate::store::pending_acts::Act;
use crate::store::tokens::{LinkEnd, Purpose};
use crate::store::{outbox, sign_in_challenges, tokens};

/// Why links end. The column `ended_by` of [`Purpose`] lists the links that each reason ends.
#[derive(Clone, Copy)]
pub(crate) enum Ending<'e> {
    /// A newer mail of this kind replaces the older mails; an approval mail replaces only those of its device.
    Replaced(MailKind, Option<&'e str>),
    /// All access to the account ends, for example after a change of the password or of the email address. Unfinished
    /// sign-ins end too.
    AccessRevoked,
    /// The change with this number was undone, and with it all later changes.
    UndoneFrom(i64),
    /// The act has happened or was stopped.
    ActOver(Act),
    /// The device with this hash was approved, refused or removed.
    Device(&'e str),
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
        let is_replaceable = match self {
            Ending::Replaced(newer, _) => kind == newer,
            _ => true,
        };
        is_replaceable
            && kind
                .purpose()
                .is_some_and(|purpose| self.ends_purpose(purpose))
    }

    fn ends_purpose(self, purpose: Purpose) -> bool {
        let is_listed = purpose.ended_by().contains(&self.link_end());
        match self {
            Ending::Replaced(newer, _) => is_listed && newer.purpose() == Some(purpose),
            _ => is_listed,
        }
    }
}

/// Withdraws the queued mails with such links, and invalidates the links in sent mails. The worker locks the row of a
/// mail while it makes the link, so no link is made after its mail was withdrawn.
pub(crate) async fn end(tx: &mut Tx, subject: Uuid, ending: Ending<'_>) -> Result<()> {
    for kind in MailKind::ALL.iter().filter(|kind| ending.ends(**kind)) {
        let name = kind.as_str();
        match ending {
            Ending::UndoneFrom(number) => {
                outbox::withdraw_mails_since_change(tx, subject, name, number).await?;
            }
            Ending::Device(device) | Ending::Replaced(_, Some(device)) => {
                outbox::withdraw_by_device(tx, subject, name, device).await?;
            }
            _ => outbox::withdraw(tx, subject, name).await?,
        }
    }
    let purposes = Purpose::ALL.iter().copied();
    for purpose in purposes.filter(|purpose| ending.ends_purpose(*purpose)) {
        match ending {
            Ending::UndoneFrom(number) => {
                tokens::end_undo_links_from(tx, subject, purpose, number).await?;
            }
            Ending::Device(device) | Ending::Replaced(_, Some(device)) => {
                if let Some(hash) = decode_hash(device) {
                    tokens::end_approval_links(tx, subject, &hash).await?;
                }
            }
            _ => tokens::invalidate_unredeemed(tx, subject, purpose).await?,
        }
    }
    match ending {
        Ending::AccessRevoked => sign_in_challenges::end_all(tx, subject).await,
        _ => Ok(()),
    }
}

/// Withdraws the queued mails of one kind. The links of sent mails stay valid.
pub(crate) async fn withdraw(tx: &mut Tx, subject: Uuid, kind: MailKind) -> Result<()> {
    outbox::withdraw(tx, subject, kind.as_str()).await
}

/// The number of former mailboxes that are told. Those with the earliest changes come first, so that an attacker with
/// many mailboxes neither displaces the owner nor causes many mails.
const MAX_HOLDERS: usize = 5;

/// A mailbox that has received or will receive an undo link.
pub(crate) struct Holder {
    pub mailbox: String,
    /// The number of the earliest change that the mailbox can undo.
    pub change_number: i64,
    /// The time at which the mailbox's last link expires, or `None` if a link was not sent yet.
    pub until: Option<i64>,
}

/// Returns the mailboxes with a valid or queued undo link, except `own`, the present email address of the account. The
/// mailboxes with the earliest changes come first.
pub(crate) async fn holders(
    tx: &mut Tx,
    account: Uuid,
    own: &str,
    now: i64,
) -> Result<Vec<Holder>> {
    let sent = tokens::list_undo_recipients(tx, account, now).await?;
    let sent = sent
        .into_iter()
        .map(|(mailbox, change_number, until)| Holder {
            mailbox,
            change_number,
            until: Some(until),
        });
    let queued = outbox::list_recipients(tx, account).await?.into_iter();
    let queued = queued
        .filter(|(kind, ..)| MailKind::from_name(kind).is_some_and(MailKind::has_undo_link))
        .map(|(_, mailbox, change_number)| Holder {
            mailbox,
            change_number,
            until: None,
        });
    let mut holders = BTreeMap::<String, Holder>::new();
    for link in sent.chain(queued) {
        let key = email::lookup_key(&link.mailbox);
        if key == email::lookup_key(own) {
            continue;
        }
        match holders.get_mut(&key) {
            Some(holder) => {
                holder.change_number = holder.change_number.min(link.change_number);
                holder.until = holder
                    .until
                    .zip(link.until)
                    .map(|(one, other)| one.max(other));
            }
            None => {
                holders.insert(key, link);
            }
        }
    }
    let mut holders: Vec<_> = holders.into_values().collect();
    holders.sort_by_key(|holder| holder.change_number);
    holders.truncate(MAX_HOLDERS);
    Ok(holders)
}

/// Returns whether a sent or queued mail has a link that can approve the device with this `device_hash`. The queue is
/// read before the tokens, because the worker makes the token before it removes the mail from the queue.
pub(crate) async fn has_approval_link(tx: &mut Tx, account: Uuid, device: &str) -> Result<bool> {
    let kind = MailKind::ApproveDevice.as_str();
    if outbox::is_queued_for_device(tx, account, kind, device).await? {
        return Ok(true);
    }
    match decode_hash(device) {
        Some(hash) => tokens::has_approval_link(tx, account, &hash).await,
        None => Ok(false),
    }
}
