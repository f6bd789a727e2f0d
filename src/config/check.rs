//! Checks rules that the types of the settings cannot express. Each problem is one line with the setting and the fix.

use std::collections::HashSet;
use std::net::SocketAddr;

use serde_json::Value;

use super::host::{
    is_path_or_url, is_picture_url, is_web_url, normalize_host, normalize_origin, parse_url,
};
use super::oidc::KEY_PREPUBLISH_MILLIS;
use super::region::language_code;
use super::{Config, OidcClient, Pkce, Region, Scope, is_loopback_name, parse_sender};
use crate::domain::{country, visible_text};

/// Memory in KiB times passes of a hash with the default settings.
pub(super) const DEFAULT_HASH_COST: u64 = 19_456 * 2;
/// The forms accept no birth year before 1900.
const MAX_AGE: u32 = 120;

/// The settings that may be zero. For every other setting, zero would make the program useless: for example, no session
/// would ever be valid, or a job would run without a pause.
const MAY_BE_ZERO: [&str; 13] = [
    "server.shutdown_grace", "server.drain_delay", "fragments.ttl", "translations.ttl",
    "security.second_factor_trust", "lifetimes.deletion_grace", "lifetimes.username_hold",
    "lifetimes.inactive_account", "lifetimes.activity", "lifetimes.audit", "age.registration",
    "age.migration", "oidc.refresh_grace",
];

pub fn problems(config: &Config) -> Vec<String> {
    let settings = serde_json::to_value(config).expect("settings are JSON");
    let mut found = Vec::new();
    check_bounds(&settings, "", &mut found);
    found.extend(broken("", setting_rules(config)));
    for (at, region) in config.regions.iter().enumerate() {
        let path = format!("regions[{at}].");
        found.extend(broken(&path, region_rules(region)));
        for (key, link) in region.links.with_names() {
            let is_link = |link: &str| is_path_or_url(link) || link.starts_with("mailto:");
            if !link.is_none_or(is_link) {
                found.push(format!(
                    "{path}links.{key}: must be a path like /terms or an address with http:// or https://"
                ));
            }
        }
    }
    for (at, client) in config.oidc.clients.iter().enumerate() {
        found.extend(broken(
            &format!("oidc.clients[{at}]."),
            client_rules(config, client),
        ));
    }
    for (at, webhook) in config.webhooks.iter().enumerate() {
        let problem = webhook.event_problem();
        found.extend(problem.map(|problem| format!("webhooks[{at}].events: {problem}")));
    }
    let rp_id = super::passkeys::rp_id_problem(config);
    found.extend(rp_id.map(|problem| format!("passkeys.rp_id: {problem}")));
    check_repeated(config, &mut found);
    found
}

/// Returns the error messages of the rules that are not met, each after the path.
fn broken<'a>(
    path: &'a str,
    rules: impl IntoIterator<Item = (bool, &'a str)>,
) -> impl Iterator<Item = String> {
    let broken = rules.into_iter().filter(|(is_met, _)| !is_met);
    broken.map(move |(_, problem)| format!("{path}{problem}"))
}

