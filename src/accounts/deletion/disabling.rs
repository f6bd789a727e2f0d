//! Disables and enables accounts for support and for operators.

use crate::accounts::change::{Change, notify_now};
use crate::accounts::deletion::revoke_access;
use crate::accounts::security_log::{self, Event, EventDetail};
use crate::db::Result;
use crate::domain::security_event::SecurityEvent;
use crate::mail::MailKind;
use crate::store::account_states;
use crate::store::accounts::Account;

/// Disables an account whose row is locked: ends its sessions, invalidates its mailed links, and mails its owner.
/// Returns false, and changes nothing, if the account was already disabled.
pub(crate) async fn disable(change: &mut Change<'_>, account: &Account) -> Result<bool> {
    let event = Event::new(SecurityEvent::Disabled, account.id);
    if !set_disabled(change, account, event).await? {
        return Ok(false);
    }
    notify_now(change, account, MailKind::AccountDisabled).await?;
    Ok(true)
}

/// Disables an account like [`disable`], but mails nothing: relatives may read the mailbox of an owner who died.
pub(crate) async fn disable_quietly(change: &mut Change<'_>, account: &Account) -> Result<bool> {
    let event = Event::new(SecurityEvent::Disabled, account.id).detail(EventDetail::Quiet(true));
    set_disabled(change, account, event).await
}

/// Disables the account without a mail, and records `event`. Returns false if the account was already disabled.
async fn set_disabled(
    change: &mut Change<'_>,
    account: &Account,
    event: Event<'_>,
) -> Result<bool> {
    let now = change.now;
    if !account_states::disable(change, account.id, now).await? {
        return Ok(false);
    }
    revoke_access(change, account).await?;
    change.record(event).await?;
    Ok(true)
}

/// Enables an account whose row is locked, and mails its owner. Returns false if the account was already enabled.
pub(crate) async fn enable(change: &mut Change<'_>, account: &Account) -> Result<bool> {
    if !account_states::enable(change, account.id).await? {
        return Ok(false);
    }
    security_log::record(change, SecurityEvent::Enabled, account.id).await?;
    notify_now(change, account, MailKind::AccountEnabled).await?;
    Ok(true)
}
