//! Security headers on every answer, errors and files included (contract 3, Headers).

use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use crate::app::App;
use crate::config::Config;

/// The policy of our pages: our own files and nothing else, but for pictures of the provider whose
/// header and footer stand around them.
pub fn page_policy(config: &Config) -> Result<HeaderValue, String> {
    let provider = config
        .fragments
        .url
        .as_deref()
        .and_then(|url| url::Url::parse(url).ok());
    let provider = provider.map_or_else(String::new, |url| {
        format!(" {}", url.origin().ascii_serialization())
    });
    let early = super::page::early_digest();
    let parts = super::brand::digest(super::surroundings::STYLE);
    let policy = format!(
        "default-src 'none'; script-src 'self' {early}; style-src 'self' {parts}; \
         img-src 'self' data:{provider}; connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; \
         base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).map_err(|_| "fragments.url: must be ASCII".to_owned())
}

/// HTML that is no page of ours: fragments, opened directly, run nothing.
const LOOSE_HTML: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; \
    form-action 'none'; sandbox";
const ELSE: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Marks an answer as one of our pages, which may run our scripts.
const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
// As names, not as text: of a text the map makes a copy for each answer.
const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

pub fn add(app: &App, response: &mut Response) {
    let headers = response.headers_mut();
    headers.reserve(8);
    let fixed = HeaderValue::from_static;
    let is_html = headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let policy = match (is_html, headers.contains_key(COOP)) {
        (true, true) => app.shell.page_policy.clone(),
        (true, false) => fixed(LOOSE_HTML),
        _ => fixed(ELSE),
    };
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(policy);
    headers.insert(X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(REFERRER_POLICY, fixed("no-referrer"));
    headers.insert(CORP, fixed("same-origin"));
    headers.insert(
        PERMISSIONS,
        fixed("camera=(), geolocation=(), microphone=()"),
    );
    if app.config.https() {
        headers.insert(
            STRICT_TRANSPORT_SECURITY,
            fixed("max-age=31536000; includeSubDomains"),
        );
    }
}
