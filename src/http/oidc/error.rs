//! The error responses of OAuth (RFC 6749 section 5.2, RFC 6750 section 3).

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::json;

use crate::error::DatabaseRefusal;
use crate::http::error::DatabaseReadOnly;
use crate::http::prelude::*;
use crate::oidc::error::{OAuthCode, OAuthError};

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status()).expect("a status in the table");
        let body = json!({"error": self.code.as_str(), "error_description": self.description});
        let mut response = (status, NO_STORE, Json(body)).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        // RFC 9110 section 11.6.1 requires a challenge in each 401 response.
        if let Some(challenge) = bearer_challenge(&self) {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        if self.database == Some(DatabaseRefusal::ReadOnly) {
            response.extensions_mut().insert(DatabaseReadOnly);
        }
        response
    }
}

fn bearer_challenge(error: &OAuthError) -> Option<HeaderValue> {
    let text = match error.code {
        OAuthCode::InvalidClient => "Basic realm=\"account\", charset=\"UTF-8\"".to_owned(),
        OAuthCode::InvalidToken => {
            let (code, why) = (error.code.as_str(), error.description);
            format!("Bearer error=\"{code}\", error_description=\"{why}\"")
        }
        _ => return None,
    };
    Some(HeaderValue::try_from(text).expect("descriptions are ASCII"))
}

/// Returns the 401 response to a request without an access token. It has no error code (RFC 6750 section 3.1).
pub(super) fn missing_token() -> Response {
    let headers = [
        (CACHE_CONTROL, "no-store"),
        (WWW_AUTHENTICATE, "Bearer realm=\"account\""),
    ];
    (StatusCode::UNAUTHORIZED, headers).into_response()
}
