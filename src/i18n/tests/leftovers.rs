//! No English text is left in the locale files of other languages.

use super::leaves;
use crate::i18n::Language;

/// Texts that are equal to the English ones, with the reason.
const SAME: &[(Language, &str, &str)] = &[
    (Language::Pt, "shell.menu", "Portuguese says menu too"),
    (
        Language::De,
        "security.passkeys",
        "German says Passkeys too",
    ),
    (
        Language::De,
        "data.newsletter",
        "German says Newsletter too",
    ),
    (
        Language::Pt,
        "data.newsletter",
        "Portuguese says newsletter too",
    ),
    (
        Language::De,
        "mail.frame.newsletter",
        "German says Newsletter too",
    ),
    (
        Language::Pt,
        "mail.frame.newsletter",
        "Portuguese says newsletter too",
    ),
    (Language::Es, "export.no", "Spanish says no too"),
    (Language::Pt, "export.site", "Portuguese says site too"),
    (
        Language::De,
        "answer.passkey_name",
        "German says Passkey too",
    ),
    (Language::De, "second_factor.code", "German says Code too"),
    (Language::De, "support.passkeys", "German says Passkeys too"),
    (Language::De, "support.region", "German says Region too"),
    (
        Language::De,
        "support.role_support",
        "German says Support too",
    ),
    (Language::De, "support.role_admin", "German says Admin too"),
    (Language::Es, "support.no", "Spanish says no too"),
    (
        Language::Es,
        "mail.frame.date_and_time",
        "placeholders without words",
    ),
    (
        Language::Pt,
        "mail.frame.date_and_time",
        "placeholders without words",
    ),
    (Language::De, "mail.month.april", "German says April too"),
    (Language::De, "mail.month.august", "German says August too"),
    (
        Language::De,
        "mail.month.september",
        "German says September too",
    ),
    (
        Language::De,
        "mail.month.november",
        "German says November too",
    ),
];

/// Names of countries: many are the same in every language, so they are only counted.
const NAMES: &str = "countryvalues.";

/// Words that no sentence in another language contains.
const ENGLISH_ONLY: [&str; 12] = [
    "the", "your", "you", "please", "with", "and", "password", "sign", "account", "this", "must",
    "enter",
];

fn translations() -> impl Iterator<Item = Language> {
    let all = Language::ALL.into_iter();
    all.filter(|language| *language != Language::En)
}

#[test]
fn a_text_that_equals_the_english_one_has_a_reason() {
    let english = leaves(Language::En);
    for language in translations() {
        let translated = leaves(language);
        for (key, text) in english.iter().filter(|(key, _)| !key.starts_with(NAMES)) {
            let excused = SAME
                .iter()
                .any(|(l, same, _)| (*l, *same) == (language, key.as_str()));
            assert_eq!(
                translated[key] == *text,
                excused,
                "{}: {key} is {text:?}; SAME lists what may equal the English text, and nothing else",
                language.code(),
            );
        }
    }
}

#[test]
fn most_countries_have_a_name_of_their_own_in_each_language() {
    let english = leaves(Language::En);
    for language in translations() {
        let translated = leaves(language);
        let names = || english.iter().filter(|(key, _)| key.starts_with(NAMES));
        let same = names()
            .filter(|(key, name)| translated[*key] == **name)
            .count();
        assert!(
            same * 2 < names().count(),
            "{}: {same} names are English",
            language.code()
        );
    }
}

#[test]
fn no_english_word_is_in_a_translation() {
    for language in translations() {
        for (key, text) in leaves(language)
            .iter()
            .filter(|(key, _)| !key.starts_with(NAMES))
        {
            let words = text.split(|c: char| !c.is_alphabetic() && c != '{' && c != '}');
            for word in words.map(str::to_lowercase) {
                let english = ENGLISH_ONLY.contains(&word.as_str());
                assert!(
                    !english,
                    "{}: {key} says {word:?} in {text:?}",
                    language.code()
                );
            }
        }
    }
}
