//! The settings: their example file, their secrets, and what `check-config` says about their values.

use account::config::{self, Config};
use serde_json::Value;
use toml::Table;

use crate::support::process::{folder, run_to_exit};

const EXAMPLE: &str = include_str!("../config.example.toml");

fn parse(text: &str) -> Config {
    config::parse(text.parse().unwrap()).unwrap()
}

fn json(config: &Config) -> Value {
    serde_json::to_value(config).unwrap()
}

/// Settings with a secret, in TOML. `{}` stands for a part of the secret, which is valid in base64 and hexadecimal.
const SECRETS: [(&str, &str); 5] = [
    (
        "database",
        "[database]\nurl = 'postgres://account:{}@db.example.org/account'",
    ),
    (
        "mail",
        "[mail]\nsmtp_url = 'smtp://account:{}@mail.example.org'",
    ),
    (
        "webhooks",
        "[[webhooks]]\nurl = 'https://a.example.org/'\nsecret = 'whsec_{}YW5vdGhlciBzZWNyZXQsIGFsc28gYW4gZXhhbXBsZQ=='",
    ),
    (
        "oidc",
        "[[oidc.clients]]\nid = 'wiki'\nname = 'Wiki'\nredirect_uris = ['https://wiki.example.org/']\nsecret_sha256 = '{}000000000000000000000000000000000000000000000000000000000000'",
    ),
    (
        "fragments",
        "[fragments]\nurl = 'https://account:{}@parts.example.org/'",
    ),
];

#[test]
fn a_changed_secret_changes_its_section() {
    for (section, text) in SECRETS {
        let [one, two] = ["aaaa", "bbbb"].map(|secret| parse(&text.replace("{}", secret)));
        assert_eq!(one.changed_sections(&two), [section]);
        assert!(one.changed_sections(&one.clone()).is_empty());
    }
}

#[test]
fn the_example_shows_the_defaults_and_explains_every_setting() {
    let (code, out, errors) = run_to_exit(folder().path(), &["check-config", "--example"], &[]);
    assert_eq!((code, &*out, &*errors), (0, EXAMPLE, ""));
    assert_eq!(json(&parse(EXAMPLE)), json(&parse("")));
    let lines: Vec<_> = EXAMPLE.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].contains(" = ")) {
        let is_setting = pair[1]
            .trim_start_matches('#')
            .starts_with(char::is_alphabetic);
        assert!(
            !is_setting || pair[0].starts_with("# "),
            "no comment above: {}",
            pair[1]
        );
    }
}

/// The settings of the example, with those that are commented out.
fn example_with_all_settings() -> String {
    let (mut all, mut is_file) = (String::new(), false);
    for line in EXAMPLE.lines() {
        let set = line.strip_prefix('#').filter(|rest| !rest.starts_with(' '));
        if !is_file {
            all += set.unwrap_or(line);
            all.push('\n');
        }
        is_file = line.starts_with("# The path of a file that contains the value");
    }
    all
}

#[test]
fn every_setting_without_a_default_has_a_valid_example() {
    let set = json(&parse(&example_with_all_settings())).to_string();
    let for_tests = "\"credential_undo\":null";
    assert!(!set.replace(for_tests, "").contains(":null"), "{set}");
}

#[test]
fn no_setting_that_may_be_secret_is_shown() {
    let shown = config::effective_toml(&parse(&example_with_all_settings()));
    // The path of a webhook is often its secret.
    assert!(
        shown.contains("\"https://service.example.org/***\""),
        "{shown}"
    );
    for (name, value) in shown.lines().filter_map(|line| line.split_once(" = ")) {
        let mut words = ["url", "password", "secret", "token", "sha256"].iter();
        let might_be_secret = words.any(|word| name.split('_').any(|part| part == *word));
        let is_public = [
            "public_url", "script_url", "boot_url", "refresh_token", "access_token", "id_token",
            "id_token_alg", "id_token_claims", "change_password", "oidc_token_client",
        ];
        let has_no_secret = value.contains("***")
            || value.contains("sqlite:")
            || value.contains(".example.org\"")
            || value.contains("{environment}");
        assert!(
            !might_be_secret || is_public.contains(&name) || has_no_secret,
            "{name} = {value}"
        );
    }
}

