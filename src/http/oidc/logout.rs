//! The end session endpoint.

use super::redirect_to;
use crate::http::cookies::CookieSetter;
use crate::http::extract::form_body::FormBody;
use crate::http::extract::same_origin::Navigation;
use crate::http::prelude::*;
use crate::oidc::error::OAuthResult;
use crate::oidc::logout::{self, LogoutOutcome};
use crate::oidc::parameters::Parameters;

pub(super) async fn logout(
    State(app): State<SharedApp>,
    _: Navigation,
    client: Client,
    uri: Uri,
) -> OAuthResult<Response> {
    let parameters = Parameters::parse(uri.query().unwrap_or_default().as_bytes());
    Ok(match logout::logout(&app, &client, &parameters).await? {
        LogoutOutcome::SignedOut(address) => {
            redirect_to(&address, CookieSetter::new(&app).clear_session())
        }
        LogoutOutcome::ConfirmationRequired(page) => redirect_to(&page, ()),
    })
}

/// See `authorization::redirect_to_get`.
pub(super) async fn redirect_to_get(FormBody(parameters): FormBody) -> Response {
    let query = parameters.without(&[]).finish();
    redirect_to(&format!("/account/oidc/logout?{query}"), ())
}
