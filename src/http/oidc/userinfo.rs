//! The userinfo endpoint.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};

use super::cross_origin;
use super::error::missing_token;
use super::token::authorization_header;
use crate::app::{App, SharedApp};
use crate::http::extract::form_body::FormBody;
use crate::oidc::error::{OAuthCode, OAuthError};
use crate::oidc::userinfo;

/// Returns the claims of the access token, which is in the Authorization header or in the form body of a POST (RFC 6750
/// section 2).
pub(super) async fn userinfo(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<FormBody, OAuthError>,
) -> Response {
    let answer = match body {
        Ok(FormBody(parameters)) => respond(&app, &headers, parameters.get("access_token")).await,
        Err(error) => error.into_response(),
    };
    cross_origin::add_cors_headers(&app, &headers, answer)
}

async fn respond(app: &App, headers: &HeaderMap, in_body: Option<&str>) -> Response {
    let in_header = authorization_header(headers).map(|text| match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    });
    let token = match (in_header, in_body) {
        (Some(token), None) | (None, Some(token)) => token,
        (None, None) => return missing_token(),
        (Some(_), Some(_)) => {
            let why = "present the access token once";
            return OAuthError::new(OAuthCode::InvalidRequest, why).into_response();
        }
    };
    match userinfo::read_claims(app, token).await {
        Ok(claims) => ([(CACHE_CONTROL, "no-store")], Json(claims)).into_response(),
        Err(error) => error.into_response(),
    }
}
