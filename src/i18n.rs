//! The texts of `locales/*.json`, which has one file for each [`Language`]. Texts of the API and of mails are variants
//! of the enum [`Message`]. The screens load a catalogue, which is a JSON object with all their texts. `build/`
//! generates `Language`, `Message` and the catalogues, and fails if a language lacks a key.

use serde::{Deserialize, Serialize};

pub(crate) mod check;
mod mail_texts;

pub(crate) use mail_texts::MailTexts;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));
include!(concat!(env!("OUT_DIR"), "/messages.rs"));

impl Language {
    /// Returns the ISO 639-1 code, as in `<html lang>`.
    pub fn code(self) -> &'static str {
        Language::CODES[self as usize]
    }

    /// Returns the language with this code, regardless of case (RFC 5646 section 2.1.1).
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL
            .into_iter()
            .find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// Returns the name of the language in that language, as the language menu shows it (`web/src/languages.ts`).
    pub(crate) fn own_name(self) -> &'static str {
        match self {
            Language::En => "English",
            Language::De => "Deutsch",
            Language::Es => "Español",
            Language::Pt => "Português (Brasil)",
        }
    }

    /// Returns the language for a language tag or range by lookup (RFC 4647 section 3.4). There are no regional variants,
    /// so lookup always ends at the primary subtag. Accepts the underscore of locale names (`pt_BR`) and white space
    /// around the tag.
    pub fn from_tag(tag: &str) -> Option<Language> {
        Language::from_code(tag.trim().split(['-', '_']).next()?)
    }

    /// Returns the best supported language for a value of `Accept-Language`, by the lookup of RFC 4647 section 3.4 and
    /// the weights of RFC 9110 section 12.4.2. Returns `None` if no language matches, or only `*`, so that the caller
    /// uses its default language.
    pub fn from_accept_language(value: &str) -> Option<Language> {
        let mut best: Option<(u16, Language)> = None;
        for (weight, language) in value.split(',').filter_map(parse_element) {
            // Among languages of equal weight the earliest takes precedence.
            if weight > 0 && best.is_none_or(|(best_weight, _)| weight > best_weight) {
                best = Some((weight, language));
            }
        }
        best.map(|(_, language)| language)
    }
}

/// Parses one element of `Accept-Language` to its weight in thousandths and its language. Returns `None` if the
/// language is not supported or the element is malformed.
fn parse_element(element: &str) -> Option<(u16, Language)> {
    let (range, weight) = match element.split_once(';') {
        None => (element, 1000),
        Some((range, parameter)) => (range, parse_weight(parameter)?),
    };
    Some((weight, Language::from_tag(range)?))
}

/// Parses a weight such as `q=0.8` to thousandths (800). A weight has at most three decimals and is at most 1 (RFC 9110
/// section 12.4.2).
fn parse_weight(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.trim().split_once('=')?;
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let well_formed = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !name.eq_ignore_ascii_case("q") || !well_formed {
        return None;
    }
    match whole {
        "0" => format!("{decimals:0<3}").parse().ok(),
        "1" if decimals.bytes().all(|byte| byte == b'0') => Some(1000),
        _ => None,
    }
}

impl Message {
    /// Replaces each `{{name}}` with its value. The result is plain text, so no value is escaped. Placeholders in a
    /// value are not replaced.
    pub fn format(self, language: Language, values: &[(&str, &str)]) -> String {
        let mut filled = String::new();
        let mut rest = self.text(language);
        while let Some((before, tail)) = rest.split_once("{{") {
            // No placeholder is unclosed, because build/locales.rs refuses such a text.
            let Some((name, after)) = tail.split_once("}}") else {
                break;
            };
            let value = values.iter().find(|(key, _)| *key == name);
            debug_assert!(value.is_some(), "{} needs a value for {name}", self.key());
            filled.push_str(before);
            filled.push_str(value.map_or("", |(_, value)| value));
            rest = after;
        }
        filled.push_str(rest);
        filled
    }
}

/// Returns the body of `GET /translations/{language}`, which is the locale file without the mails, as compact JSON.
pub fn catalogue(language: Language) -> &'static str {
    Language::CATALOGUES[language as usize]
}

/// Returns the catalogue without the country names. Pages inline this catalogue, so that the browser needs no further
/// request for the first screen.
pub(crate) fn boot_catalogue(language: Language) -> &'static str {
    Language::BOOT_CATALOGUES[language as usize]
}

/// Returns the catalogue of the support view, which is [`boot_catalogue`] and the texts that only support agents see.
pub(crate) fn support_catalogue(language: Language) -> &'static str {
    Language::SUPPORT_CATALOGUES[language as usize]
}

#[cfg(test)]
mod tests;
