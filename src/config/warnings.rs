//! Warns about settings that work but are unwise for a public site. Each warning is one line that begins with the name
//! of the setting.

use std::net::IpAddr;

use url::{Host, Url};

use super::host::parse_host;
use super::{Config, DatabaseAddress, NewDevice, PostgresAddress, SmtpTls, SslMode, memory};
use crate::clock::DAY;

/// OWASP's parameters for Argon2id: pairs of memory in KiB and number of passes. OWASP calls all pairs equivalent.
const OWASP_ARGON2ID: [(u32, u32); 5] = [
    (47_104, 1),
    (19_456, 2),
    (12_288, 3),
    (9_216, 4),
    (7_168, 5),
];
/// The maximum lifetime of a session at AAL1 (NIST SP 800-63B-4 2.1.3).
const MAX_SESSION_DAYS: i64 = 30;

pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    warn_about_network(config, &mut found);
    warn_about_mail(config, &mut found);
    warn_about_accounts(config, &mut found);
    warn_about_memory(config, memory::control_group_limit(), &mut found);
    warn_about_services(config, &mut found);
    warn_about_regions(config, &mut found);
    found.extend(super::related_host_problems(config));
    warn_about_accents(config, &mut found);
    if is_public(config) {
        warn_about_example_names(config, &mut found);
    }
    found
}

/// Returns whether the site is public, which means that the host of `public_url` is no loopback name.
pub(super) fn is_public(config: &Config) -> bool {
    !host_of(&config.server.public_url).is_some_and(|host| is_this_machine(&host))
}

fn warn_about_network(config: &Config, found: &mut Vec<String>) {
    let server = &config.server;
    if !config.is_https() {
        found.push("server.public_url is http: cookies and links can be intercepted".into());
    }
    for block in &server.trusted_proxies.0 {
        let narrowest = if block.addr().is_ipv4() { 8 } else { 16 };
        if block.prefix_len() < narrowest {
            found.push(format!(
                "server.trusted_proxies {block} includes nearly all clients: every client can choose its address by X-Forwarded-For and evade all limits"
            ));
        }
    }
    if is_public(config) && server.listen.ip().is_loopback() && server.trusted_proxies.0.is_empty()
    {
        found.push("server.trusted_proxies is empty, and server.listen can be reached only from this machine: behind a proxy all visitors share one address and its limits".into());
    }
    if !server.listen.ip().is_loopback() && server.trusted_proxies.0.is_empty() {
        found.push(format!(
            "server.trusted_proxies is empty, and server.listen {} can be reached from other machines: behind a proxy all visitors share one address and its limits; without a proxy passwords are sent unencrypted",
            server.listen
        ));
    }
    if let Some(ops) = server.ops_listen
        && !is_internal(ops.ip())
    {
        found.push(format!(
            "server.ops_listen {ops} can be reached from outside: /metrics requires no password; use 127.0.0.1 or a private address"
        ));
    }
}

fn warn_about_mail(config: &Config, found: &mut Vec<String>) {
    let Some(url) = &config.mail.smtp_url else {
        found.push(unsent_mail_warning(config));
        return;
    };
    let is_remote = !parse_host(&url.host).is_some_and(|host| is_this_machine(&host));
    let requires_tls = matches!(url.tls, SmtpTls::Required | SmtpTls::Wrapper);
    if is_remote && !requires_tls {
        found.push("mail.smtp_url does not require TLS: links, addresses and its password can be intercepted; use smtps:// or ?tls=required".into());
    }
    if let Some(from) = super::parse_sender(&config.mail.from)
        && is_reserved(from.email.domain())
    {
        found.push(format!(
            "mail.from is at {}, which cannot send mail: receivers reject it, and bounces are lost",
            from.email.domain()
        ));
    }
}

fn unsent_mail_warning(config: &Config) -> String {
    let listen = config.server.listen;
    if !config.has_mail_viewer() {
        "mail.smtp_url is unset: mails are stored in the database, and neither sent nor shown"
            .into()
    } else if listen.ip().is_loopback() {
        "mail.smtp_url is unset: mails are not sent, and are public at /account/dev/mail".into()
    } else {
        format!(
            "mail.smtp_url is unset and server.listen {listen} can be reached from other machines: their users can read all mails at /account/dev/mail"
        )
    }
}

fn warn_about_accounts(config: &Config, found: &mut Vec<String>) {
    if !config.limits.enabled {
        found.push("limits.enabled is false: passwords can be guessed without limit".into());
    }
    let hash = &config.password;
    let is_enough =
        |(memory, passes): &(u32, u32)| hash.memory_kib >= *memory && hash.iterations >= *passes;
    if !OWASP_ARGON2ID.iter().any(is_enough) {
        found.push("password.memory_kib and password.iterations are below all of OWASP's recommendations (19456 and 2, for example)".into());
    }
    if config.security.new_device == NewDevice::Off {
        found.push("security.new_device is off: a stolen password is enough to sign in".into());
    }
    let times = &config.lifetimes;
    if times.session_absolute.millis() > MAX_SESSION_DAYS * DAY {
        found.push("lifetimes.session_absolute is above 30 days, the bound of NIST SP 800-63B: a stolen cookie is valid that long".into());
    }
    if times.reset.millis() > DAY {
        found.push(
            "lifetimes.reset is above a day: an old mail gives access to the account that long"
                .into(),
        );
    }
    let levels = config
        .log
        .level
        .parse::<tracing_subscriber::filter::Targets>();
    if levels.is_ok_and(|levels| !levels.would_enable("security", &tracing::Level::INFO)) {
        found.push(
            "log.level hides security events: an attack leaves no trace in the log; add security=info"
                .into(),
        );
    }
}

