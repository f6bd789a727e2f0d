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

/// The source files below `src`, without their unit tests and comments.
fn sources() -> Vec<(String, String)> {
    let read = |path: String| {
        let source = read_file("src", &path);
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = source
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        (path, code.collect::<Vec<_>>().join("\n"))
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
    let modules = modules();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in sources() {
        let module = module_of(&path);
        if modules.contains(module) {
            let named = paths(&source).into_iter().filter(|path| path[0] == "crate");
            let others = named.filter_map(|path| path.get(1).copied());
            let others = others.filter(|other| *other != module && modules.contains(*other));
            let found = imports.entry(module.to_owned()).or_default();
            found.extend(others.map(str::to_owned));
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

/// Reads a path like `store::{accounts, names::{self, NameKind}}`, and adds the segments of each name in it to `found`.
/// Returns the text after the path.
fn read_path<'a>(text: &'a str, mut path: Vec<&'a str>, found: &mut Vec<Vec<&'a str>>) -> &'a str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    path.push(name);
    let Some(rest) = rest.strip_prefix("::") else {
        found.push(path);
        return rest;
    };
    let Some(mut rest) = rest.strip_prefix('{') else {
        return read_path(rest, path, found);
    };
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || matches!(c, '_' | '}')) {
        rest = &rest[start..];
        if let Some(after) = rest.strip_prefix('}') {
            return after;
        }
        rest = read_path(rest, path.clone(), found);
    }
    rest
}

/// The segments of all paths in a source that begin with `crate`, `super` or `self`.
fn paths(source: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in source.match_indices(root) {
            if !source[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                read_path(&source[at..], Vec::new(), &mut found);
            }
        }
    }
    found
}

/// The files that each file imports from its own folder of `src`, named as modules: `accounts::session`. A file and the
/// files in the folder of its name are one unit, so imports between them are left out.
fn imports_within_folders() -> BTreeMap<String, BTreeSet<String>> {
    let sources: BTreeMap<String, String> = sources()
        .into_iter()
        .map(|(path, source)| (path.trim_end_matches(".rs").replace('/', "::"), source))
        .collect();
    let is_within = |file: &str, unit: &str| {
        file.strip_prefix(unit)
            .is_some_and(|rest| rest.starts_with("::"))
    };
    let mut imports = BTreeMap::new();
    for (file, source) in &sources {
        let imported = paths(source).into_iter().filter_map(|path| {
            let mut segments: Vec<&str> = file.split("::").collect();
            for segment in path {
                match segment {
                    "crate" => segments.clear(),
                    "super" => drop(segments.pop()),
                    "self" => {}
                    name => segments.push(name),
                }
            }
            // The path of an item begins with the path of its file.
            let ends = (1..=segments.len()).rev();
            ends.map(|end| segments[..end].join("::"))
                .find(|module| sources.contains_key(module))
        });
        let is_counted = |other: &String| {
            module_of(&other.replace("::", "/")) == module_of(&file.replace("::", "/"))
                && other != file
                && !is_within(file, other)
                && !is_within(other, file)
        };
        imports.insert(file.clone(), imported.filter(is_counted).collect());
    }
    imports
}

/// Leaves only the files that are in a circle of imports, or between two circles.
fn keep_circles(
    mut imports: BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let count = imports.len();
        let imported: BTreeSet<String> = imports.values().flatten().cloned().collect();
        imports.retain(|file, others| imported.contains(file) && !others.is_empty());
        let kept: BTreeSet<String> = imports.keys().cloned().collect();
        for others in imports.values_mut() {
            others.retain(|other| kept.contains(other));
        }
        if imports.len() == count {
            return imports;
        }
    }
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
fn the_files_of_a_folder_import_each_other_in_no_circle() {
    let imports = imports_within_folders();
    assert!(
        imports.values().map(BTreeSet::len).sum::<usize>() > 100,
        "imports are found"
    );
    let circles = keep_circles(imports);
    assert!(circles.is_empty(), "{circles:#?}");

    let example = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "")];
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, other) in example {
        let others = imports.entry(file.to_owned()).or_default();
        others.extend((!other.is_empty()).then(|| other.to_owned()));
    }
    assert_eq!(
        keep_circles(imports).into_keys().collect::<Vec<_>>(),
        ["b", "c"]
    );
    let mut found = Vec::new();
    read_path("super::{a, b::{self, C}, d::e};", Vec::new(), &mut found);
    let found: Vec<_> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(
        found,
        ["super::a", "super::b::self", "super::b::C", "super::d::e"]
    );
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