/// A public site that causes no warnings.
const SAFE: &str = "
    [server]
    public_url = 'https://www.moonhill.internal'
    trusted_proxies = ['127.0.0.1']
    ops_listen = '10.0.0.5:9090'
    [database]
    url = 'postgres://site:hush-s3cret@db.moonhill.internal/account?sslmode=verify-full'
    [mail]
    smtp_url = 'smtp://me:hush-s3cret@mail.moonhill.internal?tls=required'
    from = 'Moonhill <account@moonhill.lan>'
    [fragments]
    url = 'https://parts.moonhill.internal'
    [oidc]
    enabled = true
    [[oidc.clients]]
    id = 'wiki'
    name = 'Wiki'
    redirect_uris = ['https://wiki.moonhill.internal/callback']
    [[webhooks]]
    url = 'https://hooks.moonhill.internal/'
    secret = 'whsec_aaaaYW5vdGhlciBzZWNyZXQsIGFsc28gYW4gZXhhbXBsZQ=='
    [[regions]]
    id = 'us'
    hosts = ['www.moonhill.internal']
    environment = 'prod'
";

/// Changes settings. The first entries of lists are changed, and further entries are added.
fn change(settings: &mut toml::Value, changed: toml::Value) {
    match (settings, changed) {
        (toml::Value::Table(settings), toml::Value::Table(changed)) => {
            for (name, value) in changed {
                change(settings.entry(name).or_insert(Table::new().into()), value);
            }
        }
        (toml::Value::Array(settings), toml::Value::Array(changed))
            if changed.iter().any(toml::Value::is_table) =>
        {
            for (at, entry) in changed.into_iter().enumerate() {
                match settings.get_mut(at) {
                    Some(setting) => change(setting, entry),
                    None => settings.push(entry),
                }
            }
        }
        (setting, changed) => *setting = changed,
    }
}

/// Returns the problems of the safe site with these changes, marked with `!`, or else its warnings, marked with `?`.
fn findings(changes: &str) -> Vec<String> {
    let mut settings = SAFE.parse::<Table>().unwrap().into();
    change(
        &mut settings,
        changes.parse::<Table>().expect(changes).into(),
    );
    let (mark, found) = match config::parse(settings.as_table().unwrap().clone()) {
        Err(problem) => ("!", vec![problem.to_string()]),
        Ok(config) => match config::problems(&config) {
            problems if problems.is_empty() => ("?", config::warnings(&config)),
            problems => ("!", problems),
        },
    };
    for line in &found {
        assert!(
            !line.contains("hush-s3cret") && !line.contains('\n'),
            "{line}"
        );
    }
    found.iter().map(|line| format!("{mark} {line}")).collect()
}

