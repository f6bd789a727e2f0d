//! Extracts the session of a request.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;

use super::client;
use crate::app::Shared;
use crate::auth::reauthentication::RecentSession;
use crate::auth::session::SignedIn;
use crate::error::{ErrorCode, Failure};

impl<S: Send + Sync> FromRequestParts<S> for SignedIn
where
    Shared: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let app = Shared::from_ref(state);
        let id = client::session(&parts.headers, &app.config);
        SignedIn::find(&app, id.ok_or(ErrorCode::Unauthenticated)?).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RecentSession
where
    Shared: FromRef<S>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        let app = Shared::from_ref(state);
        let client = client::client_of(parts, &app);
        RecentSession::check(&app, &client, signed_in).await
    }
}