/// The memory that the program needs in addition to the hashing threads. An idle process uses 19 MiB (measured), and
/// HTTP requests use the remaining memory.
const BYTES_WITHOUT_HASHES: u64 = 64 << 20;

/// Warns if the hashing threads need more memory than `limit`, the memory limit of the control group in bytes.
fn warn_about_memory(config: &Config, limit: Option<u64>, found: &mut Vec<String>) {
    let threads = config.password.hashing_threads();
    let hashes = threads as u64 * u64::from(config.password.memory_kib) * 1024;
    let needed = hashes + BYTES_WITHOUT_HASHES;
    if let Some(limit) = limit.filter(|limit| *limit < needed) {
        found.push(format!(
            "password.max_parallel: {threads} hashes of password.memory_kib and the program need {} MiB, and its control group has {}: the system ends the program when many people sign in",
            needed >> 20,
            limit >> 20
        ));
    }
}

/// Warns about insecure connections to external services.
fn warn_about_services(config: &Config, found: &mut Vec<String>) {
    for (key, url) in [
        ("fragments.url", &config.fragments.url),
        ("translations.url", &config.translations.url),
    ] {
        let url = url
            .as_ref()
            .map_or_else(String::new, |url| url.base_url("x"));
        if url.starts_with("http://") && !host_of(&url).is_some_and(|host| is_this_machine(&host)) {
            found.push(format!(
                "{key} is http: the texts of the pages can be changed in transit"
            ));
        }
    }
    if let DatabaseAddress::Postgres(database) = &*config.database.url {
        warn_about_database(config, database, found);
    }
}

fn warn_about_database(config: &Config, database: &PostgresAddress, found: &mut Vec<String>) {
    if !database
        .network_hosts()
        .any(|name| !parse_host(name).is_some_and(|host| is_this_machine(&host)))
    {
        return;
    }
    let mode = database.effective_ssl_mode(&config.database);
    let checks = mode >= SslMode::VerifyCa || config.database.ca_file.is_some();
    if mode < SslMode::Require {
        found.push("database.url does not require TLS: all personal data can be intercepted; add ?sslmode=verify-full".to_owned());
    } else if !checks {
        found.push("database.url encrypts without verifying the server: an attacker in the network can impersonate the database; use ?sslmode=verify-full, and database.ca_file if its certificate is not from a public authority".to_owned());
    }
}

fn warn_about_regions(config: &Config, found: &mut Vec<String>) {
    let is_plain = |url: &str| url.starts_with("http://");
    for (index, region) in config.regions.iter().enumerate() {
        let id = &region.id;
        if index > 0 && region.hosts.is_empty() {
            found.push(format!(
                "regions.{id}.hosts is empty: no request ever selects the region"
            ));
        }
        if let Some(consent) = &region.consent {
            found.push(format!(
                "regions.{id}.consent: its scripts run in the pages and can read all input"
            ));
            if is_plain(&consent.script_url) || is_plain(&consent.boot_url) {
                found.push(format!(
                    "regions.{id}.consent is http: an attacker in the network can insert scripts into the pages"
                ));
            }
        }
        for (key, link) in region.links.with_names() {
            if link.is_some_and(is_plain) {
                found.push(format!("regions.{id}.links.{key} is http"));
            }
        }
    }
}

/// Warns about a brand whose accent colour makes buttons look like error messages.
fn warn_about_accents(config: &Config, found: &mut Vec<String>) {
    for region in config.regions.iter().filter(|r| r.accent.resembles_error()) {
        found.push(format!(
            "regions.{}.accent {} resembles the red of error messages: choose a hue further from it",
            region.id, region.accent
        ));
    }
}

/// Warns about domains that documentation uses as examples, such as `example.org`.
fn warn_about_example_names(config: &Config, found: &mut Vec<String>) {
    if let Some(Host::Domain(name)) = host_of(&config.server.public_url)
        && is_reserved(&name)
    {
        found.push(format!(
            "server.public_url {name} is a reserved example name: links in mails do not work"
        ));
    }
    for region in &config.regions {
        let id = &region.id;
        for host in region.hosts.iter().filter(|host| is_reserved(host)) {
            found.push(format!(
                "regions.{id}.hosts has {host}, a reserved example name: requests from its pages are accepted"
            ));
        }
        if config.is_https() && region.environment != "prod" {
            found.push(format!(
                "regions.{id}.environment is {}: with prod the program refuses to start without https and mail.smtp_url",
                region.environment
            ));
        }
    }
}

fn host_of(url: &str) -> Option<Host> {
    Url::parse(url).ok()?.host().map(|host| host.to_owned())
}

/// Returns whether a host name without a port always means this machine: `localhost`, a name below it, or a loopback IP
/// address. Owners of all other names can point them at this machine (DNS rebinding).
pub(crate) fn is_loopback_name(name: &str) -> bool {
    parse_host(name).is_some_and(|host| is_this_machine(&host))
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(v4) => v4.is_loopback(),
        Host::Ipv6(v6) => v6.is_loopback(),
    }
}

/// Returns whether an IP address belongs to this machine or to a private network (RFC 1918, 4193, 3927).
fn is_internal(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// Returns whether a host name is reserved for tests and documentation (RFC 2606, 6761), or is not a domain.
fn is_reserved(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_under = |end: &&str| name == **end || name.ends_with(&format!(".{end}"));
    let all = ["localhost", "test", "example", "invalid", "local"];
    let examples = ["example.com", "example.net", "example.org"];
    all.iter().chain(&examples).any(is_under) || !name.contains('.')
}

#[cfg(test)]
mod tests;
