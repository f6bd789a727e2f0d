//! Well-known URLs for browsers and password managers, at the root of the host.

use serde_json::json;

use super::operation::get_routes;
use super::prelude::*;
use super::site::Site;

pub(crate) fn router() -> Router<Site> {
    get_routes! {
        "/.well-known/change-password" => change_password;
        "/.well-known/webauthn" => related_origins;
        "/.well-known/passkey-endpoints" => passkey_endpoints;
    }
}

/// Redirects password managers to the page that changes a password (W3C "A Well-Known URL for Changing Passwords").
async fn change_password() -> Redirect {
    Redirect::temporary("/account/settings?change=password")
}

/// Returns the origins that may use the passkeys of this host (WebAuthn Level 3 section 5.11). Only the host of the
/// relying party lists these origins.
async fn related_origins(State(app): State<SharedApp>, client: Client) -> Response {
    let party = app.config.related_party();
    if !app.config.has_passkeys() || client.host != party.id {
        return StatusCode::NOT_FOUND.into_response();
    }
    let body = Json(json!({"origins": party.origins}));
    ([(CACHE_CONTROL, "public, max-age=3600")], body).into_response()
}

/// Returns the URLs of the pages that manage passkeys (W3C "Passkey endpoints").
async fn passkey_endpoints(State(app): State<SharedApp>) -> Response {
    if !app.config.has_passkeys() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let page = format!("{}/account/settings/security", app.config.server.public_url);
    Json(json!({"enroll": page, "manage": page})).into_response()
}
