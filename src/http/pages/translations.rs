//! The texts of the screens. Valid texts of the translation service replace those of the bundled catalogues.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use super::upstream::Upstream;
use crate::clock::Clock;
use crate::config::{self, Region};
use crate::i18n::{Language, check};

/// The maximum size of a response, which is more than four times the size of the largest bundled catalogue.
const MAX_BYTES: usize = 512 << 10;

/// The translation service, or `None` if there is none.
pub(crate) struct TranslationService(Option<(config::ServiceAddress, Arc<Upstream>)>);

impl TranslationService {
    pub(crate) fn new(settings: &config::Translations) -> Result<TranslationService, String> {
        let Some(url) = &settings.url else {
            return Ok(TranslationService(None));
        };
        let (timeout, ttl) = (settings.timeout, settings.ttl);
        let upstream = Upstream::new("translations", timeout, MAX_BYTES, ttl, check_catalogue)?;
        let url = config::ServiceAddress::clone(url);
        Ok(TranslationService(Some((url, Arc::new(upstream)))))
    }

    /// Returns the bundled catalogue of a language, in which valid texts of the translation service replace bundled
    /// texts.
    pub(crate) async fn catalogue(
        &self,
        region: &Region,
        language: Language,
        clock: &Clock,
        bundled: fn(Language) -> &'static str,
    ) -> Cow<'static, str> {
        let bundled = bundled(language);
        match self.remote_catalogue(region, language, clock).await {
            None => Cow::Borrowed(bundled),
            Some(remote) => Cow::Owned(merge_catalogues(bundled, &remote)),
        }
    }

    async fn remote_catalogue(
        &self,
        region: &Region,
        language: Language,
        clock: &Clock,
    ) -> Option<Arc<str>> {
        let (url, upstream) = self.0.as_ref()?;
        let url = file_url(url, region, language)?;
        upstream.get(url, clock).await
    }
}

/// Returns the URL of a language's file on the service, with the query string of `translations.url`.
fn file_url(service: &config::ServiceAddress, region: &Region, language: Language) -> Option<Url> {
    let mut url = Url::parse(&service.base_url(&region.environment)).ok()?;
    let file = format!("{}.json", language.code());
    url.path_segments_mut().ok()?.pop_if_empty().push(&file);
    Some(url)
}

/// Returns the bundled catalogue with the valid texts of the service. A valid text has the same placeholders and no
/// markup. Ignores unknown keys.
fn merge_catalogues(bundled: &str, remote: &str) -> String {
    let mut words: Value = serde_json::from_str(bundled).expect("checked at build");
    if let (Value::Object(words), Ok(Value::Object(remote))) =
        (&mut words, serde_json::from_str(remote))
    {
        override_texts("", words, &remote);
    }
    words.to_string()
}

/// Replaces the texts of a section by valid texts of the service. `at` is the dotted key of the section.
fn override_texts(at: &str, words: &mut Map<String, Value>, remote: &Map<String, Value>) {
    for (name, word) in words {
        let key = match at {
            "" => name.clone(),
            at => format!("{at}.{name}"),
        };
        match (word, remote.get(name)) {
            (Value::Object(inner), Some(Value::Object(theirs))) => {
                override_texts(&key, inner, theirs);
            }
            (Value::String(ours), Some(Value::String(theirs)))
                if check::check_text(&key, ours, theirs).is_none() =>
            {
                ours.clone_from(theirs);
            }
            _ => {}
        }
    }
}

/// Returns the text of a catalogue if it is a JSON object.
fn check_catalogue(text: &str) -> Result<String, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => Ok(text.to_owned()),
        _ => Err("no JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_texts_override_the_bundled_ones() {
        let bundled = r#"{"a":{"x":"Hello {{name}}","y":"Bye"},"b":"Two"}"#;
        let remote =
            r#"{"a":{"x":"Hi {{name}}","y":"<b>Bye</b>","z":"new"},"b":"Zwei {{n}}","c":1}"#;
        let merged: Value = serde_json::from_str(&merge_catalogues(bundled, remote)).unwrap();
        assert_eq!(
            merged,
            serde_json::json!({"a": {"x": "Hi {{name}}", "y": "Bye"}, "b": "Two"})
        );
    }
}
