//! The authorization requests of applications.

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};

use super::authorize::to;
use super::error::off;
use crate::app::{App, Shared};
use crate::auth::client::Client;
use crate::http::continuation;
use crate::http::cookies::Setter;
use crate::http::extract::form_body::FormBody;
use crate::http::pages::{page, placeholders};
use crate::i18n::{Language, Message};
use crate::oidc::authorization::{self, Outcome};
use crate::oidc::error::OAuthError;
use crate::oidc::parameters::Parameters;
use crate::oidc::request::{self, UntrustedRequest};

/// Responds to a request that does not return with a ticket.
pub(super) async fn answer(app: &App, client: &Client, parts: &Parts) -> Response {
    if !app.config.oidc.enabled {
        return off();
    }
    let parameters = Parameters::parse(parts.uri.query().unwrap_or_default().as_bytes());
    match authorization::authorize(app, client, &parameters).await {
        Ok(Outcome::Return(address)) => to(&address, HeaderMap::new()),
        Ok(Outcome::Prove {
            shortfall,
            ticket,
            cookie,
        }) => {
            let cookies = Setter::new(&app.config).ticket(&cookie).done();
            to(&continuation::way_to(shortfall, &ticket), cookies)
        }
        Ok(Outcome::Untrusted(why)) => {
            let wished = request::ui_language(&parameters);
            untrusted(app, client, page::language(app, parts, client, wished), why)
        }
        Err(failure) => OAuthError::from(failure).into_response(),
    }
}

/// Returns the page for a request that must not be redirected. It repeats no value of the request.
fn untrusted(app: &App, client: &Client, language: Language, why: UntrustedRequest) -> Response {
    let words = match why {
        UntrustedRequest::UnknownClient => Message::PlaceholderUnknownApp,
        UntrustedRequest::WrongRedirectUri => Message::PlaceholderUnknownAddress,
    };
    let title = Message::PlaceholderWrongApp.text(language);
    let page = placeholders::plain(app, client, language, title, words.text(language));
    let no_store = [(CACHE_CONTROL, "no-store")];
    (StatusCode::BAD_REQUEST, no_store, page).into_response()
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
            let query = parameters.without(&["continue"]).finish();
            let again = Redirect::to(&format!("/account/oidc/authorize?{query}"));
            ([(CACHE_CONTROL, "no-store")], again).into_response()
        }
        Err(error) => error.into_response(),
    }
}
