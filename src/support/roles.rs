//! Assigns and removes the roles of the support view. Only commands can call this module, and no HTTP request can.

use super::audited::{self, SupportAction, SupportActor};
use super::lookup::{self, AccountKey, AccountOrLegacy};
use crate::accounts::strong_factor;
use crate::app::App;
use crate::domain::security_event::SecurityEvent;
use crate::domain::support_role::SupportRole;
use crate::error::{ApiResult, ErrorCode};
use crate::store::support_roles;

/// Assigns a role to an account, and replaces an earlier role. Fails with 409 `second_factor_off` if the account has no
/// strong factor, because the support view requires a proof at authentication level 2.
pub(crate) async fn grant(
    app: &App,
    operator: &str,
    key: &AccountKey,
    role: SupportRole,
) -> ApiResult {
    let action = match role {
        SupportRole::Support => SupportAction::GrantSupport,
        SupportRole::Admin => SupportAction::GrantAdmin,
    };
    set_role(app, operator, key, action, Some(role)).await
}

/// Removes the role of an account. Fails with 404 for an unknown account, and 409 `nothing_pending` without a role.
pub(crate) async fn revoke(app: &App, operator: &str, key: &AccountKey) -> ApiResult {
    set_role(app, operator, key, SupportAction::Revoke, None).await
}

async fn set_role(
    app: &App,
    operator: &str,
    key: &AccountKey,
    action: SupportAction,
    role: Option<SupportRole>,
) -> ApiResult {
    let attempt = SupportActor::Operator(operator).attempt(action, Some(key), None);
    let run = attempt.run(app, |mut change| async move {
        let subject = lookup::lock_subject(app, &mut change, key).await?;
        let AccountOrLegacy::Account(account) = subject else {
            return Err(ErrorCode::NotFound.into());
        };
        let mut change = change.audit(Some(account.id), None).await?;
        match role {
            Some(_) if !strong_factor::exists(app, &mut change, account.id).await? => {
                return Err(ErrorCode::SecondFactorOff.into());
            }
            Some(role) => {
                let now = change.now;
                support_roles::grant(&mut change, account.id, role, now).await?;
            }
            None if !support_roles::revoke(&mut change, account.id).await? => {
                return Err(ErrorCode::NothingPending.into());
            }
            None => {}
        }
        audited::record_event(&mut change, SecurityEvent::SupportActed, account.id, action).await?;
        change.commit(()).await
    });
    run.await
}
