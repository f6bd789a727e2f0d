//! Cross-site protection: only pages of this site may send requests that change data (OWASP ASVS 5.0, 3.5.1 to 3.5.3).

use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};

use super::origin::is_cross_site;
use crate::app::App;
use crate::error::{ApiError, ErrorCode};
use crate::http::extract::json_body::is_json;

/// Returns the error if another site sent the request and the request may change data. Every method except GET and HEAD
/// may change data.
pub(crate) fn refuse_cross_site(app: &App, request: &Request) -> Option<ApiError> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let headers = request.headers();
    if is_cross_site(headers, &app.config) {
        tracing::warn!(target: "security", event = "cross_site_refused");
        return Some(ErrorCode::CrossSite.into());
    }
    let has_body = headers.contains_key(TRANSFER_ENCODING)
        || headers
            .get(CONTENT_LENGTH)
            .is_some_and(|length| length != "0");
    let is_not_json = (has_body || headers.contains_key(CONTENT_TYPE)) && !is_json(headers);
    is_not_json.then(|| ErrorCode::UnsupportedMediaType.into())
}
