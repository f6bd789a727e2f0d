//! A support agent: a signed-in account with a role, at assurance level 2, and not idle.

use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::reauthentication;
use crate::auth::session::{SignedIn, SignedInChange};
use crate::domain::auth_method::AuthMethod;
use crate::domain::support_role::SupportRole;
use crate::error::{ApiError, ErrorCode};
use crate::store::{credentials, support_roles, totp};

/// A session of a support agent. Without one a call of the support view returns 404, as if the view did not exist.
pub(crate) struct Agent {
    signed_in: SignedIn,
    pub role: SupportRole,
}

impl Agent {
    /// Returns the agent of a session. 404 without a role.
    pub(crate) async fn find(app: &App, signed_in: SignedIn) -> Result<Agent, ApiError> {
        let role = role_of(app, &signed_in).await?;
        let role = role.ok_or(ErrorCode::NotFound)?;
        Ok(Agent { signed_in, role })
    }

    /// Records a use of the support view. 403 `reauthentication_required` below level 2, or if the last proof of
    /// identity and the last call of the support view are older than `lifetimes.support_session`.
    pub(crate) async fn check_proof(&self, app: &App, client: &Client) -> Result<(), ApiError> {
        let signed_in = &self.signed_in;
        let now = app.clock.millis();
        let last = last_proof_or_use(app, signed_in).await?;
        let is_idle = now.saturating_sub(last) >= app.config.lifetimes.support_session.millis();
        if is_idle || signed_in.session().authenticated.methods.aal() < 2 {
            return Err(proof_failure(app, client, signed_in).await?);
        }
        signed_in.record_support_use(app, last).await;
        Ok(())
    }

    pub(super) fn account_id(&self) -> Uuid {
        self.signed_in.session().account_id
    }

    pub(crate) fn username(&self) -> &str {
        &self.signed_in.session().username
    }

    /// Opens the transaction of a call. 404 if the role was revoked meanwhile.
    pub(super) async fn begin_change(
        &self,
        app: &App,
        least: SupportRole,
    ) -> Result<SignedInChange, ApiError> {
        let mut change = self.signed_in.begin_change(app).await?;
        let role = support_roles::find(&mut change.tx, change.account.id).await?;
        match role.is_some_and(|role| role >= least) {
            true => Ok(change),
            false => Err(ErrorCode::NotFound.into()),
        }
    }
}

/// Returns the role of the session's account. The page of the support view requires nothing more.
pub(crate) async fn role_of(
    app: &App,
    signed_in: &SignedIn,
) -> Result<Option<SupportRole>, ApiError> {
    let mut tx = app.store.read().await?;
    Ok(support_roles::find(&mut tx, signed_in.session().account_id).await?)
}

/// Returns the time of the last proof of identity or call of the support view, in milliseconds since 1970 UTC.
async fn last_proof_or_use(app: &App, signed_in: &SignedIn) -> Result<i64, ApiError> {
    let used = signed_in.last_support_use(app).await?;
    let proved = signed_in.session().authenticated.at;
    Ok(used.unwrap_or(proved).max(proved))
}

/// Returns the refusal, with the methods that reach level 2, which a password alone does not. Empty: the agent has to
/// set up a second factor or a passkey first.
async fn proof_failure(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> Result<ApiError, ApiError> {
    let account = signed_in.session().account_id;
    let mut tx = app.store.read().await?;
    let mut error = reauthentication::required_error(app, &mut tx, client, signed_in).await?;
    if !totp::is_on(&mut tx, account).await? {
        let with_passkey = match error.extra.get("methods") {
            Some(methods) if credentials::count(&mut tx, account).await? > 0 => {
                let passkey = json!(AuthMethod::Passkey.as_str());
                methods.as_array().is_some_and(|all| all.contains(&passkey))
            }
            _ => false,
        };
        let methods = match with_passkey {
            true => json!([AuthMethod::Passkey.as_str()]),
            false => json!([]),
        };
        error.extra.insert("methods".into(), methods);
    }
    Ok(error)
}
