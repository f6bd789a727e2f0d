//! Pages: the HTML document and the files of the front end, header and footer, and the branding of a region.

pub mod branding;
mod continuation;
pub mod files;
pub(crate) mod fragments;
pub(crate) mod page;
pub mod page_fragments;
pub(crate) mod placeholders;
mod policy;
pub(crate) mod provider;
pub(crate) mod ready;
pub(crate) mod screens;
pub(crate) mod support;
pub mod table;
pub(crate) mod template;
pub(crate) mod texts;
pub(crate) mod translations;
pub mod upstream;

use axum::http::header::CONTENT_SECURITY_POLICY;

use super::prelude::*;
use crate::http::middleware::headers;
use provider::FragmentProvider;

/// Returns an HTML page with its Content-Security-Policy.
fn html_page(
    html: String,
    policy: impl TryInto<HeaderValue, Error: std::fmt::Display>,
    cache: &'static str,
    vary: &'static str,
    opener_policy: &'static str,
) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, cache),
        (VARY, vary),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            opener_policy,
        ),
    ];
    (headers, [(CONTENT_SECURITY_POLICY, policy)], html).into_response()
}

pub(crate) struct Pages {
    /// The Content-Security-Policy of the pages.
    pub page_policy: HeaderValue,
    pub headers: headers::FixedHeaders,
    /// The branding of each region by its id.
    pub branding: std::collections::HashMap<String, branding::Branding>,
    pub template: template::Template,
    /// The external service that returns header and footer, or `None` if both are built in.
    pub fragment_provider: Option<FragmentProvider>,
    pub translations: translations::TranslationService,
}

impl Pages {
    pub(crate) fn new(config: &Config) -> Result<Pages, String> {
        let page_policy = policy::page_policy(config)?;
        let settings = &config.fragments;
        let url = settings.url.as_ref();
        let fragment_provider = url.map(|url| FragmentProvider::new(url, settings));
        Ok(Pages {
            branding: branding::by_region(config, &page_policy)?,
            page_policy,
            headers: headers::FixedHeaders::new(config),
            template: template::Template::load(),
            fragment_provider: fragment_provider.transpose()?,
            translations: translations::TranslationService::new(&config.translations)?,
        })
    }
}
