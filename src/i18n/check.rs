//! Checks translated texts before they replace the bundled texts. The translation service needs the check of a single
//! text, and `account check-translations` needs the check of a whole file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::{Language, Message, NOT_FOR_BROWSERS, catalogue, support_catalogue};

/// The reason why a translated text is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TranslationFault {
    Missing,
    Unknown,
    NoText,
    Empty,
    /// The text is only its own key.
    Key,
    Markup,
    Control,
    /// The placeholders differ from those of the bundled text. The variant contains the expected placeholders.
    Placeholders(String),
    /// The text is too long. The variant contains the text's length and the maximum in characters.
    TooLong(usize, usize),
}

impl fmt::Display for TranslationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslationFault::Missing => f.write_str("is missing"),
            TranslationFault::Unknown => f.write_str("is unknown; nothing shows it"),
            TranslationFault::NoText => f.write_str("is no text"),
            TranslationFault::Empty => f.write_str("is empty"),
            TranslationFault::Key => f.write_str("says its own key"),
            TranslationFault::Markup => f.write_str("has < or >; texts carry no markup"),
            TranslationFault::Control => f.write_str("has a control character"),
            TranslationFault::Placeholders(wanted) if wanted.is_empty() => {
                f.write_str("has a placeholder, and must have none")
            }
            TranslationFault::Placeholders(wanted) => write!(f, "must have exactly {wanted}"),
            TranslationFault::TooLong(length, most) => {
                write!(f, "is {length} characters long; {most} is the most")
            }
        }
    }
}

/// Checks a text that would replace the bundled text under this dotted key.
pub(crate) fn check_text(key: &str, ours: &str, theirs: &str) -> Option<TranslationFault> {
    let (length, most) = (theirs.chars().count(), max_translation_length(ours));
    if theirs.trim().is_empty() {
        Some(TranslationFault::Empty)
    } else if theirs.trim() == key {
        Some(TranslationFault::Key)
    } else if theirs.contains(['<', '>']) {
        Some(TranslationFault::Markup)
    } else if theirs.contains(|c: char| c.is_control() && !(c == '\n' && ours.contains('\n'))) {
        Some(TranslationFault::Control)
    } else if placeholders(ours) != placeholders(theirs) {
        let names = placeholders(ours).unwrap_or_default();
        let expected = names.iter().map(|name| format!("{{{{{name}}}}}"));
        Some(TranslationFault::Placeholders(
            expected.collect::<Vec<_>>().join(" "),
        ))
    } else {
        (length > most).then_some(TranslationFault::TooLong(length, most))
    }
}

/// Returns the maximum length of a translation in characters, because a longer text would break the screens. A short
/// text may grow by a larger factor than a long text.
fn max_translation_length(text: &str) -> usize {
    text.chars().count() * 3 + 40
}

/// Returns the sorted names between `{{` and `}}`, or `None` if a placeholder is unclosed.
fn placeholders(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once("{{") {
        let (name, after) = tail.split_once("}}")?;
        if before.contains("}}") {
            return None;
        }
        found.push(name.trim());
        rest = after;
    }
    found.sort_unstable();
    (!rest.contains("}}")).then_some(found)
}

/// Checks a whole catalogue. The faults are in the order of the catalogue's keys.
pub(crate) fn check_catalogue(
    language: Language,
    theirs: &Value,
) -> Vec<(String, TranslationFault)> {
    let mut ours = BTreeMap::new();
    let bundled: Value = serde_json::from_str(catalogue(language)).unwrap_or_default();
    collect_texts(String::new(), &bundled, &mut ours);
    let for_agents: Value = serde_json::from_str(support_catalogue(language)).unwrap_or_default();
    collect_texts(String::new(), &for_agents, &mut ours);
    let required = Message::ALL
        .iter()
        .map(|word| (word.key().to_owned(), Value::from(word.text(language))));
    ours.extend(required);
    let is_required = |key: &str| {
        let section = key.split('.').next().unwrap_or_default();
        // A file may omit the sections for the server, because the translation service does not translate them.
        !NOT_FOR_BROWSERS.contains(&section) || theirs.get(section).is_some()
    };
    let mut texts = BTreeMap::new();
    collect_texts(String::new(), theirs, &mut texts);
    let mut found: Vec<(String, TranslationFault)> = Vec::new();
    for (key, text) in &ours {
        let fault = match (texts.get(key), text.as_str()) {
            (None, _) => is_required(key).then_some(TranslationFault::Missing),
            (Some(Value::String(theirs)), Some(ours)) => check_text(key, ours, theirs),
            (Some(_), _) => Some(TranslationFault::NoText),
        };
        found.extend(fault.map(|fault| (key.clone(), fault)));
    }
    let unknown = texts.into_keys().filter(|key| !ours.contains_key(key));
    found.extend(unknown.map(|key| (key, TranslationFault::Unknown)));
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

fn collect_texts(key: String, value: &Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(children) => {
            for (name, child) in children {
                let key = match key.as_str() {
                    "" => name.clone(),
                    key => format!("{key}.{name}"),
                };
                collect_texts(key, child, leaves);
            }
        }
        leaf => drop(leaves.insert(key, leaf.clone())),
    }
}

/// Checks a translation file and returns its faults, one in each line. If `language` is `None`, the file name must
/// begin with the language, as in `de.json`.
pub(crate) fn check_file(path: &Path, language: Option<Language>) -> Result<Vec<String>, String> {
    let shown = path.display();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let named = || Language::from_code(stem.split(['-', '_', '.']).next().unwrap_or_default());
    let language = language.or_else(named).ok_or_else(|| {
        format!(
            "{shown}: no language in its name; say --language with one of {}",
            Language::LIST
        )
    })?;
    let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let theirs: Value =
        serde_json::from_str(&text).map_err(|error| format!("{shown}: no JSON: {error}"))?;
    if !theirs.is_object() {
        return Err(format!("{shown}: must be an object of sections"));
    }
    let findings = check_catalogue(language, &theirs).into_iter();
    Ok(findings
        .map(|(key, fault)| format!("{shown}: {key} {fault}"))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_files_have_no_faults() {
        for language in Language::ALL {
            let path = format!("locales/{}.json", language.code());
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            assert_eq!(check_file(&path, None).unwrap(), Vec::<String>::new());
        }
    }

    #[test]
    fn each_fault_is_distinguished() {
        let ours = "Hello {{name}}, again";
        for (theirs, expected) in [
            ("Hallo {{name}}", None),
            ("{{ name }}, hallo", None),
            (" \t", Some(TranslationFault::Empty)),
            ("a.b", Some(TranslationFault::Key)),
            ("<b>{{name}}</b>", Some(TranslationFault::Markup)),
            ("Hallo\n{{name}}", Some(TranslationFault::Control)),
            (
                "Hallo",
                Some(TranslationFault::Placeholders("{{name}}".into())),
            ),
            (
                "{{name}} {{x}}",
                Some(TranslationFault::Placeholders("{{name}}".into())),
            ),
            (
                "Hallo {{name",
                Some(TranslationFault::Placeholders("{{name}}".into())),
            ),
            (
                "Hallo {{name}} }}",
                Some(TranslationFault::Placeholders("{{name}}".into())),
            ),
        ] {
            assert_eq!(check_text("a.b", ours, theirs), expected, "{theirs}");
        }
        let long = format!("{{{{name}}}}{}", "x".repeat(100));
        assert_eq!(
            check_text("a.b", ours, &long),
            Some(TranslationFault::TooLong(108, 103))
        );
        assert_eq!(check_text("a.b", "One\n\ntwo", "Eins\n\nzwei"), None);
    }
}
