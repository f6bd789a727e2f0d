//! What works and is unwise where real people come. Each warning is one line that begins with its key.

use std::net::IpAddr;

use tokio_postgres::config::{Host as PostgresHost, SslMode};
use url::{Host, Url};

use super::{Config, NewDevice};

/// OWASP's choices for Argon2id, any of which will do: KiB, passes.
const OWASP_ARGON2ID: [(u32, u32); 5] = [
    (47_104, 1),
    (19_456, 2),
    (12_288, 3),
    (9_216, 4),
    (7_168, 5),
];
/// NIST SP 800-63B-4 2.1.3, for AAL1.
const LONGEST_SESSION_DAYS: i64 = 30;
const HOUR: i64 = 3_600_000;

pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    network(config, &mut found);
    mail(config, &mut found);
    accounts(config, &mut found);
    outside(config, &mut found);
    if is_public(config) {
        names(config, &mut found);
    }
    found
}

/// Whether people come from elsewhere: not so on a developer's machine.
fn is_public(config: &Config) -> bool {
    !host_of(&config.server.public_url).is_some_and(|host| is_here(&host))
}

fn network(config: &Config, found: &mut Vec<String>) {
    let server = &config.server;
    if !config.https() {
        found.push(
            "server.public_url is http: cookies and links are not protected on the way".into(),
        );
    }
    for block in &server.trusted_proxies.0 {
        let narrowest = if block.addr().is_ipv4() { 8 } else { 16 };
        if block.prefix_len() < narrowest {
            found.push(format!(
                "server.trusted_proxies {block} is nearly everybody: whoever sends X-Forwarded-For chooses their address, and no limit holds them"
            ));
        }
    }
    if is_public(config) && server.listen.ip().is_loopback() && server.trusted_proxies.0.is_empty()
    {
        found.push("server.trusted_proxies is empty, and only this machine reaches server.listen: behind a proxy all visitors are one address and share their limits".into());
    }
    if let Some(ops) = server.ops_listen
        && !is_internal(ops.ip())
    {
        found.push(format!(
            "server.ops_listen {ops} can be reached from outside: /metrics asks for no password; use 127.0.0.1 or a private address"
        ));
    }
}

fn mail(config: &Config, found: &mut Vec<String>) {
    let Some(url) = &config.mail.smtp_url else {
        found.push(
            "mail.smtp_url is unset: mails are kept at /account/dev/mail for anybody to read"
                .into(),
        );
        return;
    };
    let Ok(url) = Url::parse(url) else { return };
    let is_elsewhere = !url.host_str().and_then(parsed).is_some_and(|h| is_here(&h));
    let requires_tls = url.scheme() == "smtps"
        || url
            .query_pairs()
            .any(|(k, v)| k == "tls" && v == "required");
    if is_elsewhere && !requires_tls {
        found.push("mail.smtp_url does not insist on TLS: links, addresses and its password can be read on the way; use smtps:// or ?tls=required".into());
    }
    let from = config.mail.from.parse::<lettre::message::Mailbox>();
    if let Ok(from) = from
        && is_reserved(from.email.domain())
    {
        found.push(format!(
            "mail.from is at {}, which no mail comes from: receivers refuse it, and bounces go nowhere",
            from.email.domain()
        ));
    }
}

fn accounts(config: &Config, found: &mut Vec<String>) {
    if !config.limits.enabled {
        found.push("limits.enabled is false: passwords can be guessed without end".into());
    }
    let hash = &config.password;
    let is_enough =
        |(memory, passes): &(u32, u32)| hash.memory_kib >= *memory && hash.iterations >= *passes;
    if !OWASP_ARGON2ID.iter().any(is_enough) {
        found.push("password.memory_kib and password.iterations are below each of OWASP's choices (19456 and 2, for one)".into());
    }
    if config.security.new_device == NewDevice::Off {
        found.push("security.new_device is off: a stolen password is enough".into());
    }
    let times = &config.lifetimes;
    if times.session_absolute.millis() > LONGEST_SESSION_DAYS * 24 * HOUR {
        found.push("lifetimes.session_absolute is above 30 days, the bound of NIST SP 800-63B: a stolen cookie works as long".into());
    }
    if times.reset.millis() > 24 * HOUR {
        found.push("lifetimes.reset is above a day: an old mail opens the account as long".into());
    }
    let levels = config
        .log
        .level
        .parse::<tracing_subscriber::filter::Targets>();
    if levels.is_ok_and(|levels| !levels.would_enable("security", &tracing::Level::INFO)) {
        found.push(
            "log.level hides events of security: an attack leaves no trace; add security=info"
                .into(),
        );
    }
}

