//! The end session endpoint.

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};

use super::authorization::redirect_post;
use super::redirect_to;
use crate::accounts::client::Client;
use crate::app::SharedApp;
use crate::http::cookies::CookieSetter;
use crate::http::extract::form_body::FormBody;
use crate::http::extract::same_origin::Navigation;
use crate::oidc::error::OAuthError;
use crate::oidc::logout::{self, LogoutOutcome};
use crate::oidc::parameters::Parameters;

pub(super) async fn logout(
    State(app): State<SharedApp>,
    _: Navigation,
    client: Client,
    uri: Uri,
) -> Response {
    let parameters = Parameters::parse(uri.query().unwrap_or_default().as_bytes());
    match logout::logout(&app, &client, &parameters).await {
        Ok(LogoutOutcome::SignedOut(address)) => {
            redirect_to(&address, CookieSetter::new(&app.config).clear_session())
        }
        Ok(LogoutOutcome::ConfirmationRequired(page)) => redirect_to(&page, HeaderMap::new()),
        Err(error) => OAuthError::from(error).into_response(),
    }
}

pub(super) async fn redirect_to_get(body: Result<FormBody, OAuthError>) -> Response {
    redirect_post(body, "/account/oidc/logout", &[])
}
