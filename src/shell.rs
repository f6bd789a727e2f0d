//! What surrounds the API: the page that carries the front end, its files, the fragments around
//! it, and the headers on every answer.

pub mod brand;
pub mod dev_mail;
pub mod files;
pub mod fragments;
pub mod gallery;
pub mod headers;
pub mod host;
pub mod page;
pub mod placeholders;
pub mod provider;
pub mod ready;
pub mod request_id;
pub mod screens;
pub mod surroundings;
pub mod texts;
pub mod translations;
pub mod upstream;

use crate::config::Config;

pub struct Shell {
    /// Content-Security-Policy of our pages.
    pub page_policy: axum::http::HeaderValue,
    pub headers: headers::Fixed,
    /// By region id.
    pub looks: std::collections::HashMap<String, brand::Look>,
    pub page: page::Template,
    pub fragments: fragments::Fragments,
    pub translations: translations::Translations,
}

impl Shell {
    pub fn new(config: &Config) -> Result<Shell, String> {
        let page_policy = headers::page_policy(config)?;
        Ok(Shell {
            looks: brand::looks(config, &page_policy)?,
            page_policy,
            headers: headers::Fixed::new(config),
            page: page::Template::load(),
            fragments: fragments::Fragments::new(&config.fragments)?,
            translations: translations::Translations::new(&config.translations)?,
        })
    }
}
