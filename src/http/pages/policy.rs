//! The Content-Security-Policy of the pages.

use super::branding::digest;
use super::page_fragments;
use super::template::early_script_digest;
use crate::http::prelude::*;

/// The policy of the pages: only files of this site, and pictures of the configured fragment service.
pub(crate) fn page_policy(config: &Config) -> Result<HeaderValue, String> {
    let provider = config
        .fragments
        .url
        .as_ref()
        .and_then(|url| url::Url::parse(&url.base_url("")).ok());
    let provider = provider.map_or_else(String::new, |url| {
        format!(" {}", url.origin().ascii_serialization())
    });
    let early_digest = early_script_digest();
    let parts = digest(page_fragments::STYLE);
    let policy = format!(
        "default-src 'none'; script-src 'self' {early_digest}; style-src 'self' {parts}; \
         img-src 'self' data:{provider}; connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; \
         base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).map_err(|_| "fragments.url: must be ASCII".to_owned())
}
