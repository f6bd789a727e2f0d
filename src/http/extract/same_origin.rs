//! The origin check for GET requests that confirm something.

use axum::extract::FromRequestParts;
use axum::http::header::ALLOW;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;

/// Extracted if one of this site's pages fetches: no HEAD of a scanner, no prefetch, no link or image of another site
/// (contract 3, Tokens). 405 for HEAD, because axum would run the handler of GET; 403 `cross_site` for all other
/// requests.
pub(crate) struct SameOriginFetch;

impl<S: Sync> FromRequestParts<S> for SameOriginFetch {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        if parts.method == Method::HEAD {
            let error = ApiError::from(ErrorCode::MethodNotAllowed);
            return Err(([(ALLOW, "GET")], error).into_response());
        }
        match is_own_fetch(&parts.headers) {
            true => Ok(SameOriginFetch),
            false => Err(ApiError {
                message: is_typed(&parts.headers).then_some(Message::ErrorOwnPageOnly),
                ..ErrorCode::CrossSite.into()
            }
            .into_response()),
        }
    }
}

/// Whether the header has one of the values.
fn has(headers: &HeaderMap, name: &str, values: &[&str]) -> bool {
    headers.get(name).is_some_and(|value| {
        values
            .iter()
            .any(|v| value.as_bytes().eq_ignore_ascii_case(v.as_bytes()))
    })
}

/// Whether a person has typed or copied the address, so that no website sent the request.
fn is_typed(headers: &HeaderMap) -> bool {
    has(headers, "sec-fetch-site", &["none"]) && has(headers, "sec-fetch-mode", &["navigate"])
}

fn is_own_fetch(headers: &HeaderMap) -> bool {
    let is = |name: &str, values: &[&str]| has(headers, name, values);
    let elsewhere = is("sec-fetch-site", &["cross-site", "same-site"])
        || is("sec-fetch-mode", &["navigate", "no-cors"])
        || headers
            .get("sec-fetch-dest")
            .is_some_and(|dest| dest != "empty");
    !is_prefetch(headers) && !elsewhere
}

/// Whether the browser, or an older one of its kind, fetches the address before a person asks for it.
pub(crate) fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose", "x-purpose", "x-moz"]
        .iter()
        .any(|name| {
            let value = headers
                .get(*name)
                .and_then(|v| v.to_str().ok())
                .unwrap_or_default();
            value.contains("prefetch") || value.contains("preview") || value.contains("prerender")
        })
}
