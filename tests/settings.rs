//! `config.example.toml` and the code have the same settings and defaults.

use account::config::{self, Config};
use serde_json::Value;

const EXAMPLE: &str = include_str!("../config.example.toml");

/// A setting without a default: `#smtp_url = …`, with no space after the `#`.
fn is_unset(line: &str) -> bool {
    line.strip_prefix('#')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '['))
}

fn load(text: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("account.toml");
    std::fs::write(&file, text).unwrap();
    config::load(Some(&file), std::iter::empty()).unwrap()
}

/// Settings with a secret, in TOML. `{}` stands for a part of the secret, which is valid in base64 and hexadecimal.
const SECRETS: [(&str, &str); 5] = [
    (
        "database",
        "[database]\nurl = \"postgres://account:{}@db.example.org/account\"",
    ),
    (
        "mail",
        "[mail]\nsmtp_url = \"smtp://account:{}@mail.example.org\"",
    ),
    (
        "webhooks",
        "[[webhooks]]\nurl = \"https://a.example.org/\"\nevents = [\"*\"]\nsecret = \"whsec_{}YW5vdGhlciBzZWNyZXQsIGFsc28gYW4gZXhhbXBsZQ==\"",
    ),
    (
        "oidc",
        "[[oidc.clients]]\nid = \"wiki\"\nname = \"Wiki\"\nredirect_uris = [\"https://wiki.example.org/\"]\nsecret_sha256 = \"{}000000000000000000000000000000000000000000000000000000000000\"",
    ),
    (
        "fragments",
        "[fragments]\nurl = \"https://account:{}@parts.example.org/\"",
    ),
];

#[test]
fn a_changed_secret_changes_its_section() {
    for (section, text) in SECRETS {
        let [one, two] = ["aaaa", "bbbb"]
            .map(|secret| toml::from_str::<Config>(&text.replace("{}", secret)).unwrap());
        assert_eq!(one.changed_sections(&two), [section]);
        assert!(one.changed_sections(&one.clone()).is_empty());
    }
}

/// `url_file`: the file that contains `url`.
fn is_secret_file_key(line: &str) -> bool {
    ["#url_file", "#smtp_url_file"]
        .iter()
        .any(|key| line.starts_with(key))
}

fn example_with_all_settings() -> String {
    let set = |line: &str| {
        if is_unset(line) && !is_secret_file_key(line) {
            line[1..].to_owned()
        } else {
            line.to_owned()
        }
    };
    EXAMPLE.lines().map(set).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_shows_the_defaults() {
    let defaults = config::load(None, std::iter::empty()).unwrap();
    let shown = load(EXAMPLE);
    assert_eq!(
        serde_json::to_value(shown).unwrap(),
        serde_json::to_value(defaults).unwrap()
    );
}

#[test]
fn every_setting_of_the_example_exists() {
    let set = serde_json::to_value(load(&example_with_all_settings())).unwrap();
    assert!(!set.to_string().contains(":null"), "{set}");
}

/// Collects the `section.key` names of all settings.
fn collect_keys(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                collect_keys(value, &format!("{at}.{key}"), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                collect_keys(item, at, found);
            }
        }
        _ => found.push(at.to_owned()),
    }
}

/// A setting with a default is shown with it, and not only as a comment.
#[test]
fn the_example_has_every_setting() {
    let json = |config: &Config| serde_json::to_value(config).unwrap();
    let toml = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let defaults = json(&config::load(None, std::iter::empty()).unwrap());
    let all = example_with_all_settings();
    let (mut known, mut shown, mut with_default) = (Vec::new(), Vec::new(), Vec::new());
    collect_keys(&json(&load(&all)), "", &mut known);
    collect_keys(&toml(&all), "", &mut shown);
    collect_keys(&toml(EXAMPLE), "", &mut with_default);
    assert!(known.len() > 60, "{known:?}");
    for key in known {
        assert!(shown.contains(&key), "{key} is not in config.example.toml");
        let path = key.replace(".regions.", ".regions.0.").replace('.', "/");
        let default = defaults.pointer(&path).filter(|value| !value.is_null());
        if default.is_some_and(|value| *value != Value::Array(Vec::new())) {
            assert!(with_default.contains(&key), "{key} has a default");
        }
    }
}

#[test]
fn the_example_names_the_file_of_every_secret() {
    let shown = EXAMPLE.lines().filter(|line| is_secret_file_key(line));
    assert_eq!(shown.count(), secret_settings().len());
}

#[test]
fn every_setting_of_the_example_has_a_comment_of_its_own() {
    let lines: Vec<_> = EXAMPLE.lines().collect();
    for (n, line) in lines.iter().enumerate() {
        let is_setting = is_unset(line) || line.starts_with(|c: char| c.is_ascii_lowercase());
        if is_setting && line.contains('=') {
            assert!(lines[n - 1].starts_with("# "), "no comment above: {line}");
        }
    }
}

/// Every setting whose value may contain a password, found by the values that it accepts.
fn secret_settings() -> Vec<String> {
    let defaults = serde_json::to_value(config::load(None, std::iter::empty()).unwrap()).unwrap();
    let mut found = Vec::new();
    for (section, settings) in defaults.as_object().unwrap() {
        for key in settings.as_object().into_iter().flat_map(|map| map.keys()) {
            let name = format!("ACCOUNT_{section}__{key}_FILE").to_uppercase();
            let pair = (name.into(), "/nowhere/secret".into());
            let error = config::load(None, std::iter::once(pair))
                .unwrap_err()
                .to_string();
            assert!(error.contains(&format!("{key}_file")), "{error}");
            if error.contains("cannot read /nowhere/secret") {
                found.push(format!("{section}.{key}"));
            }
        }
    }
    found
}

#[test]
fn every_secret_address_can_be_read_from_a_file() {
    let defaults = serde_json::to_value(config::load(None, std::iter::empty()).unwrap()).unwrap();
    let (mut all, secrets) = (Vec::new(), secret_settings());
    collect_keys(&defaults, "", &mut all);
    let might_be_secret = |key: &&String| {
        let name = key.rsplit('.').next().unwrap();
        let words = ["url", "password", "secret", "token", "key"];
        words
            .iter()
            .any(|word| name == *word || name.ends_with(&format!("_{word}")))
    };
    let public = [
        ".server.public_url", ".regions.consent.script_url", ".regions.consent.boot_url",
        // Lifetimes of tokens, which are not secret.
        ".oidc.access_token", ".oidc.id_token", ".oidc.refresh_token",
    ];
    let expected: Vec<_> = all
        .iter()
        .filter(might_be_secret)
        .filter(|key| !key.starts_with(".limits."))
        .filter(|key| !public.contains(&key.as_str()))
        .map(|key| key[1..].to_owned())
        .collect();
    assert!(expected.len() >= 4, "{expected:?}");
    for key in expected {
        assert!(secrets.contains(&key), "{key} cannot be read from a file");
    }
}
