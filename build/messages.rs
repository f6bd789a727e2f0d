//! Generates the enum `Message`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::locales::{Locale, REFERENCE, locale_path};
use crate::names::camel_case;

/// Sections with messages for Rust code. All other sections are for the screens only.
const SERVER_SECTIONS: [&str; 7] = [
    "error", "answer", "placeholder", "export", "month", "mail", "activity",
];

/// Returns the Rust source of the enum `Message`, with the keys and texts of its variants.
pub(crate) fn generate_messages(locales: &[Locale]) -> Result<String, Vec<String>> {
    let english = &locales[0].leaves;
    let mut keys: BTreeMap<String, &str> = BTreeMap::new();
    for key in english.keys().filter(|key| is_for_server(key)) {
        if let Some(twin) = keys.insert(camel_case(key), key) {
            return Err(vec![format!(
                "{}: {key} and {twin} make the same name",
                locale_path(REFERENCE)
            )]);
        }
    }
    let mut variants = String::new();
    let mut texts: Vec<String> = vec![String::new(); locales.len()];
    for (variant, key) in &keys {
        let doc = format!("`{key}`: {}", english[*key]);
        let _ = writeln!(variants, "    #[doc = {doc:?}]\n    {variant},");
        for (locale, texts) in locales.iter().zip(&mut texts) {
            let _ = write!(texts, "{:?}, ", locale.leaves[*key]);
        }
    }
    let list = |items: Vec<String>| items.join(", ");
    let all = list(keys.keys().map(|v| format!("Message::{v}")).collect());
    let names = list(keys.values().map(|key| format!("{key:?}")).collect());
    let texts = list(texts.iter().map(|texts| format!("&[{texts}]")).collect());
    Ok(format!(
        "/// A text of the server's own, in every language.\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\npub enum Message {{\n{variants}}}\n\n\
         impl Message {{\n    /// Every word, sorted by name.\n    pub const ALL: &'static [Message] = &[{all}];\n    \
         const KEYS: &'static [&'static str] = &[{names}];\n    \
         /// By language and word, in the order of their variants.\n    \
         const TEXTS: &'static [&'static [&'static str]] = &[{texts}];\n\n    \
         /// The dotted path in `locales/*.json`.\n    \
         pub fn key(self) -> &'static str {{\n        Message::KEYS[self as usize]\n    }}\n\n    \
         /// The text with its placeholders as they are in the file; see [`Message::format`].\n    \
         pub fn text(self, language: Language) -> &'static str {{\n        \
         Message::TEXTS[language as usize][self as usize]\n    }}\n}}\n"
    ))
}

fn is_for_server(key: &str) -> bool {
    key.split('.')
        .next()
        .is_some_and(|section| SERVER_SECTIONS.contains(&section))
}