/// What this program asks elsewhere.
fn outside(config: &Config, found: &mut Vec<String>) {
    for (key, url) in [
        ("fragments.url", &config.fragments.url),
        ("translations.url", &config.translations.url),
    ] {
        let url = url.as_deref().unwrap_or_default();
        if url.starts_with("http://") && !host_of(url).is_some_and(|host| is_here(&host)) {
            found.push(format!(
                "{key} is http: what people read on our pages can be changed on the way"
            ));
        }
    }
    let Ok(database) = config.database.url.parse::<tokio_postgres::Config>() else {
        return;
    };
    let is_elsewhere = database.get_hosts().iter().any(|host| match host {
        PostgresHost::Tcp(name) => !parsed(name).is_some_and(|host| is_here(&host)),
        PostgresHost::Unix(_) => false,
    });
    if is_elsewhere && database.get_ssl_mode() != SslMode::Require {
        found.push("database.url does not insist on TLS: everything about people can be read on the way; add ?sslmode=require".into());
    }
}

/// Names that were right for trying it out.
fn names(config: &Config, found: &mut Vec<String>) {
    if let Some(Host::Domain(name)) = host_of(&config.server.public_url)
        && is_reserved(&name)
    {
        found.push(format!(
            "server.public_url {name} is a name for examples: links in mails lead nowhere"
        ));
    }
    for region in &config.regions {
        let id = &region.id;
        for host in region.hosts.iter().filter(|host| is_reserved(host)) {
            found.push(format!(
                "regions.{id}.hosts has {host}, a name for demos: requests from its pages are let in"
            ));
        }
        if config.https() && region.environment != "prod" {
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

/// As it stands in an URL whose scheme the `url` crate does not know.
fn parsed(host: &str) -> Option<Host> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => Some(Host::Ipv4(v4)),
        Ok(IpAddr::V6(v6)) => Some(Host::Ipv6(v6)),
        Err(_) => Host::parse(host).ok(),
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(v4) => v4.is_loopback(),
        Host::Ipv6(v6) => v6.is_loopback(),
    }
}

/// This machine, or a network of one's own (RFC 1918, 4193, 3927).
fn is_internal(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// Names that nobody can have (RFC 2606, 6761), or that are no domain at all.
fn is_reserved(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_under = |end: &&str| name == **end || name.ends_with(&format!(".{end}"));
    let all = ["localhost", "test", "example", "invalid", "local"];
    let examples = ["example.com", "example.net", "example.org"];
    all.iter().chain(&examples).any(is_under) || !name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site on the net with nothing to warn of.
    const SOUND: &str = r#"
        [server]
        public_url = "https://www.moonhill.internal"
        trusted_proxies = ["127.0.0.1"]
        ops_listen = "10.0.0.5:9090"
        [database]
        url = "postgres://site:secret@db.moonhill.internal/account?sslmode=require"
        [mail]
        smtp_url = "smtp://me:secret@mail.moonhill.internal?tls=required"
        from = "Moonhill <account@moonhill.internal>"
        [fragments]
        url = "https://parts.moonhill.internal"
        [[regions]]
        id = "us"
        hosts = ["www.moonhill.internal"]
        environment = "prod"
    "#;

    fn warned(text: &str) -> Vec<String> {
        let mut config: Config = toml::from_str(text).expect("settings");
        if config.regions.is_empty() {
            config.regions.push(super::super::Region::default());
        }
        assert_eq!(
            super::super::problems(&config),
            [""; 0],
            "wrong, not unwise"
        );
        warnings(&config)
    }

    #[test]
    fn a_sound_site_is_warned_of_nothing() {
        assert_eq!(warned(SOUND), [""; 0]);
        let by_socket = SOUND.replace(
            "postgres://site:secret@db.moonhill.internal/account?sslmode=require",
            "postgres:///account?host=/var/run/postgresql",
        );
        assert_eq!(warned(&by_socket), [""; 0]);
        let with_less_memory = format!("{SOUND}[password]\nmemory_kib = 9216\niterations = 4");
        assert_eq!(warned(&with_less_memory), [""; 0]);
    }

    #[test]
    fn a_developers_machine_is_warned_of_what_a_site_must_never_be() {
        let keys: Vec<_> = warned("").iter().map(|w| key(w)).collect();
        assert_eq!(keys, ["server.public_url", "mail.smtp_url"]);
    }

    fn key(warning: &str) -> String {
        warning.split(' ').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn each_unwise_setting_is_named_in_one_line_of_its_own() {
        for (from, to, named) in [
            (
                r#"["127.0.0.1"]"#,
                r#"["0.0.0.0/0"]"#,
                "server.trusted_proxies",
            ),
            (r#"["127.0.0.1"]"#, r#"["::/0"]"#, "server.trusted_proxies"),
            (r#"["127.0.0.1"]"#, "[]", "server.trusted_proxies"),
            ("10.0.0.5:9090", "0.0.0.0:9090", "server.ops_listen"),
            ("10.0.0.5:9090", "203.0.113.7:9090", "server.ops_listen"),
            ("10.0.0.5:9090", "[::]:9090", "server.ops_listen"),
            ("?tls=required", "", "mail.smtp_url"),
            ("?tls=required", "?tls=opportunistic", "mail.smtp_url"),
            (
                "account@moonhill.internal",
                "account@localhost",
                "mail.from",
            ),
            (
                "account@moonhill.internal",
                "account@example.org",
                "mail.from",
            ),
            ("?sslmode=require", "", "database.url"),
            ("https://parts", "http://parts", "fragments.url"),
            (
                r#"["www.moonhill.internal"]"#,
                r#"["us.localhost"]"#,
                "regions.us.hosts",
            ),
            (r#""prod""#, r#""dev""#, "regions.us.environment"),
            (
                "https://www.moonhill.internal",
                "https://www.example.com",
                "server.public_url",
            ),
        ] {
            assert!(SOUND.contains(from), "{from}");
            let found = warned(&SOUND.replace(from, to));
            let keys: Vec<_> = found.iter().map(|w| key(w)).collect();
            assert_eq!(keys, [named], "{to}");
            assert!(!found[0].contains('\n') && !found[0].contains("secret"));
        }
        for (setting, named) in [
            ("[limits]\nenabled = false", "limits.enabled"),
            ("[password]\nmemory_kib = 19455", "password.memory_kib"),
            ("[password]\niterations = 1", "password.memory_kib"),
            ("[security]\nnew_device = \"off\"", "security.new_device"),
            (
                "[lifetimes]\nsession_absolute = \"31d\"",
                "lifetimes.session_absolute",
            ),
            ("[lifetimes]\nreset = \"2d\"", "lifetimes.reset"),
            ("[log]\nlevel = \"warn\"", "log.level"),
            (
                "[translations]\nurl = \"http://words.moonhill.internal\"",
                "translations.url",
            ),
        ] {
            let found = warned(&format!("{SOUND}\n{setting}"));
            let keys: Vec<_> = found.iter().map(|w| key(w)).collect();
            assert_eq!(keys, [named], "{setting}");
        }
        let quiet = format!("{SOUND}\n[log]\nlevel = \"warn,security=info\"");
        assert_eq!(warned(&quiet), [""; 0]);
    }
}
