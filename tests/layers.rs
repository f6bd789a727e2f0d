//! The layers of docs/architecture.md: the imports that a folder of `src` may have. Also: no file is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files below a folder of the repository, with paths relative to it.
fn rust_files(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let path = path.strip_prefix(&root).unwrap();
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read_file(folder: &str, path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(folder).join(path)).unwrap()
}

/// The source files below `src`, without their unit tests.
fn sources() -> Vec<(String, String)> {
    let read = |path: String| {
        let source = read_file("src", &path);
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
        (path, source.to_owned())
    };
    let found: Vec<_> = rust_files("src").into_iter().map(read).collect();
    assert!(found.len() > 100, "the sources are found");
    found
}

/// The folder of a source file, or the module of a single file.
fn module_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap()
}

/// Sources that are no layer: the roots of the crate, and `testing`, which re-exports modules for the tests and macros.
const NO_LAYERS: [&str; 3] = ["lib", "main", "testing"];

fn modules() -> BTreeSet<String> {
    let sources = sources();
    let modules = sources.iter().map(|(path, _)| module_of(path));
    let modules = modules.filter(|module| !NO_LAYERS.contains(module));
    modules.map(str::to_owned).collect()
}

/// The modules that each module imports.
fn imports_by_module() -> BTreeMap<String, BTreeSet<String>> {
    let (sources, modules) = (sources(), modules());
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let of_layers = sources.iter();
    for (path, source) in of_layers.filter(|(path, _)| modules.contains(module_of(path))) {
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
    imports
}

/// The modules in the drawing of docs/architecture.md, from top to bottom and from left to right. A line of the drawing
/// is one or more names, then their description.
fn drawn() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/architecture.md");
    let document = fs::read_to_string(path).unwrap();
    let (_, section) = document.split_once("\n## Layers\n").unwrap();
    let drawing = section.split("```").nth(1).unwrap();
    drawing
        .lines()
        .flat_map(|line| line.split_whitespace().map_while(drawn_name))
        .collect()
}

/// The module that a word of the drawing names: `mail/` or `app.rs`.
fn drawn_name(word: &str) -> Option<String> {
    let name = word.strip_suffix('/').or_else(|| word.strip_suffix(".rs"));
    name.map(str::to_owned)
}

/// Imports that the drawing allows and that must not occur, with the reason.
const FORBIDDEN: &[(&str, &str, &str)] = &[("db", "domain", "the database layer knows no table")];

#[test]
fn every_module_is_in_the_drawing_once() {
    let drawn = drawn();
    let known: BTreeSet<&String> = drawn.iter().collect();
    assert_eq!(
        known.len(),
        drawn.len(),
        "a module is drawn twice: {drawn:?}"
    );
    let modules = modules();
    assert_eq!(
        known,
        modules.iter().collect(),
        "docs/architecture.md, \"Layers\""
    );
}

#[test]
fn a_module_imports_only_modules_below_it_or_to_its_right() {
    let drawn = drawn();
    let rank = |module: &str| drawn.iter().position(|name| name == module);
    let mut wrong = Vec::new();
    for (module, found) in imports_by_module() {
        for other in found {
            if rank(&other) <= rank(&module) {
                wrong.push(format!("{module} imports {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_forbidden_import_occurs() {
    let imports = imports_by_module();
    for (module, other, reason) in FORBIDDEN {
        let found = imports[*module].contains(*other);
        assert!(!found, "{module} imports {other}: {reason}");
    }
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

/// Cargo compiles neither a source nor a test that no `mod` names, and reports nothing.
#[test]
fn every_file_is_compiled() {
    for (folder, roots) in [
        ("src", ["lib.rs", "main.rs"].as_slice()),
        ("tests", &["main.rs"]),
    ] {
        for path in rust_files(folder) {
            if roots.contains(&path.as_str()) {
                continue;
            }
            let name = path.strip_suffix(".rs").unwrap();
            let (parent, name) = match name.rsplit_once('/') {
                Some((parent, name)) => (format!("{parent}.rs"), name),
                None => (roots[0].to_owned(), name),
            };
            let line = format!("mod {name};");
            let is_named = read_file(folder, &parent)
                .lines()
                .any(|l| l == line || l.ends_with(&format!(" {line}")));
            assert!(
                is_named,
                "{folder}/{path}: {folder}/{parent} lacks `{line}`"
            );
        }
    }
}