/// Changes of the safe site, each followed by the only problem (`!`) or warning (`?`), or by neither.
const CHANGES: &str = "
database.url = 'postgres:///account?host=/var/run/postgresql'
password = { memory_kib = 9216, iterations = 4 }
log.level = 'warn,security=info'
lifetimes.inactive_account = '90d'
server.site_home = '/home'
server.site_home = 'https://www.moonhill.internal:8443/'
server.shutdown_grace = '20s'
database.prepared = 1 ! database.prepared: invalid type: integer `1`, expected true or false
server.public_url = 'www.example.org' ! server.public_url
server.public_url = 'https://www.example.org/path' ! server.public_url
server.public_url = 'https://*.example.org' ! server.public_url
server.public_url = 'ftp://x' ! server.public_url
server.public_url = 'http://www.moonhill.internal' ! server.public_url
server.public_url = 'https://www.example.com' ? server.public_url
server.listen = '0.0.0.0:8080'
server = { listen = '0.0.0.0:8080', trusted_proxies = [] } ? server.trusted_proxies is empty, and server.listen can be reached
server.trusted_proxies = [] ? server.trusted_proxies is empty
server.trusted_proxies = ['0.0.0.0/0'] ? server.trusted_proxies includes nearly all
server.trusted_proxies = ['::/0'] ? server.trusted_proxies
server.trusted_proxies = ['::ffff:0.0.0.0/96'] ? server.trusted_proxies
server.ops_listen = '127.0.0.1:8080' ! server.ops_listen
server.ops_listen = '[::ffff:127.0.0.1]:8080' ! server.ops_listen
server.ops_listen = '0.0.0.0:8080' ! server.ops_listen
server.ops_listen = '0.0.0.0:9090' ? server.ops_listen
server.ops_listen = '203.0.113.7:9090' ? server.ops_listen
server.ops_listen = '[::]:9090' ? server.ops_listen
server.shutdown_grace = '21s' ? server.shutdown_grace is above
server.drain_delay = '11s' ? server.drain_delay is longer
server.site_home = '//evil.example/' ! server.site_home
server.site_home = '/{language}' ! server.site_home
server.site_home = '/' ! server.site_home
server.site_home = '/.?a=b' ! server.site_home
server.site_home = 'https://WWW.moonhill.internal' ! server.site_home
server.site_home = 'http://www.moonhill.internal:80/' ! server.site_home
database.url = 'postgres://me@db.moonhill.internal/a' ? database.url does not require TLS
database.url = 'postgres://me@db.moonhill.internal/a?sslmode=prefer' ? database.url
database.url = 'postgres://me@db.moonhill.internal/a?sslmode=require' ? database.url encrypts
database = 'postgres://me:hush-s3cret@db/a' ! database: invalid type
database.client_cert_file = 'a.pem' ! database.client_cert_file
mail.smtp_url = 'smtp://mail.moonhill.internal' ? mail.smtp_url
mail.smtp_url = 'smtp://mail.moonhill.internal?tls=opportunistic' ? mail.smtp_url
mail.from = 'account@localhost' ? mail.from
mail.from = 'account@example.org' ? mail.from
mail.from = 'nobody' ! mail.from
fragments.url = 'http://parts.moonhill.internal' ? fragments.url
fragments.max_bytes = '1023 B' ! fragments.max_bytes
translations.url = 'http://words.moonhill.internal' ? translations.url
translations.url = 'https://words.moonhill.internal/{env}' ! translations.url
security.new_device = 'off' ? security.new_device
password.memory_kib = 19455 ? password.memory_kib
password.memory_kib = 7 ! password.memory_kib
password.iterations = 1 ? password.memory_kib
password.iterations = 81 ? password.iterations
password.iterations = 8001 ! password.iterations
password.max_parallel = 257 ! password.max_parallel
lifetimes.session_absolute = '31d' ? lifetimes.session_absolute
lifetimes.session_idle = '31d' ? lifetimes.session_idle
lifetimes.reset = '2d' ? lifetimes.reset
lifetimes.audit = '0s' ? lifetimes.audit
lifetimes.inactive_account = '1h' ! lifetimes.inactive_account
limits.enabled = false ? limits.enabled
age.registration = 121 ! age.registration
age.migration = 121 ! age.migration
log.level = 'warn' ? log.level
log.level = 'loud,' ! log.level
passkeys.rp_id = 'internal' ! passkeys.rp_id
passkeys.rp_id = 'hill.internal' ! passkeys.rp_id
passkeys.rp_id = 'moonhill.internal'
server.public_url = 'https://accounts.moonhill.co.uk'\\npasskeys.rp_id = 'co.uk' ! passkeys.rp_id
server.public_url = 'https://accounts.moonhill.co.uk'\\npasskeys.rp_id = 'moonhill.co.uk'
server.public_url = 'https://moonhill.me.uk'\\npasskeys.rp_id = 'me.uk' ! passkeys.rp_id
server.public_url = 'https://accounts.web.de'\\npasskeys.rp_id = 'web.de'
server.public_url = 'https://intranet'\\npasskeys.rp_id = 'intranet' ? server.public_url
forward_auth.enabled = true
forward_auth = { enabled = true }\\nserver.trusted_proxies = [] ! forward_auth.enabled
oidc.enabled = false ? oidc.enabled
oidc.code = '999ms' ! oidc.code
oidc.access_token = '999ms' ! oidc.access_token
oidc.key_lifetime = '24h' ! oidc.key_lifetime
oidc.clients = [{ secre = 'x' }] ! oidc.clients[0].secre: unknown field `secre`, expected one of `id`, `name`, `secret_sha256` or `secret_sha256_file`
oidc.clients = [{ secret_sha256 = 'hush-s3cret' }] ! oidc.clients[0].secret_sha256
oidc.clients = [{ secret_sha256_file = '/nowhere' }] ! oidc.clients[0].secret_sha256_file
oidc.clients = [{ id = 'a b' }] ! oidc.clients[0].id
oidc.clients = [{ name = '' }] ! oidc.clients[0].name
oidc.clients = [{ pkce = 'optional' }] ! oidc.clients[0].pkce
oidc.clients = [{ scopes = ['profile'] }] ! oidc.clients[0].scopes
oidc.clients = [{ scopes = ['openid', 'address'] }] ! oidc.clients[0].scopes
oidc.clients = [{ id_token_alg = 'none' }] ! oidc.clients[0].id_token_alg
oidc.clients = [{ region = 'nowhere' }] ! oidc.clients[0].region
oidc.clients = [{ aal = 3 }] ! oidc.clients[0].aal
oidc.clients = [{ redirect_uris = [] }] ! oidc.clients[0].redirect_uris
oidc.clients = [{}, { id = 'wiki', name = 'W', redirect_uris = ['https://w.example/'] }] ! oidc.clients[1].id
webhooks = [{}, { url = 'https://a.example/' }] ! webhooks[1]: missing field `secret` or `secret_file`
webhooks = [{}, { secret = 'whsec_aaaaYW5vdGhlciBzZWNyZXQsIGFsc28gYW4gZXhhbXBsZQ==' }] ! webhooks[1]: missing field `url` or `url_file`
webhooks = [{}, { secret = 'whsec_aaaaYW5vdGhlciBzZWNyZXQsIGFsc28gYW4gZXhhbXBsZQ==', url = 'https://hooks.moonhill.internal/' }] ! webhooks[1].url
webhooks = [{ url = 'http://h.example/' }] ! webhooks[0].url
webhooks = [{ secret = 'hush-s3cret' }] ! webhooks[0].secret
webhooks = [{ secret_file = 'x' }] ! webhooks[0].secret_file: webhooks[0].secret is set too
webhooks = [{ events = ['account.made'] }] ! webhooks[0].events: there is no event 'account.made'
webhooks = [{ events = [] }] ! webhooks[0].events
webhooks = [{ event = '*' }] ! webhooks[0].event
regions = [{ hosts = ['a.example:80'] }] ! regions[0].hosts
regions = [{ hosts = ['*.example.org'] }] ! regions[0].hosts
regions = [{ hosts = ['a.test.'] }] ! regions[0].hosts
regions = [{ hosts = [' '] }] ! regions[0].hosts
regions = [{ hosts = ['a.lan', 'A.lan'] }] ! regions[0].hosts
regions = [{ hosts = ['us.localhost'] }] ? regions[0].hosts
regions = [{}, { id = 'two', environment = 'prod' }] ? regions[1].hosts is empty
regions = [{}, { hosts = ['b.moonhill.internal'] }] ! regions[1].id
regions = [{ brand = '' }] ! regions[0].brand
regions = [{ timezone = 'Moon/Base' }] ! regions[0].timezone
regions = [{ country_code = 'uk' }] ! regions[0].country_code
regions = [{ mail_from = 'nobody' }] ! regions[0].mail_from
regions = [{ environment = 'live' }] ! regions[0].environment
regions = [{ environment = 'dev' }] ? regions[0].environment is not prod
regions = [{ accent = '#222222' }] ! regions[0].accent
regions = [{ accent = '#d6336c' }] ? regions[0].accent resembles the red
regions = [{ logo = 'logo.svg' }] ! regions[0].logo
regions = [{ logo = '//evil.example/x' }] ! regions[0].logo
regions = [{ avatar_images = 'https://a.example/x.png' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'http://a.example/{id}.png' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'https://{username}.example/{id}' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'https://*.example/{id}' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'https://a.example./{id}' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'https://a.example/{id}/{size}' }] ! regions[0].avatar_images
regions = [{ avatar_images = 'https://a.example/{id}.png' }]
regions = [{ links = { terms = 'https:///terms' } }] ! regions[0].links.terms
regions = [{ links = { terms = 'javascript:alert(1)' } }] ! regions[0].links.terms
regions = [{ links = { terms = 'http://a.example/' } }] ? regions[0].links.terms is http
regions = [{ links = { contact = 'mailto:a@example.org' } }]
regions = [{ locale = '12' }] ! regions[0].locale
regions = [{ locale = 'deutsch' }] ! regions[0].locale
regions = [{ locale = 'xx-YY' }] ? regions[0].locale
regions = [{ locale = 'fr_FR' }]
regions = [{ translation_source_language = 'de-' }] ! regions[0].translation_source_language
regions = [{ consent = { id = 'a', boot_url = '/x', script_url = 'https://a.example/' } }] ! regions[0].consent.boot_url
regions = [{ consent = { id = 'a', boot_url = 'https://a.example/', script_url = 'https://a.example/' } }] ? regions[0].consent: its scripts
";

