//! Texts of the screens that the server itself writes: titles, and the built-in header and footer.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::Value;

use crate::i18n::{self, Language};

static CATALOGUES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let read = |language: &Language| serde_json::from_str(i18n::boot_catalogue(*language));
    Language::ALL
        .iter()
        .map(|l| read(l).expect("checked at build"))
        .collect()
});

/// Returns the text of a dotted key such as `sign_in.title`. For a missing key it returns the key; a test reads every
/// key used here.
pub(crate) fn text(language: Language, key: &str) -> &'static str {
    find_text(bundled_catalogue(language), key).unwrap_or_default()
}

/// Returns the texts of the support view.
pub(super) fn support_catalogue(language: Language) -> &'static Value {
    static CATALOGUES: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let read = |language: &Language| serde_json::from_str(i18n::support_catalogue(*language));
        let all = Language::ALL.iter();
        all.map(|l| read(l).expect("checked at build")).collect()
    });
    &CATALOGUES[language as usize]
}

fn bundled_catalogue(language: Language) -> &'static Value {
    let at = Language::ALL
        .iter()
        .position(|l| *l == language)
        .unwrap_or_default();
    &CATALOGUES[at]
}

/// Returns a parsed catalogue: from the JSON text if given, otherwise the bundled one.
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
