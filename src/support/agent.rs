//! A support agent: a session of an account with a support role, at authentication level 2, and not idle.

use uuid::Uuid;

use crate::accounts::change::Change;
use crate::accounts::client::Client;
use crate::accounts::reauthentication::RequiredProof;
use crate::accounts::session::SignedIn;
use crate::app::App;
use crate::domain::auth_method::Aal;
use crate::domain::support_role::SupportRole;
use crate::error::{ApiError, ApiResult, ErrorCode};
use crate::store::support_roles;

/// A session of a support agent. For a session without a support role, the support view returns 404.
pub(crate) struct Agent {
    signed_in: SignedIn,
    pub role: SupportRole,
}

impl Agent {
    pub(crate) async fn find(app: &App, signed_in: SignedIn) -> ApiResult<Agent> {
        let role = role_of(app, &signed_in).await?;
        let role = role.ok_or(ErrorCode::NotFound)?;
        Ok(Agent { signed_in, role })
    }

    /// Checks the last proof of identity, and records a use of the support view. Fails with 403
    /// `reauthentication_required` if the session has no proof at authentication level 2, or if this proof and the last
    /// use are older than `lifetimes.support_session`.
    pub(crate) async fn check_proof(&self, app: &App, client: &Client) -> ApiResult {
        let signed_in = &self.signed_in;
        let used_at = signed_in.last_support_view_use(app).await?;
        let idle = app.config.lifetimes.support_session.millis();
        let authenticated = &signed_in.session().authenticated;
        let last = match authenticated.answering(Aal::Two, None) {
            Some(proof) => used_at.unwrap_or(proof.at()).max(proof.at()),
            None => return Err(self.proof_error(app, client).await?),
        };
        if app.clock.millis().saturating_sub(last) >= idle {
            return Err(self.proof_error(app, client).await?);
        }
        signed_in.record_support_use(app, last).await;
        Ok(())
    }

    async fn proof_error(&self, app: &App, client: &Client) -> ApiResult<ApiError> {
        let mut tx = app.store.read().await?;
        let account = self.account_id();
        RequiredProof::LevelTwo
            .reauthentication_error(app, &mut tx, client, account)
            .await
    }

    pub(super) fn account_id(&self) -> Uuid {
        self.signed_in.session().account_id
    }

    pub(crate) fn username(&self) -> &str {
        &self.signed_in.session().username
    }

    /// Locks the agent's session. Fails with 404 if the agent's role is now lower than `least`.
    pub(super) async fn lock(&self, change: &mut Change<'_>, least: SupportRole) -> ApiResult {
        let locked = self.signed_in.lock(change).await?;
        let role = support_roles::find(change, locked.account.id).await?;
        match role.is_some_and(|role| role >= least) {
            true => Ok(()),
            false => Err(ErrorCode::NotFound.into()),
        }
    }
}

/// Returns the support role of the session's account. The HTML page of the support view requires a role,
/// but no recent reauthentication.
pub(crate) async fn role_of(app: &App, signed_in: &SignedIn) -> ApiResult<Option<SupportRole>> {
    let mut tx = app.store.read().await?;
    Ok(support_roles::find(&mut tx, signed_in.session().account_id).await?)
}
