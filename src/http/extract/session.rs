//! Extracts the session of an HTTP request.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;

use super::client;
use crate::accounts::client::Client;
use crate::accounts::session::SignedIn;
use crate::accounts::session::reauthentication::{AccountLevelSession, RecentSession};
use crate::app::SharedApp;
use crate::error::{ApiError, ErrorCode};

impl<S: Send + Sync> FromRequestParts<S> for SignedIn
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let app = SharedApp::from_ref(state);
        let id = client::session(&parts.headers, &app.config);
        SignedIn::find(&app, id.ok_or(ErrorCode::Unauthenticated)?).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RecentSession
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let (app, client, signed_in) = signed_in_client(parts, state).await?;
        RecentSession::check(&app, &client, signed_in).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AccountLevelSession
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let (app, client, signed_in) = signed_in_client(parts, state).await?;
        AccountLevelSession::check(&app, &client, signed_in).await
    }
}

async fn signed_in_client<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
) -> Result<(SharedApp, Client, SignedIn), ApiError>
where
    SharedApp: FromRef<S>,
{
    let signed_in = SignedIn::from_request_parts(parts, state).await?;
    let app = SharedApp::from_ref(state);
    let client = client::client_of(parts, &app);
    Ok((app, client, signed_in))
}
