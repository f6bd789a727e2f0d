//! Checks rules that the types of the settings cannot express. Each problem is one line with the setting and the fix.

use std::net::SocketAddr;

use serde_json::Value;

use super::Config;

pub fn problems(config: &Config) -> Vec<String> {
    let failed = setting_rules(config)
        .into_iter()
        .filter(|(is_valid, _)| !is_valid);
    let mut found: Vec<String> = failed.map(|(_, problem)| problem.to_owned()).collect();
    found.extend(zero_durations(config));
    found.extend(super::region_check::problems(&config.regions));
    found.extend(super::passkeys::problems(config));
    found.extend(super::webhooks::problems(config));
    found.extend(super::oidc::problems(config));
    found
}

/// Returns for each rule whether the settings follow it, and the error message if they do not.
#[rustfmt::skip] // One rule has two lines.
fn setting_rules(config: &Config) -> Vec<(bool, &'static str)> {
    let Config { server, database, password, lifetimes, security, mail, .. } = config;
    let (memory, passes, lanes) = (password.memory_kib, password.iterations, password.parallelism);
    let is_prod = config.regions.iter().any(|region| region.environment == "prod");
    vec![
        (super::host::normalize_origin(&server.public_url).is_some(),
         "server.public_url: must be an origin like https://www.example.org, without a path"),
        (!server.ops_listen.is_some_and(|ops| is_same_address(ops, server.listen)),
         "server.ops_listen: must be another address or port than server.listen; its metrics are for operators only"),
        (server.site_home.as_deref().is_none_or(super::region_check::is_path_or_url),
         "server.site_home: must be a path like /home or an address with http:// or https://"),
        ((1..=1_000_000).contains(&server.max_connections),
         "server.max_connections: from 1 to 1000000"),
        (!config.forward_auth.enabled || !server.trusted_proxies.0.is_empty(),
         "forward_auth.enabled: only proxies in server.trusted_proxies may call it, and that is empty"),
        (server.body_limit.0 >= 1024,
         "server.body_limit: at least 1 KiB, which the longest form needs"),
        (database.client_cert_file.is_some() == database.client_key_file.is_some(),
         "database.client_cert_file, client_key_file: set both or neither"),
        (database.max_connections >= 2,
         "database.max_connections: must be at least 2"),
        (super::parse_sender(&mail.from).is_some(),
         "mail.from: must be a mailbox like Name <name@example.org>, in ASCII before the @"),
        (is_log_filter(&config.log.level),
         "log.level: must be error, warn, info, debug or trace"),
        (argon2::Params::new(memory, passes, lanes, None).is_ok() && memory <= 1 << 20,
         "password.memory_kib, iterations, parallelism: memory from 8 KiB per lane to 1 GiB, at least 1 iteration and 1 lane"),
        (password.max_parallel.is_none_or(|count| (1..=256).contains(&count)),
         "password.max_parallel: from 1 to 256"),
        (config.age.attempts >= 1,
         "age.attempts: must be at least 1, or nobody could register"),
        (mail.max_attempts >= 1,
         "mail.max_attempts: must be at least 1"),
        (security.max_devices >= 1,
         "security.max_devices: must be at least 1"),
        (matches!(lifetimes.inactive_account.days(), 0 | 90..),
         "lifetimes.inactive_account: 0s, or at least 90d; reminders are mailed from 60 days before the deletion"),
        (security.password_history >= 1,
         "security.password_history: at least 1, the current password"),
        (config.is_https() || !is_prod,
         "server.public_url: must be https where a region's environment is prod"),
        (mail.smtp_url.is_some() || !is_prod,
         "mail.smtp_url: must be set where a region's environment is prod; without it mails are not sent, and can be read at /account/dev/mail"),
    ]
}

/// The settings whose duration may be zero. `oidc/check.rs` checks the durations of the section `oidc`.
const MAY_BE_ZERO: [&str; 11] = [
    "server.shutdown_grace", "server.drain_delay", "fragments.ttl", "translations.ttl",
    "security.second_factor_trust", "password.queue_wait", "lifetimes.deletion_grace",
    "lifetimes.username_hold", "lifetimes.inactive_account", "lifetimes.activity",
    "lifetimes.audit",
];

/// Returns a problem for each duration of zero with which the program would be useless: for example, no session would
/// ever be valid, or a job would run without a pause.
fn zero_durations(config: &Config) -> Vec<String> {
    let Ok(Value::Object(sections)) = serde_json::to_value(config) else {
        return vec!["the settings cannot be written as JSON".to_owned()];
    };
    let mut found = Vec::new();
    for (section, settings) in sections.iter().filter(|(section, _)| *section != "oidc") {
        for (key, value) in settings.as_object().into_iter().flatten() {
            let name = format!("{section}.{key}");
            if *value == "0s" && !MAY_BE_ZERO.contains(&&*name) {
                found.push(format!("{name}: must be longer than 0s"));
            }
        }
    }
    found
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
