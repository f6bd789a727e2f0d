//! Reads `locales/*.json`. Returns an error with file and key for a missing key or a differing placeholder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value};

/// The language with which every other language is compared.
pub(crate) const REFERENCE: &str = "en";

/// The texts of one language by their dotted keys.
pub(crate) type TextsByKey = BTreeMap<String, String>;

pub(crate) struct Locale {
    pub language: String,
    pub sections: Map<String, Value>,
    pub leaves: TextsByKey,
}

/// Returns all languages. The reference language is the first.
pub(crate) fn read_all() -> Result<Vec<Locale>, Vec<String>> {
    let mut locales = Vec::new();
    let mut faults = Vec::new();
    for language in list_languages()? {
        match read_locale(language) {
            Ok(locale) => locales.push(locale),
            Err(mut found) => faults.append(&mut found),
        }
    }
    if let Some((english, others)) = locales.split_first() {
        for other in others {
            compare(english, other, &mut faults);
        }
    }
    if faults.is_empty() {
        Ok(locales)
    } else {
        Err(faults)
    }
}

/// Returns the codes of the languages, which are the names of the files. The reference language is the first.
fn list_languages() -> Result<Vec<String>, Vec<String>> {
    let failed = |error: std::io::Error| vec![format!("locales: {error}")];
    let mut codes = vec![REFERENCE.to_owned()];
    for entry in fs::read_dir("locales").map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let code = name.to_str().and_then(|name| name.strip_suffix(".json"));
        match code {
            Some(REFERENCE) => {}
            Some(code) if code.len() == 2 && code.bytes().all(|c| c.is_ascii_lowercase()) => {
                codes.push(code.to_owned());
            }
            _ => {
                return Err(vec![format!(
                    "locales/{}: name it by the ISO 639-1 code of its language, like de.json",
                    name.display()
                )]);
            }
        }
    }
    codes[1..].sort_unstable();
    Ok(codes)
}

pub(crate) fn locale_path(language: &str) -> String {
    format!("locales/{language}.json")
}

fn read_locale(language: String) -> Result<Locale, Vec<String>> {
    let path = locale_path(&language);
    let text = fs::read_to_string(&path).map_err(|error| vec![format!("{path}: {error}")])?;
    let sections: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| vec![format!("{path}: {error}")])?;
    let mut leaves = TextsByKey::new();
    let mut faults = Vec::new();
    for (key, value) in &sections {
        collect_texts(key.clone(), value, &mut leaves, &mut faults);
    }
    if !faults.is_empty() {
        return Err(faults
            .into_iter()
            .map(|fault| format!("{path}: {fault}"))
            .collect());
    }
    Ok(Locale {
        language,
        sections,
        leaves,
    })
}

fn collect_texts(key: String, value: &Value, leaves: &mut TextsByKey, faults: &mut Vec<String>) {
    match value {
        Value::Object(children) if !children.is_empty() => {
            for (name, child) in children {
                collect_texts(format!("{key}.{name}"), child, leaves, faults);
            }
        }
        Value::String(text) if !text.trim().is_empty() => {
            leaves.insert(key, text.clone());
        }
        _ => faults.push(format!("{key} is not a text with words in it")),
    }
}

fn compare(english: &Locale, other: &Locale, faults: &mut Vec<String>) {
    let (reference_path, path) = (locale_path(&english.language), locale_path(&other.language));
    for (key, text) in &english.leaves {
        let Some(translation) = other.leaves.get(key) else {
            faults.push(format!(
                "{path}: {key} is missing ({reference_path} has it)"
            ));
            continue;
        };
        match (placeholders(text), placeholders(translation)) {
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(wanted), Some(found)) => faults.push(format!(
                "{path}: {key} has the placeholders {found:?}, {reference_path} has {wanted:?}"
            )),
            (None, _) => faults.push(format!(
                "{reference_path}: {key} opens a placeholder and never closes it"
            )),
            (_, None) => faults.push(format!(
                "{path}: {key} opens a placeholder and never closes it"
            )),
        }
    }
    for key in other
        .leaves
        .keys()
        .filter(|key| !english.leaves.contains_key(*key))
    {
        faults.push(format!(
            "{path}: {key} is unknown ({reference_path} lacks it)"
        ));
    }
}

/// Returns the names between `{{` and `}}`, or `None` if a placeholder is unclosed.
fn placeholders(text: &str) -> Option<BTreeSet<&str>> {
    let mut names = BTreeSet::new();
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once("{{") {
        let (name, after) = tail.split_once("}}")?;
        names.insert(name);
        rest = after;
    }
    (!rest.contains("}}")).then_some(names)
}
