//! The end session endpoint.

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Redirect, Response};

use super::authorize::to;
use super::error::off;
use crate::app::Shared;
use crate::auth::client::Client;
use crate::http::cookies::Setter;
use crate::http::extract::form_body::FormBody;
use crate::oidc::error::OAuthError;
use crate::oidc::logout::{self, Outcome};
use crate::oidc::parameters::Parameters;

pub(super) async fn logout(State(app): State<Shared>, client: Client, uri: Uri) -> Response {
    if !app.config.oidc.enabled {
        return off();
    }
    let parameters = Parameters::parse(uri.query().unwrap_or_default().as_bytes());
    match logout::logout(&app, &client, &parameters).await {
        Ok(Outcome::SignedOut(address)) => {
            to(&address, Setter::new(&app.config).end_session().done())
        }
        Ok(Outcome::Ask(page)) => to(&page, HeaderMap::new()),
        Err(failure) => OAuthError::from(failure).into_response(),
    }
}

/// Converts a POST to the same request as GET: the session cookie (SameSite=Lax) is not sent with a POST of another
/// site.
pub(super) async fn as_get(
    State(app): State<Shared>,
    body: Result<FormBody, OAuthError>,
) -> Response {
    if !app.config.oidc.enabled {
        return off();
    }
    match body {
        Ok(FormBody(parameters)) => {
            let query = parameters.without(&[]).finish();
            let again = Redirect::to(&format!("/account/oidc/logout?{query}"));
            ([(CACHE_CONTROL, "no-store")], again).into_response()
        }
        Err(error) => error.into_response(),
    }
}
