//! The checks of GET requests that change data or issue a token.

use axum::Extension;
use axum::extract::FromRequestParts;
use axum::http::header::ALLOW;

use crate::http::prelude::*;

/// Accepts only a request that a page of this site sent with `fetch`, so that a mail scanner, a prefetch, and a link or
/// image of another site change no data. The response to other requests is 403 `cross_site`. A HEAD request gets 405,
/// because axum would run the handler of GET for it.
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
            false if is_typed_url(&parts.headers) => {
                let message = Message::ErrorOwnPageOnly;
                Err(ApiError::with_message(ErrorCode::CrossSite, message).into_response())
            }
            false => Err(ApiError::from(ErrorCode::CrossSite).into_response()),
        }
    }
}

fn has_value(headers: &HeaderMap, name: &str, values: &[&str]) -> bool {
    headers.get(name).is_some_and(|value| {
        values
            .iter()
            .any(|v| value.as_bytes().eq_ignore_ascii_case(v.as_bytes()))
    })
}

/// Returns whether the person has typed or pasted the URL into the address bar, so that no website caused the request.
fn is_typed_url(headers: &HeaderMap) -> bool {
    has_value(headers, "sec-fetch-site", &["none"])
        && has_value(headers, "sec-fetch-mode", &["navigate"])
}

/// Rejects HEAD requests of scanners and prefetches of browsers for pages that change data when a person opens them.
pub(crate) struct Navigation;

impl<S: Sync> FromRequestParts<S> for Navigation {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        refuse_speculative(parts).map_or(Ok(Navigation), Err)
    }
}

/// Returns whether the browser or a scanner sent the request before a person asked for the page.
pub(crate) fn is_speculative(parts: &Parts) -> bool {
    parts.method == Method::HEAD || is_prefetch(&parts.headers)
}

/// The response extension that marks the 503 for a refused prefetch, which the metrics do not count as a server error.
#[derive(Clone)]
pub(crate) struct RefusedPrefetch;

/// Returns the response that refuses a HEAD request or a prefetch, or `None` if a person has asked for the page.
///
/// A prefetch gets an error, because Chromium then sends the request again when the person opens the page. Chromium
/// uses a prefetched 204 as the response for the person, whose click then has no effect.
pub(crate) fn refuse_speculative(parts: &Parts) -> Option<Response> {
    if is_prefetch(&parts.headers) {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Some((status, Extension(RefusedPrefetch), NO_STORE).into_response())
    } else if parts.method == Method::HEAD {
        Some((StatusCode::NO_CONTENT, NO_STORE).into_response())
    } else {
        None
    }
}

fn is_prefetch(headers: &HeaderMap) -> bool {
    let names = ["sec-purpose", "purpose", "x-purpose", "x-moz"];
    let mut values = names.iter().flat_map(|name| headers.get_all(*name));
    values.any(|value| {
        let value = value.to_str().unwrap_or_default().to_ascii_lowercase();
        let purposes = ["prefetch", "preview", "prerender"];
        purposes.iter().any(|purpose| value.contains(purpose))
    })
}

fn is_own_fetch(headers: &HeaderMap) -> bool {
    let is = |name: &str, values: &[&str]| has_value(headers, name, values);
    let elsewhere = is("sec-fetch-site", &["cross-site", "same-site"])
        || is("sec-fetch-mode", &["navigate", "no-cors"])
        || headers
            .get("sec-fetch-dest")
            .is_some_and(|dest| dest != "empty");
    !is_prefetch(headers) && !elsewhere
}
