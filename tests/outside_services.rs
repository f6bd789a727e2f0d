//! The provider of header and footer and the translation service: slow, absent, invalid or hostile. The site continues.

mod addresses;
mod failures;
mod fragments;
mod pages;
mod staleness;
mod translations;

use account::config::Config;

use crate::wire::service::Service;

/// Settings that request both from this service, with a time-out of half a second.
fn use_service(service: &Service) -> impl FnOnce(&mut Config) {
    let url = service.url();
    move |config| {
        config.fragments.url = Some(format!("{url}/parts").parse().unwrap());
        config.fragments.timeout = "500ms".parse().unwrap();
        config.translations.url = Some(format!("{url}/words/{{environment}}").parse().unwrap());
        config.translations.timeout = "500ms".parse().unwrap();
    }
}

const HEADER: &str = "/ui/header?domain=www.example.org";
const FOOTER: &str = "/ui/footer?domain=www.example.org";
