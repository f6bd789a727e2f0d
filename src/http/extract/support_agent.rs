//! Extracts the agent of a call of the support view.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;

use super::client;
use crate::app::Shared;
use crate::auth::session::SignedIn;
use crate::domain::support_role::SupportRole;
use crate::error::{ErrorCode, Failure};
use crate::support::agent::Agent;

/// An agent of any role.
pub(crate) struct SupportAgent(pub Agent);

/// An agent with the role `admin`.
pub(crate) struct AdminAgent(pub Agent);

impl<S: Send + Sync> FromRequestParts<S> for SupportAgent
where
    Shared: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let app = Shared::from_ref(state);
        Ok(SupportAgent(
            agent(&app, parts, SupportRole::Support).await?,
        ))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AdminAgent
where
    Shared: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let app = Shared::from_ref(state);
        Ok(AdminAgent(agent(&app, parts, SupportRole::Admin).await?))
    }
}

async fn agent(app: &Shared, parts: &Parts, least: SupportRole) -> Result<Agent, Failure> {
    let signed_in = session(app, parts).await?;
    let client = client::client(parts, app);
    Agent::check(app, &client, signed_in, least).await
}

/// The session of a request to the support view. 404 without a session, if the view is off, and if the request came
/// from outside `support.networks` or to another host than that of `server.public_url`.
pub(crate) async fn session(app: &Shared, parts: &Parts) -> Result<SignedIn, Failure> {
    let ip = client::client_ip(&parts.extensions, &parts.headers, app);
    if !app.config.support.admits(ip) || !is_public_host(app, parts) {
        return Err(ErrorCode::NotFound.into());
    }
    let id = client::session(&parts.headers, &app.config).ok_or(ErrorCode::NotFound)?;
    let found = SignedIn::find(app, id).await;
    found.map_err(|failure| match failure.code {
        ErrorCode::Unauthenticated => ErrorCode::NotFound.into(),
        _ => failure,
    })
}

fn is_public_host(app: &Shared, parts: &Parts) -> bool {
    let host = client::host(&parts.uri, &parts.headers);
    let public = url::Url::parse(&app.config.server.public_url);
    public.is_ok_and(|url| {
        url.host_str()
            .is_some_and(|public| public.eq_ignore_ascii_case(host))
    })
}
