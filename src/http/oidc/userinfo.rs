//! The userinfo endpoint.

use super::error::missing_token;
use super::token::authorization_header;
use crate::http::extract::form_body::FormBody;
use crate::http::prelude::*;
use crate::oidc::error::{OAuthResult, invalid_request};
use crate::oidc::userinfo;

/// Returns the claims of the access token, which is in the Authorization header or in the form body of a POST (RFC 6750
/// section 2).
pub(super) async fn userinfo(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    FormBody(parameters): FormBody,
) -> OAuthResult<Response> {
    let in_header = authorization_header(&headers).map(|text| match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    });
    let token = match (in_header, parameters.get("access_token")) {
        (Some(token), None) | (None, Some(token)) => token,
        (None, None) => return Ok(missing_token()),
        (Some(_), Some(_)) => {
            let why = "present the access token once";
            return Err(invalid_request(why));
        }
    };
    let claims = userinfo::read_claims(&app, token).await?;
    Ok((NO_STORE, Json(claims)).into_response())
}
