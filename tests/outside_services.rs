//! The provider of header and footer and the translation service: slow, absent, invalid or hostile. The site continues.

mod addresses;
mod failures;
mod fragments;
mod pages;
mod staleness;
mod translations;

use account::config::Config;
use account::testing::time_limit::TimeLimit;

use crate::wire::service::Service;

/// The time-out of the services.
const TIMEOUT: TimeLimit = TimeLimit::from_millis(500);

/// Settings that request both from this service.
fn use_service(service: &Service) -> impl FnOnce(&mut Config) {
    let url = service.url();
    move |config| {
        config.fragments.url = Some(format!("{url}/parts").parse().unwrap());
        config.fragments.timeout = account::config::Duration(TIMEOUT.get());
        config.translations.url = Some(format!("{url}/words/{{environment}}").parse().unwrap());
        config.translations.timeout = account::config::Duration(TIMEOUT.get());
    }
}

const HEADER: &str = "/ui/header?domain=www.example.org";
const FOOTER: &str = "/ui/footer?domain=www.example.org";
