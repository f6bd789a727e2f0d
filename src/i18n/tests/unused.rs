//! Every key of the locale files is used: by the server as `Message::…`, by a mail of the table, or by
//! the screens as the dotted key in quotes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::leaves;
use crate::i18n::{Language, Message};

/// Keys that the screens compose at run time.
const DYNAMIC: &[(&str, &str)] = &[
    (
        "error.",
        "the code of an answer or of a field follows: web/src/api/message.ts",
    ),
    (
        "activity.",
        "the kind of an event follows: web/src/pages/activity/activity.tsx",
    ),
    (
        "support.mail_kind.",
        "the kind of a mail follows: web/src/support/account-lists.tsx",
    ),
    (
        "countryvalues.",
        "the code of a country follows: web/src/components/country-field.tsx",
    ),
];

/// Suffixes of plural forms (`Intl.PluralRules`).
const PLURALS: [&str; 4] = ["_zero", "_one", "_many", "_other"];

#[test]
fn every_message_of_the_server_is_used() {
    let used = words_after("Message::", &sources("src", &["rs"]));
    // Some responses without a body get their text from the screen.
    let screens = sources("web/src", &["ts", "tsx"]);
    let mails = sources("src/mail", &["rs"]);
    let silent: Vec<&str> = Message::ALL
        .iter()
        .filter(|word| !used.contains(&format!("{word:?}")))
        .map(|word| word.key())
        .filter(|key| !is_of_a_mail(key, &mails))
        .filter(|key| !screens.contains(&format!("'{key}'")))
        .collect();
    assert!(silent.is_empty(), "no `Message::…` in src says {silent:#?}");
}

#[test]
fn every_text_of_the_screens_is_used() {
    // The server writes the titles of the pages and the built-in header and footer.
    let screens = sources("web/src", &["ts", "tsx"]) + &sources("src/http/pages", &["rs"]);
    let of_server: BTreeSet<&str> = Message::ALL.iter().map(|word| word.key()).collect();
    let silent: Vec<String> = leaves(Language::En)
        .into_keys()
        .filter(|key| !of_server.contains(key.as_str()))
        .filter(|key| !DYNAMIC.iter().any(|(prefix, _)| key.starts_with(prefix)))
        .filter(|key| {
            !["'", "\"", "`"]
                .iter()
                .any(|q| screens.contains(&format!("{q}{}{q}", stem(key))))
        })
        .collect();
    assert!(silent.is_empty(), "nothing in web/src shows {silent:#?}");
}

/// Returns whether the key belongs to a mail. The table of mails names the section; `build/mail_texts.rs` ensures that
/// `MailTexts` has all of its texts.
fn is_of_a_mail(key: &str, mails: &str) -> bool {
    let section = key
        .strip_prefix("mail.")
        .and_then(|rest| rest.split_once('.'));
    section.is_some_and(|(name, _)| mails.contains(&format!("(\"{name}\"")))
}

fn stem(key: &str) -> &str {
    PLURALS
        .iter()
        .find_map(|plural| key.strip_suffix(plural))
        .unwrap_or(key)
}

fn words_after(mark: &str, text: &str) -> BTreeSet<String> {
    let word = |tail: &str| {
        tail.chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect()
    };
    text.split(mark).skip(1).map(word).collect()
}

/// Returns the text of all sources below a folder except tests: a use only in a test does not count.
fn sources(folder: &str, endings: &[&str]) -> String {
    let mut text = String::new();
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(path) = waiting.pop() {
        if is_test(&path) {
            continue;
        }
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            waiting.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .is_some_and(|found| endings.iter().any(|ending| found == *ending))
        {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
    assert!(!text.is_empty(), "{folder} holds no sources");
    text
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name == "tests" || name == "testing" || name.ends_with(".test")
}