/// Returns for each rule whether the settings follow it, and the error message if they do not.
#[rustfmt::skip] // One rule has two lines.
fn setting_rules(config: &Config) -> Vec<(bool, &'static str)> {
    let Config { server, database, fragments, password, lifetimes, mail, age, oidc, .. } = config;
    let is_prod = config.regions.iter().any(|region| region.environment == "prod");
    let is_1s = |duration: super::Duration| duration.millis() >= 1000;
    vec![
        (normalize_origin(&server.public_url).is_some(),
         "server.public_url: must be an origin like https://www.example.org, without a path"),
        (!server.ops_listen.is_some_and(|ops| is_same_address(ops, server.listen)),
         "server.ops_listen: must be another address or port than server.listen; its metrics are for operators only"),
        (server.site_home.as_deref().is_none_or(is_path_or_url),
         "server.site_home: must be a path like /home or an address with http:// or https://"),
        (!server.site_home.as_deref().is_some_and(|home| config.is_own_root(home)),
         "server.site_home: is the address that redirects to it; use a path like /home, or the address of another host"),
        (!config.forward_auth.enabled || !server.trusted_proxies.0.is_empty(),
         "forward_auth.enabled: only proxies in server.trusted_proxies may call it, and that is empty"),
        (database.client_cert_file.is_some() == database.client_key_file.is_some(),
         "database.client_cert_file, client_key_file: set both or neither"),
        ((2..=10_000).contains(&database.max_connections),
         "database.max_connections: from 2 to 10000"),
        (parse_sender(&mail.from).is_some(),
         "mail.from: must be a mailbox like Name <name@example.org>, in ASCII before the @"),
        ((1 << 10..=64 << 20).contains(&fragments.max_bytes.0),
         "fragments.max_bytes: from 1 KiB to 64 MiB"),
        (is_log_filter(&config.log.level),
         "log.level: must be error, warn, info, debug or trace"),
        ((8..=1 << 20).contains(&password.memory_kib),
         "password.memory_kib: from 8 KiB to 1 GiB (1048576)"),
        (password.cost() <= 4000 * DEFAULT_HASH_COST,
         "password.iterations: a hash takes a minute; memory_kib times iterations is above 4000 times the default"),
        (password.max_parallel.is_none_or(|count| count <= 256),
         "password.max_parallel: from 1 to 256"),
        (age.registration <= MAX_AGE, "age.registration: from 0 to 120"),
        (age.migration <= MAX_AGE, "age.migration: from 0 to 120"),
        (lifetimes.inactive_account.millis() == 0 || lifetimes.inactive_account.days() >= 90,
         "lifetimes.inactive_account: 0s, or at least 90d; reminders are mailed from 60 days before the deletion"),
        (is_1s(oidc.access_token), "oidc.access_token: must be at least 1s"),
        (is_1s(oidc.id_token), "oidc.id_token: must be at least 1s"),
        (is_1s(oidc.code), "oidc.code: must be at least 1s"),
        (is_1s(oidc.refresh_token), "oidc.refresh_token: must be at least 1s"),
        (oidc.key_lifetime.millis() > KEY_PREPUBLISH_MILLIS,
         "oidc.key_lifetime: must be longer than 24h, for which a key is published before its use"),
        (config.is_https() || !is_prod,
         "server.public_url: must be https where a region's environment is prod"),
        (mail.smtp_url.is_some() || !is_prod,
         "mail.smtp_url: must be set (or smtp_url_file) where a region's environment is prod; without it mails are not sent, and can be read at /account/dev/mail"),
    ]
}

#[rustfmt::skip] // One rule has two lines.
fn region_rules(region: &Region) -> Vec<(bool, &'static str)> {
    let Region { consent, translation_source_language: source, .. } = region;
    let is_mailbox = |from: &str| parse_sender(from).is_some();
    let is_locale = |tag: &str| language_code(tag).is_some();
    let is_url = |url: fn(&super::Consent) -> &str| consent.as_ref().is_none_or(|consent| is_web_url(url(consent)));
    vec![
        (jiff::tz::TimeZone::get(&region.timezone).is_ok(), "timezone: must be the name of a time zone"),
        (["dev", "stage", "preProd", "prod"].contains(&&*region.environment),
         "environment: must be one of dev, stage, preProd, prod"),
        (region.logo.as_deref().is_none_or(is_path_or_url),
         "logo: must be a path like /logo.svg or an address with http:// or https://"),
        (region.avatar_images.as_deref().is_none_or(is_picture_url),
         "avatar_images: must be an address with https:// and {username} or {id} in its path or query"),
        (region.hosts.iter().all(|host| normalize_host(host).is_some()),
         "hosts: host names only, without scheme, port, asterisk or trailing dot"),
        (region.country_code.as_deref().is_none_or(|code| country::parse(code).is_ok()),
         "country_code: must be a two-letter code (ISO 3166-1) that the forms list, like us or gb"),
        (region.mail_from.as_deref().is_none_or(is_mailbox),
         "mail_from: must be a mailbox like Name <name@example.org>, in ASCII before the @"),
        (is_locale(&region.locale), "locale: must be a language and a country, like en-US"),
        (source.as_deref().is_none_or(is_locale), "translation_source_language: must be a language, like en"),
        (is_url(|consent| &consent.script_url), "consent.script_url: must be an address with http:// or https://"),
        (is_url(|consent| &consent.boot_url), "consent.boot_url: must be an address with http:// or https://"),
    ]
}

