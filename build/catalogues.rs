//! Generates the enum `Language` and the catalogues of each language as JSON.

use std::fmt::Write as _;

use serde_json::Value;

use crate::locales::Locale;
use crate::names::camel_case;

/// Sections of the locale files that no catalogue contains, because only the server uses them.
pub(crate) const NOT_FOR_BROWSERS: &[&str] = &["mail", "placeholder", "export", "support"];
/// Sections that the boot block of a page leaves out. The country names are large, and only two screens need them.
pub(crate) const NOT_FOR_BOOT: &[&str] =
    &["mail", "placeholder", "export", "support", "countryvalues"];
/// Sections that the catalogue of the support view leaves out; it contains the texts that only agents see.
pub(crate) const NOT_FOR_SUPPORT: &[&str] = &["mail", "placeholder", "export", "countryvalues"];

/// Returns the sections of a language as JSON, except those in `left_out`.
pub(crate) fn catalogue_without(locale: &Locale, left_out: &[&str]) -> String {
    let kept = locale
        .sections
        .iter()
        .filter(|(name, _)| !left_out.contains(&name.as_str()));
    Value::Object(
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
    .to_string()
}

/// Returns the Rust source of the enum `Language`, with the catalogues of each language.
pub(crate) fn generate_languages(locales: &[Locale]) -> String {
    let (mut variants, mut all, mut codes) = (String::new(), String::new(), String::new());
    let (mut catalogues, mut boot_catalogues) = (String::new(), String::new());
    let mut supports = String::new();
    for Locale { language: code, .. } in locales {
        let variant = camel_case(code);
        let file = |kind: &str| {
            format!("include_str!(concat!(env!(\"OUT_DIR\"), \"/{kind}.{code}.json\"))")
        };
        let _ = writeln!(variants, "    {variant},");
        let _ = write!(all, "Language::{variant}, ");
        let _ = write!(codes, "{code:?}, ");
        let _ = write!(catalogues, "{}, ", file("catalogue"));
        let _ = write!(boot_catalogues, "{}, ", file("boot"));
        let _ = write!(supports, "{}, ", file("support"));
    }
    let count = locales.len();
    let list: Vec<&str> = locales
        .iter()
        .map(|locale| locale.language.as_str())
        .collect();
    let list = list.join(", ");
    format!(
        "/// A language of the site. On the wire and in the database it is its\n\
         /// ISO 639-1 code.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]\n\
         #[serde(rename_all = \"lowercase\")]\npub enum Language {{\n{variants}}}\n\n\
         impl Language {{\n    /// In the order in which the language menu shows them.\n    \
         pub const ALL: [Language; {count}] = [{all}];\n    \
         /// All codes, for messages.\n    pub(crate) const LIST: &'static str = {list:?};\n    \
         const CODES: [&'static str; {count}] = [{codes}];\n    \
         const CATALOGUES: [&'static str; {count}] = [{catalogues}];\n    \
         const BOOT_CATALOGUES: [&'static str; {count}] = [{boot_catalogues}];\n    \
         const SUPPORT_CATALOGUES: [&'static str; {count}] = [{supports}];\n}}\n\n\
         /// Sections that only the server uses: no catalogue has them.\n\
         pub(crate) const NOT_FOR_BROWSERS: &[&str] = &{NOT_FOR_BROWSERS:?};\n"
    )
}
