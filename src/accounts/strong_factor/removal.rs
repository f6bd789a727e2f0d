//! Removes strong factors. Only this file removes them, because an account without a strong factor also loses its
//! support role, its pending reset of strong factors and the authentication level of its sessions.

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::notify_now;
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::{self, EventDetail};
use crate::accounts::strong_factor;
use crate::store::support_audit::{self, NewAuditEntry};
use crate::store::{
    credentials, devices, recovery_codes, sessions, sign_in_challenges, support_roles, totp,
};

/// Removes one passkey. Returns 404 if the account does not have this passkey.
pub(crate) async fn remove_passkey(
    change: &mut Change<'_>,
    account: &Account,
    id: Uuid,
) -> ApiResult {
    let removed = credentials::remove(change, account.id, id).await?;
    let name = removed.ok_or(ErrorCode::NotFound)?;
    notify_of_removed_passkeys(change, account, &[name]).await?;
    end_dependents(change, account).await
}

/// Turns the authenticator app off, if it is on.
pub(crate) async fn remove_app(change: &mut Change<'_>, account: &Account) -> ApiResult {
    if totp::remove(change, account.id).await? {
        report_app(change, account, true).await?;
    }
    // The owner has proved a strong factor for this removal.
    pending::stop_by(change, account, Cause::StrongProof).await?;
    end_dependents(change, account).await
}

/// Removes every strong factor whose change number is at least `number`.
pub(crate) async fn remove_since(
    change: &mut Change<'_>,
    account: &Account,
    number: i64,
) -> ApiResult {
    let passkeys = credentials::remove_since(change, account.id, number).await?;
    notify_of_removed_passkeys(change, account, &passkeys).await?;
    recovery_codes::remove_since(change, account.id, number).await?;
    if totp::remove_since(change, account.id, number).await? {
        report_app(change, account, true).await?;
    }
    end_dependents(change, account).await
}

/// Removes every strong factor at the end of a reset. The caller records the event of the reset.
pub(crate) async fn remove_all(change: &mut Change<'_>, account: &Account) -> ApiResult {
    let passkeys = credentials::remove_since(change, account.id, 0).await?;
    notify_of_removed_passkeys(change, account, &passkeys).await?;
    if totp::remove(change, account.id).await? {
        report_app(change, account, false).await?;
    }
    end_dependents(change, account).await
}

/// Records each removed passkey by its name, and mails one notice if there are any.
async fn notify_of_removed_passkeys(
    change: &mut Change<'_>,
    account: &Account,
    names: &[String],
) -> ApiResult {
    for name in names {
        let event = Event::new(SecurityEvent::PasskeyRemoved, account.id);
        change.record(event.detail(EventDetail::Name(name))).await?;
    }
    match names {
        [] => Ok(()),
        _ => Ok(notify_now(change, account, MailKind::PasskeyRemoved).await?),
    }
}

/// Removes the data that depends on the authenticator app, and mails a notice. Records the event if `is_recorded`.
async fn report_app(change: &mut Change<'_>, account: &Account, is_recorded: bool) -> ApiResult {
    recovery_codes::remove_all(change, account.id).await?;
    devices::end_trust(change, account.id).await?;
    sign_in_challenges::end_all(change, account.id).await?;
    if is_recorded {
        security_log::record(change, SecurityEvent::SecondFactorDisabled, account.id).await?;
    }
    Ok(notify_now(change, account, MailKind::SecondFactorDisabled).await?)
}

/// Removes the support role, the pending reset and the level of the sessions if the account has no strong factor
/// left.
async fn end_dependents(change: &mut Change<'_>, account: &Account) -> ApiResult {
    let id = account.id;
    if strong_factor::exists(change.app, change, id).await? {
        return Ok(());
    }
    pending::stop_by(change, account, Cause::NoStrongFactor).await?;
    sessions::end_level_two(change, id).await?;
    if !support_roles::revoke(change, id).await? {
        return Ok(());
    }
    let entry = NewAuditEntry {
        id: change.new_id(),
        at: change.now,
        operator: None,
        agent_id: None,
        action: "revoke",
        account_id: Some(id),
        reason: Some("the account has no passkey and no authenticator app"),
        refusal: None,
    };
    let receipt = support_audit::insert(change, &entry).await?;
    change.on_commit(move || {
        tracing::warn!(target: "security", event = "support", action = "revoke", account = %id);
    });
    let event = Event::new(SecurityEvent::SupportActed, id);
    let event = event.detail(EventDetail::Action("revoke"));
    change.record_as(Actor::Support(receipt), event).await?;
    Ok(notify_now(change, account, MailKind::SupportRoleEnded).await?)
}
