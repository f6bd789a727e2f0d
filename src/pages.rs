//! Pages: the HTML document of the front end, its files, header and footer, and the branding of a region.

pub mod branding;
pub mod dev_mail;
pub mod files;
pub mod fragments;
pub mod gallery;
pub mod page;
pub mod page_fragments;
pub mod placeholders;
pub mod provider;
pub mod ready;
pub mod screens;
pub mod texts;
pub mod translations;
pub mod upstream;

use crate::config::Config;
use crate::middleware::headers;

pub struct Pages {
    /// The Content-Security-Policy of our pages.
    pub page_policy: axum::http::HeaderValue,
    pub headers: headers::Fixed,
    /// By region id.
    pub branding: std::collections::HashMap<String, branding::Branding>,
    pub page: page::Template,
    pub fragments: fragments::FragmentService,
    pub translations: translations::TranslationService,
}

impl Pages {
    pub fn new(config: &Config) -> Result<Pages, String> {
        let page_policy = headers::page_policy(config)?;
        Ok(Pages {
            branding: branding::by_region(config, &page_policy)?,
            page_policy,
            headers: headers::Fixed::new(config),
            page: page::Template::load(),
            fragments: fragments::FragmentService::new(&config.fragments)?,
            translations: translations::TranslationService::new(&config.translations)?,
        })
    }
}
