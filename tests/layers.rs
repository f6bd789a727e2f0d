//! The layers of docs/architecture.md: the imports that a folder of `src` may have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The source files below `src`, with paths relative to it and without their unit tests.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
                found.push((relative_path(&root, &path), source.to_owned()));
            }
        }
    }
    assert!(found.len() > 100, "the sources are found");
    found.sort();
    found
}

fn relative_path(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The folder of a source file, or the module of a single file.
fn module_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap()
}

/// The modules that each module imports.
fn imports_by_module() -> BTreeMap<String, BTreeSet<String>> {
    let sources = sources();
    let modules: BTreeSet<&str> = sources.iter().map(|(path, _)| module_of(path)).collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in &sources {
        let found = imports.entry(module_of(path).to_owned()).or_default();
        for rest in source.split("crate::").skip(1) {
            // `use crate::{a, b::c};` imports several modules.
            let list = rest
                .strip_prefix('{')
                .and_then(|list| list.split('}').next());
            for name in list
                .unwrap_or(rest.split([':', ';', ',', ')', ' ', '\n']).next().unwrap())
                .split(',')
            {
                let name = name.trim().split(':').next().unwrap();
                if modules.contains(name) && name != module_of(path) {
                    found.insert(name.to_owned());
                }
            }
        }
    }
    // `testing` re-exports modules for the tests and for macros, so imports of it do not count.
    imports.remove("testing");
    for found in imports.values_mut() {
        found.remove("testing");
    }
    imports
}

#[test]
fn no_two_modules_import_each_other_directly_or_through_others() {
    let mut imports = imports_by_module();
    // Repeatedly removes the modules that import none of the rest; only circles remain.
    loop {
        let free: Vec<String> = imports
            .iter()
            .filter(|(_, found)| found.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        for module in free {
            imports.remove(&module);
            for found in imports.values_mut() {
                found.remove(&module);
            }
        }
    }
    assert!(imports.is_empty(), "a circle of imports: {imports:#?}");
}

#[test]
fn only_http_imports_axum() {
    let users = sources()
        .into_iter()
        .filter(|(_, source)| source.contains("axum::"));
    let outside: Vec<String> = users
        .map(|(path, _)| path)
        .filter(|path| !matches!(module_of(path), "http" | "cli"))
        .collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn each_layer_imports_only_the_layers_below_it() {
    let imports = imports_by_module();
    let above = [
        (
            "domain",
            vec![
                "db", "store", "app", "auth", "mail", "accounts", "legacy", "jobs", "http", "cli",
            ],
        ),
        (
            "db",
            vec![
                "domain", "store", "app", "auth", "mail", "accounts", "legacy", "jobs", "http",
                "cli",
            ],
        ),
        (
            "store",
            vec![
                "app", "auth", "mail", "accounts", "legacy", "jobs", "http", "cli",
            ],
        ),
        (
            "mail",
            vec!["auth", "accounts", "legacy", "jobs", "http", "cli"],
        ),
        ("auth", vec!["accounts", "legacy", "jobs", "http", "cli"]),
        ("legacy", vec!["accounts", "jobs", "http", "cli"]),
        ("accounts", vec!["support", "jobs", "http", "cli"]),
        ("support", vec!["jobs", "http", "cli"]),
        ("jobs", vec!["accounts", "http", "cli"]),
        ("http", vec!["cli"]),
    ];
    for (layer, above) in above {
        for other in above {
            assert!(!imports[layer].contains(other), "{layer} imports {other}");
        }
    }
}
