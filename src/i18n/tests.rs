use serde_json::Value;

use super::{Language, Message, NOT_FOR_BROWSERS, boot_catalogue, catalogue};

#[test]
fn a_language_is_parsed_from_its_exact_code() {
    for language in Language::ALL {
        assert_eq!(Language::from_code(language.code()), Some(language));
        assert_eq!(serde_json::to_value(language).unwrap(), language.code());
    }
    assert_eq!(Language::from_code("PT"), Some(Language::Pt));
    for stranger in ["", "xx", "de-DE", "../de", "de\0"] {
        assert_eq!(Language::from_code(stranger), None, "{stranger:?}");
    }
}

#[test]
fn a_language_is_found_by_any_tag_of_it() {
    for tag in ["pt", "PT-br", "pt_BR", " pt-PT", "pt-Latn-BR-x-any"] {
        assert_eq!(Language::from_tag(tag), Some(Language::Pt), "{tag:?}");
    }
    for stranger in ["", "*", "por", "x-pt", "-pt", "xx-pt", "pt/BR"] {
        assert_eq!(Language::from_tag(stranger), None, "{stranger:?}");
    }
}

#[test]
fn a_language_has_the_same_name_as_in_the_language_menu() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/src/languages.ts");
    let menu = std::fs::read_to_string(path).unwrap();
    for language in Language::ALL {
        let row = format!("\n  {}: '{}',\n", language.code(), language.own_name());
        assert!(menu.contains(&row), "{row}");
    }
}

#[test]
fn the_language_of_highest_weight_is_chosen() {
    let cases = [
        ("de", Some(Language::De)),
        ("es-419,es;q=0.9,en;q=0.8", Some(Language::Es)),
        (
            "xx-CH, xx;q=0.9, pt-BR;q=0.8, en;q=0.7, *;q=0.5",
            Some(Language::Pt),
        ),
        ("en;q=0.3,de;q=0.31", Some(Language::De)),
        ("en;q=0.5,de;q=0.5", Some(Language::En)),
        ("DE-at ; Q=1.000 , en", Some(Language::De)),
        ("de;q=0,en;q=0.001", Some(Language::En)),
        ("de;q=0.000", None),
        ("*", None),
        ("xx, yy;q=0.5", None),
        ("", None),
        (",,;,;q=1,", None),
    ];
    let malformed = [
        "1.001", "2", "-0.5", "0.1234", "NaN", "inf", "", ".5", "0.5.5", "0,5", "+1",
    ];
    let ignored = malformed.map(|weight| format!("de;q={weight},en;q=0.1"));
    let ignored = ignored.iter().map(|value| (&**value, Some(Language::En)));
    for (value, language) in cases.into_iter().chain(ignored) {
        assert_eq!(Language::from_accept_language(value), language, "{value:?}");
    }
}

#[test]
fn placeholders_in_values_are_not_replaced() {
    let filled = Message::MailFrameCrew.format(Language::En, &[("brand", "{{brand}} & {{x}}")]);
    assert_eq!(filled, "Your {{brand}} & {{x}} crew");
}

#[test]
fn the_sentences_of_the_specification_are_unchanged() {
    let cases = [
        (
            Message::ErrorAccountExists,
            "Account already exists. Try signing in below.",
        ),
        (
            Message::ErrorInvalidCredentials,
            "Sign-in failed. Please check your email and password.",
        ),
        (Message::ErrorUnderage, "Sorry, your request is invalid"),
        (
            Message::ErrorTooManyAttempts,
            "Sorry, your request is invalid.",
        ),
        (
            Message::ErrorPasswordUppercase,
            "Password must contain at least one uppercase letter",
        ),
        (
            Message::ErrorPasswordLowercase,
            "Password must contain at least one lowercase letter",
        ),
        (
            Message::ErrorPasswordDigit,
            "Password must contain at least one number",
        ),
        (
            Message::AnswerPasswordChanged,
            "Successfully Updated Password",
        ),
        (Message::AnswerEmailChanged, "Email changed successfully!"),
    ];
    for (word, sentence) in cases {
        assert_eq!(word.text(Language::En), sentence, "{}", word.key());
    }
}

#[test]
fn catalogues_exclude_mails_and_the_boot_catalogue_the_countries() {
    for language in Language::ALL {
        let all: Value = serde_json::from_str(catalogue(language)).unwrap();
        let boot: Value = serde_json::from_str(boot_catalogue(language)).unwrap();
        assert_eq!(
            all["error"]["invalid_token"],
            Message::ErrorInvalidToken.text(language)
        );
        assert_eq!(boot["error"], all["error"]);
        assert!(all["countryvalues"]["us"].is_string());
        for section in NOT_FOR_BROWSERS {
            let found = (&all[*section], &boot[*section]);
            assert_eq!(found, (&Value::Null, &Value::Null), "{section}");
        }
        assert_eq!(boot["countryvalues"], Value::Null);
    }
}
