//! The responses to the authorization requests of applications.

use super::redirect_to;
use crate::accounts::sign_in::ticket::AuthorizationRequest;
use crate::http::continuation;
use crate::http::cookies::CookieSetter;
use crate::http::extract::form_body::FormBody;
use crate::http::pages::{page, placeholders};
use crate::http::prelude::*;
use crate::oidc::authorization::{self, AuthorizationOutcome};
use crate::oidc::error::OAuthError;
use crate::oidc::parameters::Parameters;
use crate::oidc::request::{self, InvalidRedirect};

/// Responds to a new authorization request of an application. `authorize.rs` continues a request after the sign-in.
pub(super) async fn respond(app: &App, client: &Client, parts: &Parts) -> Response {
    if !app.config.oidc.enabled {
        return StatusCode::NOT_FOUND.into_response();
    }
    let parameters = Parameters::parse(parts.uri.query().unwrap_or_default().as_bytes());
    match authorization::authorize(app, client, &parameters).await {
        Ok(AuthorizationOutcome::ReturnToClient(address)) => redirect_to(&address, ()),
        Ok(AuthorizationOutcome::ProofRequired {
            shortfall,
            ticket,
            cookie,
        }) => {
            let cookies = CookieSetter::new(app).set_ticket(&cookie);
            redirect_to(&continuation::proof_url(shortfall, &ticket), cookies)
        }
        Ok(AuthorizationOutcome::InvalidRequest(why)) => {
            let text = match why {
                InvalidRedirect::UnknownClient => Message::PlaceholderUnknownApp,
                InvalidRedirect::WrongRedirectUri => Message::PlaceholderUnknownAddress,
            };
            let texts = [Message::PlaceholderWrongApp, text];
            error_page(app, client, parts, &parameters, texts, "")
        }
        Err(error) => OAuthError::from(error).into_response(),
    }
}

/// Returns the page for a sign-in whose ticket has expired.
pub(super) fn expired_page(
    app: &App,
    client: &Client,
    parts: &Parts,
    request: &AuthorizationRequest,
) -> Response {
    let parameters = Parameters::parse(request.parameters.as_bytes());
    let texts = [Message::PlaceholderTooLate, Message::PlaceholderStartAgain];
    error_page(app, client, parts, &parameters, texts, &request.name)
}

/// Returns an error page, which repeats no value of a request.
fn error_page(
    app: &App,
    client: &Client,
    parts: &Parts,
    parameters: &Parameters,
    [title, text]: [Message; 2],
    app_name: &str,
) -> Response {
    let wished = request::ui_language(parameters);
    let language = page::page_language(app, parts, client, wished);
    let text = text.format(language, &[("name", app_name)]);
    let page = placeholders::plain_page(app, client, language, title.text(language), &text);
    (StatusCode::BAD_REQUEST, NO_STORE, page).into_response()
}

/// Redirects a request by POST to the same request by GET. Browsers do not send the session cookie (SameSite=Lax) with a
/// POST of another site.
pub(super) async fn redirect_to_get(FormBody(parameters): FormBody) -> Response {
    let query = parameters.without(&["continue"]).finish();
    redirect_to(&format!("/account/oidc/authorize?{query}"), ())
}