#[test]
fn each_problem_and_each_warning_is_one_line_that_names_the_setting() {
    assert_eq!(findings(""), [""; 0]);
    for row in CHANGES.lines().filter(|row| !row.is_empty()) {
        let end = [" ! ", " ? "].iter().find_map(|mark| row.find(mark));
        let (changes, expected) = row.split_at(end.unwrap_or(row.len()));
        let found = findings(&changes.replace("\\n", "\n"));
        // The program reports only the first problem.
        let first = found.first().map_or("", String::as_str);
        let is_one = found.len() == usize::from(end.is_some()) || first.starts_with('!');
        assert!(
            is_one && first.starts_with(expected.trim_start()),
            "{row}: {found:?}"
        );
    }
}

#[test]
fn a_file_with_a_secret_that_others_may_read_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "https://words.moonhill.internal\n").unwrap();
    let path = file.path().display().to_string();
    for setting in ["translations.url_file", "security.encryption_key_file"] {
        for (mode, count) in [(0o600, 0), (0o644, 1), (0o602, 1)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let found = findings(&format!("{setting} = '{path}'"));
            let is_named = found
                .iter()
                .all(|line| line.starts_with(&format!("? {setting} ")) && line.contains("can be"));
            assert!(is_named && found.len() == count, "{mode:o}: {found:?}");
        }
    }
}

