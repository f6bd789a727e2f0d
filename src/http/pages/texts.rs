//! Texts of the screens that the server itself writes: titles, and the built-in header and footer.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::Value;

use crate::i18n::{self, Language};

fn parse_all(text: fn(Language) -> &'static str) -> Vec<Value> {
    let parse = |language| serde_json::from_str(text(language)).expect("checked at build");
    Language::ALL.into_iter().map(parse).collect()
}

/// Returns the text of a dotted key such as `sign_in.title`, or an empty text if it is missing. A test reads every key that
/// the server uses, so that none is missing.
pub(crate) fn text(language: Language, key: &str) -> &'static str {
    find_text(bundled_catalogue(language), key).unwrap_or_default()
}

pub(super) fn support_catalogue(language: Language) -> &'static Value {
    static CATALOGUES: LazyLock<Vec<Value>> = LazyLock::new(|| parse_all(i18n::support_catalogue));
    &CATALOGUES[language as usize]
}

fn bundled_catalogue(language: Language) -> &'static Value {
    static CATALOGUES: LazyLock<Vec<Value>> = LazyLock::new(|| parse_all(i18n::boot_catalogue));
    &CATALOGUES[language as usize]
}

/// Parses a catalogue from its JSON text. If there is no text, returns the bundled catalogue.
pub(crate) fn parse_catalogue(language: Language, text: Option<&str>) -> Cow<'static, Value> {
    match text {
        None => Cow::Borrowed(bundled_catalogue(language)),
        Some(text) => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
    }
}

/// Returns the text of a dotted key in a catalogue.
pub(crate) fn find_text<'a>(catalogue: &'a Value, key: &str) -> Option<&'a str> {
    key.split('.')
        .try_fold(catalogue, |value, part| value.get(part))?
        .as_str()
}

/// Escapes text for HTML text and attribute values.
pub(crate) fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}
