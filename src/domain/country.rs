//! Countries, by the lower-case two-letter codes that the locale files list under `countryvalues`.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::domain::field_rule::FieldRule;
use crate::i18n::{self, Language};

static KNOWN_CODES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let catalogue: serde_json::Value =
        serde_json::from_str(i18n::catalogue(Language::En)).expect("checked at build");
    let names = catalogue["countryvalues"].as_object();
    names
        .into_iter()
        .flatten()
        .map(|(code, _)| code.clone())
        .collect()
});

pub(crate) fn parse(text: &str) -> Result<&str, FieldRule> {
    if KNOWN_CODES.contains(text) {
        Ok(text)
    } else {
        Err(FieldRule::CountryMissing)
    }
}