#[rustfmt::skip] // One rule has two lines.
fn client_rules(config: &Config, client: &OidcClient) -> Vec<(bool, &'static str)> {
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let has_region = |id: &String| config.regions.iter().any(|region| region.id == *id);
    let are_urls = |uris: &[String]| uris.iter().all(|uri| is_client_url(uri));
    vec![
        (client.id.len() <= 64 && client.id.bytes().all(is_id), "id: 1 to 64 letters, digits, and . _ -"),
        (visible_text::parse_name(&client.name, 60).is_some(), "name: 1 to 60 characters in one line"),
        (!client.redirect_uris.is_empty(), "redirect_uris: needs at least one address"),
        (are_urls(&client.redirect_uris),
         "redirect_uris: must be https addresses, or http on this machine, without fragment, credentials and wildcards"),
        (are_urls(&client.post_logout_redirect_uris),
         "post_logout_redirect_uris: must be https addresses, or http on this machine, without fragment, credentials and wildcards"),
        (are_urls(client.backchannel_logout_uri.as_slice()),
         "backchannel_logout_uri: must be an https address, or http on this machine, without fragment, credentials and wildcards"),
        (client.scopes.contains(&Scope::Openid), "scopes: must contain openid"),
        (client.pkce == Pkce::Required || !client.is_public(),
         "pkce: must be required for a public client (one without secret_sha256 and secret_sha256_file)"),
        (client.region.as_ref().is_none_or(has_region), "region: there is no region with this id"),
    ]
}

/// Adds a problem for each empty text, and for each zero with which the program would be useless.
fn check_bounds(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(settings) => {
            let point = if path.is_empty() { "" } else { "." };
            for (key, value) in settings {
                check_bounds(value, &format!("{path}{point}{key}"), found);
            }
        }
        Value::Array(entries) => {
            for (at, entry) in entries.iter().enumerate() {
                check_bounds(entry, &format!("{path}[{at}]"), found);
            }
        }
        Value::String(text) if text.is_empty() => {
            found.push(format!("{path}: must not be empty; leave it out instead"));
        }
        _ if (*value == 0 || *value == "0s" || *value == "0 B") && !MAY_BE_ZERO.contains(&path) => {
            found.push(format!("{path}: must be more than 0"));
        }
        _ => {}
    }
}

/// Adds a problem for each value that only one entry of a list may have.
fn check_repeated(config: &Config, found: &mut Vec<String>) {
    let mut values = Vec::new();
    for (at, region) in config.regions.iter().enumerate() {
        values.push(("regions", at, "id", region.id.clone()));
        let hosts = region.hosts.iter().filter_map(|host| normalize_host(host));
        values.extend(hosts.map(|host| ("regions", at, "hosts", host)));
    }
    for (at, client) in config.oidc.clients.iter().enumerate() {
        values.push(("oidc.clients", at, "id", client.id.clone()));
    }
    for (at, webhook) in config.webhooks.iter().enumerate() {
        values.push(("webhooks", at, "url", webhook.endpoint_id()));
    }
    let mut seen = HashSet::new();
    for (list, at, key, value) in values {
        if !seen.insert((list, key, value)) {
            found.push(format!(
                "{list}[{at}].{key}: another entry has the same; each needs its own"
            ));
        }
    }
}

/// Returns whether two listeners would conflict. Port 0 never conflicts, because it means any free port.
fn is_same_address(one: SocketAddr, other: SocketAddr) -> bool {
    let is_same = one.ip() == other.ip();
    let is_all = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() != 0 && one.port() == other.port() && (is_same || is_all)
}

/// Returns whether the text is a log level, or a list of levels by module, such as `info,mail=debug`. A single unknown
/// word is refused, because the logger would read the word as a module name, and log nothing of the other modules.
fn is_log_filter(text: &str) -> bool {
    const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];
    text.split(',').all(|directive| {
        let level = directive.rsplit('=').next().unwrap_or_default();
        LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level))
    }) && text.parse::<tracing_subscriber::filter::Targets>().is_ok()
}

/// Returns whether this server may redirect a browser to the URL or send an HTTP request to it.
fn is_client_url(text: &str) -> bool {
    let Some(url) = parse_url(text) else {
        return false;
    };
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => url.host_str().is_some_and(is_loopback_name),
        _ => false,
    };
    // Redirect URIs are compared byte for byte, so a wildcard would have no effect. The unparsed text is checked,
    // because the URL parser removes line breaks and spaces.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    is_safe
        && is_plain
        && !url.path().contains('*')
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}
