//! The sections of `index.html`, the page of an export for people, and their labels and values in words.

use std::borrow::Cow;

use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::Region;
use crate::i18n::{self, Language, Message};
use crate::mail;

/// A document that an archive contains both as JSON and as a page for people.
pub(super) trait ExportedDocument: Serialize + Send + 'static {
    fn username(&self) -> &str;

    /// Returns the sections of `index.html`, the page for people.
    fn sections<'a>(&'a self, texts: &'a ExportTexts<'_>) -> Vec<Section<'a>>;
}

pub(super) struct Section<'a> {
    pub title: String,
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Section<'a> {
    pub(super) fn new<T>(
        title: String,
        items: &'a [T],
        entry: impl Fn(&'a T) -> Entry<'a>,
    ) -> Section<'a> {
        let entries = items.iter().map(entry).collect();
        Section { title, entries }
    }
}

pub(super) struct Entry<'a> {
    pub title: String,
    pub details: Vec<LabelledValue<'a>>,
}

type LabelledValue<'a> = (String, Cow<'a, str>);

/// The labels and messages of the screens in one language, by message key.
pub(super) struct ExportTexts<'a> {
    language: Language,
    pub region: &'a Region,
    catalogue: Value,
}

impl<'a> ExportTexts<'a> {
    pub(super) fn new(language: Language, region: &'a Region) -> ExportTexts<'a> {
        ExportTexts {
            language,
            region,
            catalogue: serde_json::from_str(i18n::catalogue(language)).expect("checked at build"),
        }
    }

    /// Returns the label of a message key, or the key if another program version has stored an unknown value.
    pub(super) fn label(&self, section: &str, key: &str) -> String {
        let text = self.catalogue[section][key].as_str();
        text.unwrap_or(key).to_owned()
    }

    /// Returns the label and, in words, the time `millis` (milliseconds since 1970 UTC) in the region's time zone.
    pub(super) fn labelled_time(&self, label: Message, millis: i64) -> LabelledValue<'a> {
        let time = mail::time_in_words(self.region, millis, self.language);
        (self.message(label), Cow::Owned(time))
    }

    fn format_date<'b>(&self, date: &'b str) -> Cow<'b, str> {
        match date.parse::<Date>() {
            Ok(date) => Cow::Owned(mail::date_in_words(date, self.language)),
            Err(_) => Cow::Borrowed(date),
        }
    }

    pub(super) fn message(&self, message: Message) -> String {
        message.text(self.language).to_owned()
    }

    pub(super) fn labelled_consent(&self, is_given: bool) -> LabelledValue<'a> {
        let answer = self.yes_or_no(is_given);
        (self.label("data", "newsletter"), answer.into())
    }

    pub(super) fn yes_or_no(&self, yes: bool) -> String {
        self.message(if yes {
            Message::ExportYes
        } else {
            Message::ExportNo
        })
    }
}

/// The personal details that accounts and legacy accounts have in common, with the section of the label's message key.
const SHARED_DETAILS: [(&str, &str); 8] = [
    ("common", "username"),
    ("common", "email"),
    ("completion", "first_name"),
    ("completion", "last_name"),
    ("common", "birthday"),
    ("common", "country"),
    ("common", "zipcode"),
    ("", "language"),
];

pub(super) fn label_shared_details<'a>(
    texts: &ExportTexts<'_>,
    details: &impl Serialize,
) -> Vec<LabelledValue<'a>> {
    let details = json!(details);
    let labelled = SHARED_DETAILS.into_iter().filter_map(|(section, key)| {
        let value = details[key].as_str()?;
        let text = match key {
            "birthday" => texts.format_date(value),
            "country" => texts.label("countryvalues", value).into(),
            "language" => language_name(value).into(),
            _ => value.into(),
        };
        let label = match key {
            "language" => texts.message(Message::ExportLanguage),
            _ => texts.label(section, key),
        };
        Some((label, text.into_owned().into()))
    });
    labelled.collect()
}

pub(super) fn details_section<'a>(
    texts: &ExportTexts<'_>,
    details: Vec<LabelledValue<'a>>,
) -> Section<'a> {
    let title = String::new();
    Section {
        title: texts.label("settings", "nav_account"),
        entries: vec![Entry { title, details }],
    }
}

/// Returns the name of a language in that language, or the code if this program version does not know the language.
fn language_name(code: &str) -> &str {
    match Language::from_code(code) {
        Some(language) => language.own_name(),
        None => code,
    }
}
