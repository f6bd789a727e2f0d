//! Requests the deletion of an account, and cancels it within the grace period (`lifetimes.deletion_grace`). After the
//! grace period `deletion/erasure.rs` deletes the account.

pub(crate) mod disabling;
pub mod erasure;
pub(crate) mod inactivity;

use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::pending::{self, Wait};
use crate::accounts::prelude::*;
use crate::accounts::reauthentication::RecentSession;
use crate::accounts::session::LockedRows;
use crate::db::Result;
use crate::store::devices;
use crate::store::pending_acts::Act;
use crate::store::tokens::Purpose;

/// Requests the deletion of the session's account. Returns the time of the deletion, in milliseconds since 1970 UTC.
pub(crate) async fn request_by_user(
    app: &App,
    client: &Client,
    recent: &RecentSession,
) -> ApiResult<i64> {
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
pub(crate) async fn cancel_by_link(app: &App, client: &Client, link: &MailedLink) -> ApiResult {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::AccountRestore).await?;
        let account = mailed_link::lock_account(&mut change, &token).await?;
        if !pending::stop(&mut change, &account, Act::Deletion).await? {
            return Err(ErrorCode::InvalidToken.into());
        }
        link.commit(change, ()).await
    })
    .await
}

/// Requests the deletion of an account whose row is locked: ends its sessions and its mailed links except undo links,
/// and mails a link that cancels the deletion, now and after 6/7 of the grace period. Returns the time of the deletion,
/// in milliseconds since 1970 UTC. If a deletion is already pending, nothing changes.
pub(crate) async fn request_deletion(change: &mut Change<'_>, account: &Account) -> Result<i64> {
    if let Some(due_at) = account.deletion_due_at {
        return Ok(due_at);
    }
    revoke_access(change, account).await?;
    let grace = change.app.config.lifetimes.deletion_grace;
    let wait = Wait {
        due_at: change.now.saturating_add(grace.millis()),
        ends_at: None,
        email: None,
    };
    let pending = pending::begin(change, account, Act::Deletion, wait).await?;
    Ok(pending.due_at)
}

/// Ends all access to an account whose row is locked: every session, every unfinished sign-in, the trust in all
/// devices, and every mailed link except undo links, the link that resets a lost second factor and the link that
/// cancels a deletion. `Purpose::works` says which of these links work while the account is disabled or its
/// deletion is pending.
pub(crate) async fn revoke_access(change: &mut Change<'_>, account: &Account) -> Result<()> {
    change.end_sessions(account.id).await?;
    devices::end_trust(change, account.id).await?;
    pending::revoke_links(change, account).await
}