/// The settings that accept zero (`0`), or an empty list (`''`).
const ACCEPTED_BOUNDS: &str = "
'' server.trusted_proxies, accounts.reserved_usernames, support.networks, oidc.clients, regions.hosts
0 server.shutdown_grace, server.drain_delay, fragments.ttl, translations.ttl, security.second_factor_trust
0 lifetimes.deletion_grace, lifetimes.username_hold, lifetimes.inactive_account, lifetimes.activity
0 lifetimes.audit, age.registration, age.migration, oidc.refresh_grace
";

/// Zero, nothing, a huge number and a wrong type are errors that name the setting, or are listed above.
#[test]
fn no_bound_of_any_setting_is_accepted_by_mistake() {
    let all = json(&parse(&example_with_all_settings()));
    let mut accepted = Vec::new();
    let sections = all.as_object().unwrap().iter();
    let settings = sections.flat_map(|(section, settings)| {
        // Of a list, the first entry.
        let settings = settings.get(0).unwrap_or(settings).as_object();
        settings
            .into_iter()
            .flatten()
            .map(move |(key, value)| (section, key, value))
    });
    for (section, key, value) in settings.filter(|(_, _, value)| !value.is_object()) {
        let text = value.as_str().unwrap_or_default();
        let is_list = all[section].is_array();
        let unit = if text.contains('/') { "0/m" } else { "0s" };
        let zero = if value.is_number() {
            "0".to_owned()
        } else {
            format!("'{unit}'")
        };
        let empty = if value.is_array() { "[]" } else { "''" };
        let bounds = [
            ("0", &*zero),
            ("''", empty),
            ("9", "9223372036854775807"),
            ("{}", "{}"),
        ];
        for (bound, written) in bounds {
            // Zero and a huge number have no meaning for words and for lists.
            let is_number = value.is_number() || text.starts_with(|c: char| c.is_ascii_digit());
            if matches!(bound, "0" | "9") && !is_number {
                continue;
            }
            let setting = format!("{key} = {written}");
            let row = if is_list {
                format!("{section} = [{{ {setting} }}]")
            } else {
                format!("{section}.{setting}")
            };
            let found = findings(&row);
            let at = if is_list { "[0]" } else { "" };
            match found.iter().find(|line| line.starts_with('!')) {
                None => accepted.push(format!("{bound} {section}.{key}")),
                Some(line) => {
                    let path = format!("! {section}{at}.{key}");
                    assert!(line.starts_with(&path), "{row}: {line}");
                }
            }
        }
    }
    let mut expected = Vec::new();
    for line in ACCEPTED_BOUNDS.lines().filter(|line| !line.is_empty()) {
        let (bound, settings) = line.split_once(' ').unwrap();
        expected.extend(
            settings
                .split(", ")
                .map(|setting| format!("{bound} {setting}")),
        );
    }
    accepted.sort();
    expected.sort();
    assert_eq!(accepted, expected);
}
