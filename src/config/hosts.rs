//! Explains which settings apply to each host, for `account check-config`.

use super::mask::mask_url;
use super::{Config, Region};

const UNKNOWN_HOST: &str = "any other host";

/// Returns one block of text for each host, in the order of the configuration. The block for unknown hosts comes first,
/// because unknown hosts belong to the first region.
pub fn describe_hosts(config: &Config) -> String {
    let known = config.regions.iter();
    let known = known.flat_map(|region| region.hosts.iter().map(move |host| (&**host, region)));
    let all = std::iter::once((UNKNOWN_HOST, &config.regions[0])).chain(known);
    all.map(|(host, region)| describe_host(config, region, host))
        .collect()
}

fn describe_host(config: &Config, region: &Region, host: &str) -> String {
    let Region {
        id,
        environment,
        brand,
        accent,
        timezone,
        ..
    } = region;
    let language = region.language().code();
    let zip = match region.migration_zip {
        super::MigrationZip::Us => "at migration as in the US",
        super::MigrationZip::Any => "any",
    };
    let form = match region.migration_form {
        super::CompletionVariant::Full => "full",
        super::CompletionVariant::Short => "short",
    };
    let from = region.mail_from.as_ref().unwrap_or(&config.mail.from);
    let links = region.links.with_names();
    let links = links
        .iter()
        .filter_map(|(key, link)| Some(format!("{key} {}", (*link)?)));
    let links = match links.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_owned(),
        links => links,
    };
    let header = fragment_source(config, region, host);
    let words = translation_source(config, region);
    let consent = region
        .consent
        .as_ref()
        .map_or("none", |consent| &consent.boot_url);
    format!(
        "{host}
  region        {id} ({environment})
  brand         {brand}, {accent}
  language      {language}, times as in {timezone}
  zip code      {zip}
  migration form {form}
  mail from     {from}
  links         {links}
  header from   {header}
  words from    {words}
  consent       {consent}
"
    )
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
