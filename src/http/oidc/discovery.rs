//! The metadata of the provider (OpenID Connect Discovery 1.0, RFC 8414). `tests/oidc/discovery.rs` tests each value.

use serde_json::{Value, json};

use super::cross_origin_headers;
use crate::config::Scope;
use crate::domain::auth_method::Aal;
use crate::http::prelude::*;
use crate::oidc::request::Prompt;

pub(super) async fn discovery(State(app): State<SharedApp>) -> Response {
    match app.config.issuer() {
        Some(issuer) => {
            (cross_origin_headers(), Json(document(&app.config, &issuer))).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn document(config: &Config, issuer: &str) -> Value {
    let endpoint = |name: &str| format!("{issuer}/oidc/{name}");
    let algorithms = config.signing_algorithms();
    let algorithms: Vec<_> = algorithms.iter().map(|alg| alg.as_str()).collect();
    let methods = ["client_secret_basic", "client_secret_post", "none"];
    json!({
        "issuer": issuer,
        "authorization_endpoint": endpoint("authorize"),
        "token_endpoint": endpoint("token"),
        "userinfo_endpoint": endpoint("userinfo"),
        "jwks_uri": endpoint("jwks"),
        "end_session_endpoint": endpoint("logout"),
        "revocation_endpoint": endpoint("revoke"),
        "scopes_supported": Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": algorithms,
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "code_challenge_methods_supported": ["S256"],
        "acr_values_supported": Aal::ALL.iter().map(|level| level.as_str()).collect::<Vec<_>>(),
        "prompt_values_supported": Prompt::VALUES,
        "account_management_uri": format!("{issuer}/settings"),
        "ui_locales_supported": Language::ALL.map(Language::code),
        "claims_supported": SUPPORTED_CLAIMS,
        "claims_parameter_supported": false,
        "request_parameter_supported": false,
        "request_uri_parameter_supported": false,
        "authorization_response_iss_parameter_supported": true,
        "backchannel_logout_supported": true,
        "backchannel_logout_session_supported": true,
    })
}

const SUPPORTED_CLAIMS: [&str; 20] = [
    "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "acr", "amr", "at_hash",
    "preferred_username", "name", "given_name", "family_name", "locale", "zoneinfo", "updated_at",
    "email", "email_verified",
];
