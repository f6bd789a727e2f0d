//! Cross-site protection: only our own pages may send requests that change something (OWASP ASVS 5.0,
//! 3.5.1 to 3.5.3).

use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Method};

use super::body::is_json;
use super::origin::is_cross_site;
use crate::app::App;
use crate::error::{ApiError, ErrorCode};

/// Runs before every API route. Every method but GET and HEAD counts as changing.
pub(crate) fn refusal(app: &App, request: &Request) -> Option<ApiError> {
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
    let is_strange = (has_body || headers.contains_key(CONTENT_TYPE)) && !is_json(headers);
    is_strange.then(|| ErrorCode::UnsupportedMediaType.into())
}

/// For GETs that confirm something. Only a fetch of our own page passes: no HEAD of a scanner, no
/// prefetch, no link or image of another site (contract 3, Tokens).
pub(crate) fn require_same_origin_fetch(
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    super::answer::refuse_head(method)?;
    let is = |name: &str, values: &[&str]| {
        headers.get(name).is_some_and(|value| {
            values
                .iter()
                .any(|v| value.as_bytes().eq_ignore_ascii_case(v.as_bytes()))
        })
    };
    let mentions_prefetch = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
        .iter()
        .any(|name| {
            let value = headers
                .get(*name)
                .and_then(|v| v.to_str().ok())
                .unwrap_or_default();
            value.contains("prefetch") || value.contains("preview") || value.contains("prerender")
        });
    let elsewhere = is("sec-fetch-site", &["cross-site", "same-site"])
        || is("sec-fetch-mode", &["navigate", "no-cors"])
        || headers
            .get("sec-fetch-dest")
            .is_some_and(|dest| dest != "empty");
    if mentions_prefetch || elsewhere {
        return Err(ErrorCode::CrossSite.into());
    }
    Ok(())
}
