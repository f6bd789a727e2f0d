//! `config.example.toml` and the code say the same, in both directions.

use account::config::{self, Config};
use serde_json::Value;

const EXAMPLE: &str = include_str!("../config.example.toml");

/// A setting that has no default: `#smtp_url = …`, without a space behind the mark.
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

fn everything_set() -> String {
    let set = |line: &str| {
        if is_unset(line) {
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
fn every_setting_of_the_example_is_one() {
    let set = serde_json::to_value(load(&everything_set())).unwrap();
    assert!(!set.to_string().contains("null"), "{set}");
}

/// `section.key` of everything there is.
fn keys(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                keys(value, &format!("{at}.{key}"), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().for_each(|item| keys(item, at, found));
        }
        _ => found.push(at.to_owned()),
    }
}

#[test]
fn every_setting_stands_in_the_example() {
    let defaults = serde_json::to_value(config::load(None, std::iter::empty()).unwrap()).unwrap();
    let example = everything_set().parse::<toml::Table>().unwrap();
    let example = serde_json::to_value(example).unwrap();
    let (mut known, mut shown) = (Vec::new(), Vec::new());
    keys(&defaults, "", &mut known);
    keys(&example, "", &mut shown);
    assert!(known.len() > 60, "{known:?}");
    for key in known {
        let is_there = shown
            .iter()
            .any(|s| *s == key || s.starts_with(&format!("{key}.")));
        assert!(is_there, "{key} is not in config.example.toml");
    }
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
