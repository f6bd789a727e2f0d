//! Warns about settings that work but are unwise for a public site. Each warning is one line that begins with the name
//! of the setting.

use std::net::IpAddr;

use super::check::DEFAULT_HASH_COST;
use super::host::{is_loopback_name, is_plain_http, is_reserved};
use super::region::{is_unknown_language, language_code};
use super::{
    Config, NewDevice, PasswordHashing, Region, ServiceAddress, SmtpTls, SslMode, is_exposed,
    memory, parse_sender,
};
use crate::clock::DAY;

/// OWASP's parameters for Argon2id: pairs of memory in KiB and number of passes. OWASP calls all pairs equivalent.
const OWASP_ARGON2ID: [(u32, u32); 5] = [
    (47_104, 1),
    (19_456, 2),
    (12_288, 3),
    (9_216, 4),
    (7_168, 5),
];

/// The memory that the program needs in addition to the hashing threads. An idle process uses 19 MiB (measured), and
/// HTTP requests use the remaining memory.
const BYTES_WITHOUT_HASHES: u64 = 64 << 20;

pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = config.load_warnings.clone();
    let own = [
        network_warnings(config),
        mail_warnings(config),
        account_warnings(config),
    ];
    let own = own
        .into_iter()
        .flatten()
        .filter(|(is_unwise, _)| *is_unwise);
    found.extend(own.map(|(_, warning)| warning.to_owned()));
    for (at, region) in config.regions.iter().enumerate() {
        let unwise = region_warnings(config, at, region).into_iter();
        let unwise = unwise.filter(|(is_unwise, _)| *is_unwise);
        found.extend(unwise.map(|(_, warning)| format!("regions[{at}].{warning}")));
        for (key, link) in region.links.with_names() {
            if link.is_some_and(is_plain_http) {
                found.push(format!("regions[{at}].links.{key} is http"));
            }
        }
    }
    found.extend(super::related_host_problems(config));
    found
}

