use super::*;

/// The configuration of a public site that causes no warnings.
const SAFE_CONFIG: &str = r#"
    [server]
    public_url = "https://www.moonhill.internal"
    trusted_proxies = ["127.0.0.1"]
    ops_listen = "10.0.0.5:9090"
    [database]
    url = "postgres://site:secret@db.moonhill.internal/account?sslmode=verify-full"
    [mail]
    smtp_url = "smtp://me:secret@mail.moonhill.internal?tls=required"
    from = "Moonhill <account@moonhill.lan>"
    [fragments]
    url = "https://parts.moonhill.internal"
    [[regions]]
    id = "us"
    hosts = ["www.moonhill.internal"]
    environment = "prod"
"#;

fn warnings_of(text: &str) -> Vec<String> {
    let mut config: Config = toml::from_str(text).expect("settings");
    if config.regions.is_empty() {
        config.regions.push(crate::config::Region::default());
    }
    assert_eq!(
        crate::config::problems(&config),
        [""; 0],
        "wrong, not unwise"
    );
    warnings(&config)
}

#[test]
fn a_sound_configuration_has_no_warnings() {
    assert_eq!(warnings_of(SAFE_CONFIG), [""; 0]);
    let by_socket = SAFE_CONFIG.replace(
        "postgres://site:secret@db.moonhill.internal/account?sslmode=verify-full",
        "postgres:///account?host=/var/run/postgresql",
    );
    assert_eq!(warnings_of(&by_socket), [""; 0]);
    let with_less_memory = format!("{SAFE_CONFIG}[password]\nmemory_kib = 9216\niterations = 4");
    assert_eq!(warnings_of(&with_less_memory), [""; 0]);
}

#[test]
fn a_local_site_gets_only_the_essential_warnings() {
    let keys: Vec<_> = warnings_of("").iter().map(|w| setting_name(w)).collect();
    assert_eq!(keys, ["server.public_url", "mail.smtp_url"]);
}

fn setting_name(warning: &str) -> String {
    warning.split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn a_public_site_is_warned_of_unsafe_settings() {
    let container = "[server]\nlisten = \"0.0.0.0:8080\"";
    let found = warnings_of(container);
    for (key, part) in [
        ("server.trusted_proxies", "server.listen 0.0.0.0:8080"),
        ("mail.smtp_url", "their users can read all mails"),
    ] {
        let warning = found.iter().find(|w| w.starts_with(key));
        assert!(
            warning.is_some_and(|w| w.contains(part)),
            "{key}: {found:?}"
        );
    }
    let public = "[server]\npublic_url = \"https://www.moonhill.internal\"";
    let found = warnings_of(public);
    let of_mails = found
        .iter()
        .find(|w| w.starts_with("mail.smtp_url"))
        .expect("a warning");
    assert!(of_mails.contains("neither sent nor shown"), "{of_mails}");
}

/// A part of the safe configuration, its unsafe replacement, and the setting that the warning names.
const UNSAFE_SETTINGS: &[(&str, &str, &str)] = &[
    (
        r#"["127.0.0.1"]"#, r#"["0.0.0.0/0"]"#, "server.trusted_proxies",
    ),
    (r#"["127.0.0.1"]"#, r#"["::/0"]"#, "server.trusted_proxies"),
    (r#"["127.0.0.1"]"#, "[]", "server.trusted_proxies"),
    ("10.0.0.5:9090", "0.0.0.0:9090", "server.ops_listen"),
    ("10.0.0.5:9090", "203.0.113.7:9090", "server.ops_listen"),
    ("10.0.0.5:9090", "[::]:9090", "server.ops_listen"),
    ("?tls=required", "", "mail.smtp_url"),
    ("?tls=required", "?tls=opportunistic", "mail.smtp_url"),
    ("account@moonhill.lan", "account@localhost", "mail.from"),
    ("account@moonhill.lan", "account@example.org", "mail.from"),
    ("?sslmode=verify-full", "", "database.url"),
    ("verify-full", "prefer", "database.url"),
    ("verify-full", "require", "database.url"),
    ("https://parts", "http://parts", "fragments.url"),
    (
        r#"["www.moonhill.internal"]"#, r#"["us.localhost"]"#, "regions.us.hosts",
    ),
    (r#""prod""#, r#""dev""#, "regions.us.environment"),
    (
        "https://www.moonhill.internal", "https://www.example.com", "server.public_url",
    ),
];

#[test]
fn each_unwise_setting_is_named_in_one_line_of_its_own() {
    for &(from, to, named) in UNSAFE_SETTINGS {
        assert!(SAFE_CONFIG.contains(from), "{from}");
        let found = warnings_of(&SAFE_CONFIG.replace(from, to));
        let keys: Vec<_> = found.iter().map(|w| setting_name(w)).collect();
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
        let found = warnings_of(&format!("{SAFE_CONFIG}\n{setting}"));
        let keys: Vec<_> = found.iter().map(|w| setting_name(w)).collect();
        assert_eq!(keys, [named], "{setting}");
    }
    let quiet = format!("{SAFE_CONFIG}\n[log]\nlevel = \"warn,security=info\"");
    assert_eq!(warnings_of(&quiet), [""; 0]);
}

#[test]
fn an_accent_that_looks_like_an_error_is_warned_of() {
    let red = SAFE_CONFIG.replace("hosts = [", "accent = \"#d6336c\"\nhosts = [");
    assert_eq!(
        warnings_of(&red),
        [
            "regions.us.accent #d6336c resembles the red of error messages: choose a hue further from it"
        ]
    );
}

#[test]
fn hashes_that_do_not_fit_the_control_group_are_a_warning() {
    let mut config = Config::default();
    config.password.max_parallel = Some(32);
    for (limit, is_warned) in [
        (None, false),
        (Some(1 << 30), false),
        (Some(512 << 20), true),
    ] {
        let mut found = Vec::new();
        warn_about_memory(&config, limit, &mut found);
        assert_eq!(!found.is_empty(), is_warned, "{limit:?}: {found:?}");
    }
    config.password.max_parallel = None;
    assert!((1..=8).contains(&config.password.hashing_threads()));
}
