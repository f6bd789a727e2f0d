//! Extracts the agent of an API call of the support view.

use super::client;
use super::path_id::PathId;
use super::same_origin::is_speculative;
use crate::accounts::session::SignedIn;
use crate::http::prelude::*;
use crate::support::agent::Agent;
use crate::support::audited::{SupportAction, SupportActor};
use crate::support::lookup::AccountKey;

/// Declares an extractor for each action that the role of an agent must permit.
macro_rules! agent_extractors {
    ($($(#[$doc:meta])* $name:ident $action:ident,)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name(pub Agent);

        extractor!($name, ApiError, |parts, app| {
            // Some routes contain no account id.
            let id = PathId::from_request_parts(parts, &app).await.ok();
            Ok($name(authorize_agent(&app, parts, id, SupportAction::$action).await?))
        });
    )* };
}

agent_extractors! {
    /// A support agent of any role.
    SupportAgent Find,
    /// An admin who disables an account.
    DisablingAgent Disable,
    /// An admin who enables an account.
    EnablingAgent Enable,
    /// An admin who reads the audit.
    AuditingAgent ReadAudit,
}

/// Returns the agent if the agent's role permits the action. Otherwise the response is 404, and the audit records the
/// attempt. The role is checked before the proof of identity and the body, because an error about either would reveal
/// that the route exists.
async fn authorize_agent(
    app: &SharedApp,
    parts: &Parts,
    id: Option<PathId>,
    action: SupportAction,
) -> ApiResult<Agent> {
    let agent = Agent::find(app, support_session(app, parts).await?).await?;
    if agent.role < action.required_role() {
        let key = id.map(|PathId(id)| AccountKey::Id(id));
        let attempt = SupportActor::Agent(&agent).attempt(action, key.as_ref(), None);
        let refusal = Err(ErrorCode::NotFound.into());
        return attempt.record_outcome(app, refusal).await;
    }
    agent
        .check_proof(app, &client::client_of(parts, app))
        .await?;
    Ok(agent)
}

/// Returns the session of a request to the support view. The response is 404 if there is no session, if the view is
/// off, or if the request came from outside of `support.networks` or to another host than that of `server.public_url`.
/// A HEAD request or a prefetch also gets 404, because the audit would record it as a view by the agent.
pub(crate) async fn support_session(app: &SharedApp, parts: &Parts) -> ApiResult<SignedIn> {
    let ip = client::client_ip(&parts.extensions, &parts.headers, app);
    let is_allowed = app.config.support.allows_ip(ip) && is_public_host(app, parts);
    if !is_allowed || is_speculative(parts) {
        return Err(ErrorCode::NotFound.into());
    }
    let id = client::session_id(&parts.headers, &app.config).ok_or(ErrorCode::NotFound)?;
    let found = SignedIn::find(app, &id).await;
    found.map_err(|error| match error.code {
        ErrorCode::Unauthenticated => ErrorCode::NotFound.into(),
        _ => error,
    })
}

fn is_public_host(app: &SharedApp, parts: &Parts) -> bool {
    let host = client::host(&parts.uri, &parts.headers);
    app.config.public_host().eq_ignore_ascii_case(host)
}