/// For each unwise use of settings, returns whether it is there, and the warning.
type Warnings = Vec<(bool, &'static str)>;

#[rustfmt::skip] // One warning has two lines.
fn network_warnings(config: &Config) -> Warnings {
    let Config { server, database, fragments, translations, .. } = config;
    let proxies = &server.trusted_proxies.0;
    let is_nearly_all = |block: &ipnet::IpNet| block.prefix_len() < if block.addr().is_ipv4() { 8 } else { 16 };
    let is_local = server.listen.ip().is_loopback();
    let ssl_mode = database.remote_ssl_mode();
    vec![
        (is_plain_http(&server.public_url), "server.public_url is http: cookies and links can be intercepted"),
        (server.is_public() && is_reserved(&server.public_host()),
         "server.public_url is a reserved example name: links in mails do not work"),
        (proxies.iter().any(is_nearly_all),
         "server.trusted_proxies includes nearly all clients: every client can choose its address by X-Forwarded-For and evade all limits"),
        (server.is_public() && is_local && proxies.is_empty(),
         "server.trusted_proxies is empty, and server.listen can be reached only from this machine: behind a proxy all visitors share one address and its limits"),
        (!is_local && proxies.is_empty(),
         "server.trusted_proxies is empty, and server.listen can be reached from other machines: behind a proxy all visitors share one address and its limits; without a proxy passwords are sent unencrypted"),
        (server.ops_listen.is_some_and(|ops| !is_internal(ops.ip())),
         "server.ops_listen can be reached from outside: /metrics requires no password; use 127.0.0.1 or a private address"),
        (server.shutdown_grace.millis() > 20_000,
         "server.shutdown_grace is above the 20 seconds after which systemd ends the program (TimeoutStopSec)"),
        (server.drain_delay > Some(server.shutdown_grace),
         "server.drain_delay is longer than server.shutdown_grace, which ends it"),
        (ssl_mode.is_some_and(|mode| mode < SslMode::Require),
         "database.url does not require TLS: all personal data can be intercepted; add ?sslmode=verify-full"),
        (ssl_mode == Some(SslMode::Require) && database.ca_file.is_none(),
         "database.url encrypts without verifying the server: an attacker in the network can impersonate the database; use ?sslmode=verify-full, and database.ca_file if its certificate is not from a public authority"),
        (fragments.url.as_deref().is_some_and(ServiceAddress::can_be_changed),
         "fragments.url is http: the texts of the pages can be changed in transit"),
        (translations.url.as_deref().is_some_and(ServiceAddress::can_be_changed),
         "translations.url is http: the texts of the pages can be changed in transit"),
    ]
}

#[rustfmt::skip] // One warning has two lines.
fn mail_warnings(config: &Config) -> Warnings {
    let mail = &config.mail;
    let is_unset = mail.smtp_url.is_none();
    let is_local = config.server.listen.ip().is_loopback();
    let has_tls = |tls| matches!(tls, SmtpTls::Required | SmtpTls::Wrapper);
    let sender = parse_sender(&mail.from);
    vec![
        (is_unset && !config.has_mail_viewer(),
         "mail.smtp_url is unset: mails are stored in the database, and neither sent nor shown"),
        (is_unset && config.has_mail_viewer() && is_local,
         "mail.smtp_url is unset: mails are not sent, and are public at /account/dev/mail"),
        (is_unset && config.has_mail_viewer() && !is_local,
         "mail.smtp_url is unset and server.listen can be reached from other machines: their users can read all mails at /account/dev/mail"),
        (mail.smtp_url.as_deref().is_some_and(|url| !is_loopback_name(&url.host) && !has_tls(url.tls)),
         "mail.smtp_url does not require TLS: links, addresses and its password can be intercepted; use smtps:// or ?tls=required"),
        (!is_unset && sender.is_some_and(|sender| is_reserved(sender.email.domain())),
         "mail.from is at a domain that cannot send mail, such as example.org: receivers reject it, and bounces are lost"),
    ]
}

#[rustfmt::skip] // One warning has two lines.
fn account_warnings(config: &Config) -> Warnings {
    let Config { security, password, lifetimes: times, .. } = config;
    let is_enough = |(memory, passes): &(u32, u32)| password.memory_kib >= *memory && password.iterations >= *passes;
    let levels = config.log.level.parse::<tracing_subscriber::filter::Targets>();
    vec![
        (!config.limits.enabled, "limits.enabled is false: passwords can be guessed without limit"),
        (!OWASP_ARGON2ID.iter().any(is_enough),
         "password.memory_kib and password.iterations are below all of OWASP's recommendations (19456 and 2, for example)"),
        (password.cost() > 40 * DEFAULT_HASH_COST,
         "password.iterations times password.memory_kib is above 40 times the default: each sign-in takes a core half a second or longer"),
        (!has_room(password, memory::control_group_limit()),
         "password.max_parallel times password.memory_kib is more memory than the control group of the program has: the system ends the program when many people sign in"),
        (security.new_device == NewDevice::Off, "security.new_device is off: a stolen password is enough to sign in"),
        (is_exposed(&security.encryption_key_file, 0o077),
         "security.encryption_key_file can be read or changed by other users of this machine; run chmod 600"),
        (times.session_absolute.millis() > 30 * DAY,
         "lifetimes.session_absolute is above 30 days, the bound of NIST SP 800-63B: a stolen cookie is valid that long"),
        (times.session_idle > times.session_absolute,
         "lifetimes.session_idle is longer than lifetimes.session_absolute, which ends a session first"),
        (times.reset.millis() > DAY,
         "lifetimes.reset is above a day: an old mail gives access to the account that long"),
        (times.audit.millis() == 0, "lifetimes.audit is 0s: the audit keeps nothing"),
        (levels.is_ok_and(|levels| !levels.would_enable("security", &tracing::Level::INFO)),
         "log.level hides security events: an attack leaves no trace in the log; add security=info"),
        (config.passkeys.enabled == Some(true) && !config.is_passkey_host(),
         "passkeys.enabled is true, but browsers have passkeys only on https and on localhost"),
        (!config.oidc.enabled && !config.oidc.clients.is_empty(), "oidc.enabled is false: oidc.clients has no effect"),
    ]
}

#[rustfmt::skip] // One warning has two lines.
fn region_warnings(config: &Config, at: usize, region: &Region) -> Warnings {
    let is_unknown = |tag: &str| language_code(tag).is_some_and(is_unknown_language);
    let urls = region.consent.as_ref().map(|consent| [&consent.script_url, &consent.boot_url]);
    let is_public = config.server.is_public();
    vec![
        (at > 0 && region.hosts.is_empty(), "hosts is empty: no request ever selects the region"),
        (is_public && region.hosts.iter().any(|host| is_reserved(host)),
         "hosts has a reserved example name: requests from its pages are accepted"),
        (is_public && config.is_https() && region.environment != "prod",
         "environment is not prod, with which the program refuses to start without https and mail.smtp_url"),
        (urls.is_some(), "consent: its scripts run in the pages and can read all input"),
        (urls.into_iter().flatten().any(|url| is_plain_http(url)),
         "consent is http: an attacker in the network can insert scripts into the pages"),
        (region.accent.resembles_error(),
         "accent resembles the red of error messages: choose a hue further from it"),
        (is_unknown(&region.locale), "locale begins with no code of a language (ISO 639)"),
        (region.translation_source_language.as_deref().is_some_and(is_unknown),
         "translation_source_language is no code of a language (ISO 639)"),
    ]
}

/// Returns whether the hashing threads fit in a memory limit in bytes.
fn has_room(password: &PasswordHashing, limit: Option<u64>) -> bool {
    let hashes = password.hashing_threads() as u64 * u64::from(password.memory_kib) * 1024;
    limit.is_none_or(|limit| hashes + BYTES_WITHOUT_HASHES <= limit)
}

/// Returns whether an IP address belongs to this machine or to a private network (RFC 1918, 4193, 3927).
fn is_internal(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_that_do_not_fit_the_control_group_are_noticed() {
        let mut password = Config::default().password;
        password.max_parallel = Some(32);
        for (limit, fits) in [
            (None, true),
            (Some(1 << 30), true),
            (Some(512 << 20), false),
        ] {
            assert_eq!(has_room(&password, limit), fits, "{limit:?}");
        }
        password.max_parallel = None;
        assert!((1..=8).contains(&password.hashing_threads()));
    }
}
