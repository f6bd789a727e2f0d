//! The security headers of every response, including errors and files, and the additional headers of API responses.

use axum::http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};

use crate::http::prelude::*;

/// The Content-Security-Policy of an HTML response whose route sets no policy, such as a fragment (header or footer)
/// that is opened as a page. The policy permits no script.
const STANDALONE_HTML_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; \
    form-action 'none'; sandbox";
const DEFAULT_POLICY: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

// The names are `HeaderName`s instead of strings, because `HeaderMap` would copy a string for each response.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// The constant headers, which are built once. Copying a map is cheaper than inserting each header.
pub(crate) struct FixedHeaders {
    all: HeaderMap,
    /// The headers of API responses, including `no-store`.
    api: HeaderMap,
}

impl FixedHeaders {
    pub(crate) fn new(config: &Config) -> FixedHeaders {
        let mut all = HeaderMap::new();
        let mut insert =
            |name: HeaderName, value| all.insert(name, HeaderValue::from_static(value));
        insert(CONTENT_SECURITY_POLICY, DEFAULT_POLICY);
        insert(X_CONTENT_TYPE_OPTIONS, "nosniff");
        insert(REFERRER_POLICY, "no-referrer");
        insert(RESOURCE_POLICY, "same-origin");
        insert(PERMISSIONS, "camera=(), geolocation=(), microphone=()");
        if config.is_https() {
            insert(
                STRICT_TRANSPORT_SECURITY,
                match config.server.hsts_subdomains {
                    true => "max-age=31536000; includeSubDomains",
                    false => "max-age=31536000",
                },
            );
        }
        let mut api = all.clone();
        api.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        FixedHeaders { all, api }
    }
}

/// Adds the constant headers to a response, but keeps a policy and a caching header that the route has set.
pub(crate) fn add_headers(fixed: &FixedHeaders, response: &mut Response, is_api: bool) {
    let fixed = if is_api { &fixed.api } else { &fixed.all };
    let own = std::mem::replace(response.headers_mut(), fixed.clone());
    let headers = response.headers_mut();
    let is_html = own
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_html {
        let policy = HeaderValue::from_static(STANDALONE_HTML_POLICY);
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.extend(own);
    if is_api {
        headers.append(VARY, HeaderValue::from_static("accept-language"));
    }
}
