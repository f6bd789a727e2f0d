//! The visitor's HTTP request as a proxy describes it (forward-auth).

use axum::http::header::ACCEPT;

use super::client;
use super::same_origin::is_speculative;
use crate::domain::host_name::split_port;
use crate::domain::local_path::LocalPath;
use crate::http::prelude::*;

/// A visitor's HTTP request, as a trusted proxy describes it in `X-Forwarded-*`. If the peer is no trusted proxy, the
/// host is unknown or forward-auth is off, the response is `not_found`.
pub(crate) struct ForwardedRequest {
    /// The configured host that the visitor requests, without a port.
    pub host: String,
    pub path: LocalPath,
    /// Whether the browser opens a page with the request.
    pub is_navigation: bool,
    /// Whether the browser or a scanner sent the request before a person asked for the page.
    pub is_speculative: bool,
}

extractor!(ForwardedRequest, ApiError, |parts, app| {
    let headers = &parts.headers;
    if !app.config.forward_auth.enabled || !client::is_proxied(&parts.extensions, &app) {
        return Err(ErrorCode::NotFound.into());
    }
    let host = single_header(headers, "x-forwarded-host").map(|host| split_port(host).0);
    let host = host.filter(|host| app.config.is_own_host(host));
    Ok(ForwardedRequest {
        host: host.ok_or(ErrorCode::NotFound)?.to_owned(),
        path: LocalPath::parse_or_start(single_header(headers, "x-forwarded-uri").unwrap_or("/")),
        is_navigation: is_navigation(&parts.method, headers),
        is_speculative: is_speculative(parts)
            || single_header(headers, "x-forwarded-method") == Some("HEAD"),
    })
});

/// Returns the value of a header if the header occurs exactly once.
fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    }
}

/// Returns whether the HTTP request is a GET that opens a page. If the browser sends no fetch metadata, `Accept:
/// text/html` decides.
fn is_navigation(method: &Method, headers: &HeaderMap) -> bool {
    let method = single_header(headers, "x-forwarded-method").unwrap_or(method.as_str());
    let is_document = match headers.get("sec-fetch-mode") {
        Some(mode) => mode == "navigate",
        None => {
            single_header(headers, ACCEPT.as_str()).is_some_and(|types| types.contains("text/html"))
        }
    };
    method == "GET" && is_document
}
