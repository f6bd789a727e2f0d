//! Disables and enables accounts for support and for operators.

use crate::accounts::change::notify_now;
use crate::accounts::deletion::revoke_access;
use crate::accounts::prelude::*;
use crate::accounts::security_log::{self, EventDetail};
use crate::db::Result;
use crate::store::account_states;

/// Disables an account whose row is locked: ends its sessions, invalidates its mailed links, and mails its owner. A
/// quiet disabling mails nothing, because relatives may read the mailbox of an owner who died. Returns false, and
/// changes nothing, if the account was already disabled.
pub(crate) async fn disable(
    change: &mut Change<'_>,
    account: &Account,
    quiet: bool,
) -> Result<bool> {
    let now = change.now;
    if !account_states::disable(change, account.id, now).await? {
        return Ok(false);
    }
    revoke_access(change, account).await?;
    let mut event = Event::new(SecurityEvent::Disabled, account.id);
    if quiet {
        event = event.detail(EventDetail::Quiet(true));
    }
    change.record(event).await?;
    if !quiet {
        notify_now(change, account, MailKind::AccountDisabled).await?;
    }
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
