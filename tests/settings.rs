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
    ["#url_file", "#read_url_file", "#smtp_url_file"]
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
    let example = EXAMPLE.lines().map(set).collect::<Vec<_>>().join("\n");
    // Only PostgreSQL has standbys.
    example.replace(
        "sqlite://data/account.db",
        "postgres://db.example.org/account",
    )
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

#[test]
fn the_example_has_every_setting() {
    let defaults = serde_json::to_value(config::load(None, std::iter::empty()).unwrap()).unwrap();
    let example = example_with_all_settings().parse::<toml::Table>().unwrap();
    let example = serde_json::to_value(example).unwrap();
    let (mut known, mut shown) = (Vec::new(), Vec::new());
    collect_keys(&defaults, "", &mut known);
    collect_keys(&example, "", &mut shown);
    assert!(known.len() > 60, "{known:?}");
    for key in known {
        let is_there = shown
            .iter()
            .any(|s| *s == key || s.starts_with(&format!("{key}.")));
        assert!(is_there, "{key} is not in config.example.toml");
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

const MANUAL: &str = include_str!("../docs/operating/settings.md");

/// `section.key` and default of each row in the manual's table of settings. A row may have several keys of a section:
/// `a.one` · `two`, with a default for each or one for all.
fn manual_settings() -> Vec<(String, Option<String>)> {
    let (_, table) = MANUAL.split_once("| key | default |").unwrap();
    let mut all = Vec::new();
    for row in table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
    {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        let quoted = |text: &str| -> Vec<String> {
            text.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect()
        };
        let (keys, defaults) = (quoted(columns[1]), quoted(columns[2]));
        let (section, _) = keys[0].split_once('.').unwrap();
        for (n, key) in keys.iter().enumerate() {
            let key = match key.split_once('.') {
                Some(_) => key.clone(),
                None => format!("{section}.{key}"),
            };
            // A default without backticks (unset, none, cores) is a description, not a value.
            let default = defaults.get(n).or(defaults.last()).cloned();
            all.push((key, default));
        }
    }
    all
}

/// Compares values independent of notation: `60s` equals `1m`.
fn is_same_value(written: &str, value: &Value) -> bool {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Array(names) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            names.join(", ")
        }
        other => other.to_string(),
    };
    parse_equal::<config::Duration>(written, &value)
        || parse_equal::<config::Limit>(written, &value)
        || parse_equal::<config::ByteSize>(written, &value)
        || written == value
}

fn parse_equal<T: std::str::FromStr + PartialEq>(one: &str, other: &str) -> bool {
    matches!((one.parse::<T>(), other.parse::<T>()), (Ok(one), Ok(other)) if one == other)
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

#[test]
fn the_manual_explains_every_setting_with_its_default() {
    let defaults = serde_json::to_value(config::load(None, std::iter::empty()).unwrap()).unwrap();
    let mut known = Vec::new();
    for (section, settings) in defaults.as_object().unwrap() {
        for (key, value) in settings.as_object().into_iter().flatten() {
            known.push((format!("{section}.{key}"), value));
        }
    }
    let manual = manual_settings();
    for key in secret_settings() {
        known.push((format!("{key}_file"), &Value::Null));
    }
    for (key, value) in &known {
        let row = manual.iter().find(|(explained, _)| explained == key);
        let (_, default) = row.unwrap_or_else(|| panic!("{key} is not in settings.md"));
        match default {
            Some(written) => assert!(is_same_value(written, value), "{key}: {written}, {value}"),
            None => {
                let is_unset = value.is_null() || **value == Value::Array(Vec::new());
                assert!(is_unset, "{key} has a default, {value}");
            }
        }
    }
    for (key, _) in &manual {
        assert!(known.iter().any(|(k, _)| k == key), "{key} is no setting");
    }
    let (_, regions) = MANUAL.split_once("`[[regions]]`").unwrap();
    let (regions, _) = regions.split_once("\n\n").unwrap();
    let region = &defaults["regions"][0];
    let links = region["links"].as_object().unwrap().keys();
    for key in region.as_object().unwrap().keys().chain(links) {
        assert!(regions.contains(&format!("`{key}`")), "regions.{key}");
    }
}
