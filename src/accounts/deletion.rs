//! Requests the deletion of an account, and cancels it within the grace period (`lifetimes.deletion_grace`). After the
//! grace period `deletion/erasure.rs` deletes the account.

pub(crate) mod disabling;
pub mod erasure;
pub(crate) mod inactivity;

use crate::accounts::change::{Change, change, notify_now};
use crate::accounts::client::Client;
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::reauthentication::RecentSession;
use crate::accounts::security_log;
use crate::accounts::session::LockedRows;
use crate::app::App;
use crate::db::Result;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::links::{self, Ending};
use crate::mail::{MailKind, OutgoingMail};
use crate::rate_limit::{LimitName, Subject};
use crate::store::accounts::Account;
use crate::store::pending_acts::Act;
use crate::store::tokens::{self, Purpose};
use crate::store::{account_states, devices, legacy, sessions};

/// Requests the deletion of the session's account. Returns the time of the deletion, in milliseconds since 1970 UTC.
pub(crate) async fn request_by_user(
    app: &App,
    client: &Client,
    recent: &RecentSession,
) -> std::result::Result<i64, ApiError> {
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = recent.lock(&mut change, client).await?;
        // Requests are limited, because each request mails notices and the owner can cancel the deletion immediately.
        let actions = [LimitName::CredentialChange.of(Subject::Account(account.id))];
        let mut change = change.admit(&actions).await?;
        let due_at = request_deletion(&mut change, &account).await?;
        change.commit(due_at).await
    })
    .await
}

/// Cancels the deletion with a mailed link, or with the token that a refused sign-in returned. No session is started.
pub(crate) async fn cancel_by_link(
    app: &App,
    client: &Client,
    link: &MailedLink,
) -> std::result::Result<(), ApiError> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::AccountRestore).await?;
        let account = mailed_link::lock_account(&mut change, &token).await?;
        if !cancel_deletion(&mut change, &account).await? {
            return Err(ErrorCode::InvalidToken.into());
        }
        link.commit(change, ()).await
    })
    .await
}

/// Requests the deletion of an account whose row is locked: ends its sessions, invalidates its mailed links except undo
/// links, and mails a link that cancels the deletion, now and after 6/7 of the grace period. Returns the time of the
/// deletion, in milliseconds since 1970 UTC. If a deletion is already pending, nothing changes.
pub(crate) async fn request_deletion(change: &mut Change<'_>, account: &Account) -> Result<i64> {
    if let Some(due_at) = account.deletion_due_at {
        return Ok(due_at);
    }
    let (now, grace) = (change.now, change.app.config.lifetimes.deletion_grace);
    let due_at = now.saturating_add(grace.millis());
    let number = change.next_number(account).await?;
    account_states::set_deletion(change, account.id, due_at, number).await?;
    revoke_access(change, account).await?;
    // Undo links that were mailed before the migration belong to the id of the legacy account.
    legacy::move_undo_links(change, account.id).await?;
    tokens::keep_undo_links_until(change, account.id, number, due_at, now).await?;
    security_log::record(change, SecurityEvent::DeletionRequested, account.id).await?;
    let holders = links::holders(change, account, now).await?;
    let reminder_at = now.saturating_add(grace.millis().saturating_mul(6) / 7);
    for (kind, former_kind, send_at) in [
        (
            MailKind::DeletionRequested,
            MailKind::DeletionOfFormerAddress,
            now,
        ),
        (
            MailKind::DeletionReminder,
            MailKind::DeletionOfFormerAddressReminder,
            reminder_at,
        ),
    ] {
        let mut notice = OutgoingMail::to(account, kind).at(now);
        notice.details.effective_at = Some(due_at);
        change.schedule_mail(notice, send_at).await?;
        for holder in &holders {
            let mut notice = OutgoingMail::to(account, former_kind).at(now);
            notice.recipient = &holder.mailbox;
            notice.details.effective_at = Some(due_at);
            notice.details.change_number = Some(holder.change_number);
            change.schedule_mail(notice, send_at).await?;
        }
    }
    Ok(due_at)
}

/// Ends all access to an account whose row is locked: every session, every unfinished sign-in, the trust in all
/// devices, and every mailed link except undo links, the link that resets a lost second factor and the link that
/// cancels a deletion. `Purpose::link_effect` says which of these links work while the account is disabled or its
/// deletion is pending.
pub(crate) async fn revoke_access(change: &mut Change<'_>, account: &Account) -> Result<()> {
    let ended = sessions::end_all(change, account.id).await?;
    change.report_ended(ended).await?;
    devices::end_trust(change, account.id).await?;
    links::end(change, account.id, Ending::AccessRevoked).await
}

/// Cancels the deletion of an account whose row is locked, and mails the owner. Returns false if no deletion is
/// pending.
pub(crate) async fn cancel_deletion(change: &mut Change<'_>, account: &Account) -> Result<bool> {
    if !account_states::cancel_deletion(change, account.id).await? {
        return Ok(false);
    }
    links::end(change, account.id, Ending::ActOver(Act::Deletion)).await?;
    // Only queued mails are withdrawn. The links in sent mails stay valid, because they undo a change of the account.
    for kind in [
        MailKind::DeletionOfFormerAddress,
        MailKind::DeletionOfFormerAddressReminder,
    ] {
        links::withdraw(change, account.id, kind).await?;
    }
    security_log::record(change, SecurityEvent::DeletionCancelled, account.id).await?;
    notify_now(change, account, MailKind::DeletionCancelled).await?;
    Ok(true)
}

/// Cancels a requested deletion and a deletion for inactivity, because the owner has undone a change of the account.
/// `account` contains the restored email address, to which the notice is mailed.
pub(crate) async fn cancel_by_undo(change: &mut Change<'_>, account: &Account) -> Result<()> {
    let now = change.now;
    if account.inactive_due_at.is_some() {
        account_states::set_active(change, account.id, now).await?;
        links::withdraw(change, account.id, MailKind::InactiveAccount).await?;
    }
    cancel_deletion(change, account).await?;
    Ok(())
}
