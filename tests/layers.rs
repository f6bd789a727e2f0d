//! The layers of docs/architecture.md. Each list holds the files that still cross a border; it may only get shorter.

use std::fs;
use std::path::Path;

/// The sources below `src`, with paths relative to it.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push((relative(&root, &path), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 100, "the sources are found");
    found.sort();
    found
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The files outside the folders `inside` that contain `text`.
fn outside(inside: &[&str], text: &str) -> Vec<String> {
    let is_inside = |path: &str| inside.iter().any(|folder| path.starts_with(folder));
    let users = sources()
        .into_iter()
        .filter(|(_, source)| source.contains(text));
    users
        .map(|(path, _)| path)
        .filter(|path| !is_inside(path))
        .collect()
}

#[test]
fn only_the_http_layer_imports_axum() {
    let expected = ["demo/provider.rs", "error.rs", "metrics.rs", "traces.rs"];
    assert_eq!(outside(&["http/", "http.rs"], "axum::"), expected);
}

#[test]
fn only_the_command_line_and_the_app_import_the_http_layer() {
    let expected = [
        "app.rs",
        "demo.rs",
        "legacy/migrate_on_sign_in.rs",
        "legacy/migration.rs",
        "testing.rs",
    ];
    assert_eq!(
        outside(&["http/", "http.rs", "cli/"], "crate::http"),
        expected
    );
}

#[test]
fn domain_db_and_store_import_no_layer_above_them() {
    let above_store = ["app", "http", "mail", "legacy", "cli", "config::Region"];
    let above_db = [
        "store", "app", "http", "mail", "legacy", "cli", "domain", "i18n",
    ];
    let above_domain = ["db", "store", "app", "http", "mail", "legacy", "cli"];
    for (path, source) in sources() {
        let room = path.split(['/', '.']).next().unwrap();
        let forbidden: &[&str] = match room {
            "domain" => &above_domain,
            "db" => &above_db,
            "store" => &above_store,
            _ => continue,
        };
        for layer in forbidden {
            let import = format!("crate::{layer}");
            assert!(!source.contains(&import), "{path} imports {import}");
        }
    }
}
