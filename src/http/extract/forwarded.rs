//! The visitor's request that a proxy describes (forward-auth).

use axum::extract::{FromRef, FromRequestParts};
use axum::http::header::ACCEPT;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};

use super::client;
use crate::app::SharedApp;
use crate::domain::local_path::LocalPath;
use crate::error::{ApiError, ErrorCode};

/// A visitor's request, as a trusted proxy describes it in `X-Forwarded-*`. The call returns `not_found` for every
/// other peer, for an unknown host, and where forward-auth is off.
pub(crate) struct Forwarded {
    /// A configured host, without a port.
    pub host: String,
    pub path: LocalPath,
    /// Whether the browser opens a page with it.
    pub is_navigation: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for Forwarded
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let app = SharedApp::from_ref(state);
        let headers = &parts.headers;
        if !app.config.forward_auth.enabled || !client::is_proxied(&parts.extensions, &app) {
            return Err(ErrorCode::NotFound.into());
        }
        let host = single_header(headers, "x-forwarded-host").map(client::without_port);
        let host = host.filter(|host| app.config.is_own_host(host));
        Ok(Forwarded {
            host: host.ok_or(ErrorCode::NotFound)?.to_owned(),
            path: LocalPath::parse_or_start(
                single_header(headers, "x-forwarded-uri").unwrap_or("/"),
            ),
            is_navigation: is_navigation(&parts.method, headers),
        })
    }
}

/// Returns the value of a header that occurs once.
fn single_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(only), None) => only.to_str().ok(),
        _ => None,
    }
}

/// Returns whether the request is a GET that opens a page. Without fetch metadata, `Accept: text/html` decides.
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
