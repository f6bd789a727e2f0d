//! Explains which settings apply to each host, for `account check-config`.

use std::fmt::Write;

use super::mask::mask_url;
use super::{Config, Region};

const UNKNOWN_HOST: &str = "any other host";

/// Returns one block of text for each host, in the order of the configuration. The block for unknown hosts comes first,
/// because unknown hosts belong to the first region.
pub fn describe_hosts(config: &Config) -> String {
    let mut out = String::new();
    let mut seen = vec![(UNKNOWN_HOST, &config.regions[0])];
    for region in &config.regions {
        seen.extend(region.hosts.iter().map(|host| (host.as_str(), region)));
    }
    for (host, region) in seen {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{host}");
        for (label, value) in host_settings(config, region, host) {
            let _ = writeln!(out, "  {label:<13} {value}");
        }
    }
    out
}

fn host_settings(config: &Config, region: &Region, host: &str) -> Vec<(&'static str, String)> {
    let links = region.links.with_names();
    let links: Vec<String> = links
        .iter()
        .filter_map(|(key, link)| Some(format!("{key} {}", (*link)?)))
        .collect();
    let none = |text: String| match text.is_empty() {
        true => "none".to_owned(),
        false => text,
    };
    vec![
        ("region", format!("{} ({})", region.id, region.environment)),
        ("brand", format!("{}, {}", region.brand, region.accent)),
        (
            "language",
            format!(
                "{}, times as in {}",
                region.language().code(),
                region.timezone
            ),
        ),
        (
            "zip code",
            match region.migration_zip {
                super::MigrationZip::Us => "at migration as in the US".to_owned(),
                super::MigrationZip::Any => "any".to_owned(),
            },
        ),
        (
            "migration form",
            match region.migration_form {
                super::CompletionVariant::Full => "full".to_owned(),
                super::CompletionVariant::Short => "short".to_owned(),
            },
        ),
        (
            "mail from",
            region
                .mail_from
                .as_ref()
                .unwrap_or(&config.mail.from)
                .clone(),
        ),
        ("links", none(links.join(", "))),
        ("header from", fragment_source(config, region, host)),
        ("words from", translation_source(config, region)),
        (
            "consent",
            region
                .consent
                .as_ref()
                .map_or_else(|| "none".to_owned(), |consent| consent.boot_url.clone()),
        ),
    ]
}

fn fragment_source(config: &Config, region: &Region, host: &str) -> String {
    let Some(url) = &config.fragments.url else {
        return "built in".to_owned();
    };
    let domain = match host {
        UNKNOWN_HOST => config.first_host_or_public(region),
        host => host.to_owned(),
    };
    service_url(&url.base_url(""), "header", Some(&domain))
}

/// Returns the URL of a file on a service, without the credentials in the URL of the service.
fn service_url(base: &str, file: &str, domain: Option<&str>) -> String {
    let (path, query) = match base.split_once('?') {
        Some((path, query)) => (path.trim_end_matches('/'), Some(query.to_owned())),
        None => (base, None),
    };
    let domain = domain.map(|domain| format!("domain={domain}"));
    let query: Vec<String> = query.into_iter().chain(domain).collect();
    let separator = if query.is_empty() { "" } else { "?" };
    mask_url(&format!("{path}/{file}{separator}{}", query.join("&")))
}

fn translation_source(config: &Config, region: &Region) -> String {
    let Some(url) = &config.translations.url else {
        return "built in".to_owned();
    };
    let language = region.language().code();
    service_url(
        &url.base_url(&region.environment),
        &format!("{language}.json"),
        None,
    )
}
