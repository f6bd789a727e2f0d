//! The list of events in docs/operating.md, and the events that the code writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The names and fields of events, as docs/operating.md lists them.
pub(super) fn documented_events() -> BTreeMap<String, Vec<String>> {
    let rows = include_str!("../../docs/operating.md").lines();
    let rows =
        rows.filter(|row| row.starts_with("| `security` |") || row.starts_with("| `mail` |"));
    let mut all = BTreeMap::new();
    for row in rows {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        let (names, with) = (columns[2], columns[4].split('(').next().unwrap());
        for name in names.split(',') {
            let with = with.split([',', ';']).map(|word| word.trim().to_owned());
            all.insert(name.trim().trim_matches('`').to_owned(), with.collect());
        }
    }
    all
}

/// `event = "…"` in every file of a folder, and the recorded kinds of security events.
fn collect_written_events(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_written_events(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.split("event = \"").skip(1);
            found.extend(names.map(|rest| rest.split('"').next().unwrap().to_owned()));
            if !path.ends_with("domain/security_event.rs") {
                for recorded in ["Event::new(", "Event::by_actor("] {
                    let events = text.split(recorded).skip(1);
                    let kinds =
                        events.filter_map(|rest| rest.trim().strip_prefix("SecurityEvent::"));
                    found.extend(kinds.map(|rest| snake_case(rest.split(',').next().unwrap())));
                }
            }
        }
    }
}

fn snake_case(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// `target: "…"` in every file of a folder.
fn collect_targets(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_targets(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.split("target: \"").skip(1);
            found.extend(names.map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
    }
}

#[test]
fn the_documentation_lists_every_target() {
    let mut code = BTreeSet::new();
    collect_targets(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut code,
    );
    assert!(code.contains("security"), "{code:?}");
    let manual = include_str!("../../docs/operating.md");
    for target in code {
        assert!(manual.contains(&format!("\n| `{target}` | ")), "{target}");
    }
}

#[test]
fn the_documentation_lists_every_event() {
    let mut code = BTreeSet::new();
    collect_written_events(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut code,
    );
    let documented: BTreeSet<_> = documented_events().into_keys().collect();
    assert_eq!(documented, code);
}
