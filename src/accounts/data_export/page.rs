//! Writes `index.html`, the page of an export for people, without scripts and external resources.

use std::borrow::Cow;
use std::io;

use askama::Template;
use jiff::civil::Date;
use serde_json::Value;

use super::document::Document;
use super::legacy_document::LegacyDocument;
use super::{ExportedDocument, JSON_FILE_NAME};
use crate::config::Region;
use crate::i18n::{self, Language, Message};
use crate::mail;

/// The data of the page template. Askama escapes every value.
#[derive(Template)]
#[template(path = "export.html")]
struct ExportPage<'a> {
    language: &'static str,
    title: String,
    lead: String,
    none: &'static str,
    sections: Vec<Section<'a>>,
}

pub(super) struct Section<'a> {
    title: String,
    entries: Vec<Entry<'a>>,
}

impl<'a> Section<'a> {
    fn new<T>(title: String, items: &'a [T], entry: impl Fn(&'a T) -> Entry<'a>) -> Section<'a> {
        let entries = items.iter().map(entry).collect();
        Section { title, entries }
    }
}

struct Entry<'a> {
    title: String,
    details: Vec<LabelledValue<'a>>,
}

type LabelledValue<'a> = (String, Cow<'a, str>);

/// The labels and messages of the screens in one language, by message key.
pub(super) struct ExportTexts<'a> {
    language: Language,
    region: &'a Region,
    catalogue: Value,
    yes: String,
    no: String,
}

impl<'a> ExportTexts<'a> {
    fn new(language: Language, region: &'a Region) -> ExportTexts<'a> {
        ExportTexts {
            language,
            region,
            catalogue: serde_json::from_str(i18n::catalogue(language)).expect("checked at build"),
            yes: Message::ExportYes.text(language).to_owned(),
            no: Message::ExportNo.text(language).to_owned(),
        }
    }

    /// Returns the label of a message key, or the key if another program version has stored an unknown value.
    fn label(&self, section: &str, key: &str) -> String {
        let text = self.catalogue[section][key].as_str();
        text.unwrap_or(key).to_owned()
    }

    /// Returns the label and, in words, the time `millis` (milliseconds since 1970 UTC) in the region's time zone.
    fn labelled_time(&self, label: Message, millis: i64) -> LabelledValue<'a> {
        let time = mail::time_in_words(self.region, millis, self.language);
        (self.message(label), Cow::Owned(time))
    }

    fn format_date<'b>(&self, date: &'b str) -> Cow<'b, str> {
        match date.parse::<Date>() {
            Ok(date) => Cow::Owned(mail::date_in_words(date, self.language)),
            Err(_) => Cow::Borrowed(date),
        }
    }

    fn message(&self, message: Message) -> String {
        message.text(self.language).to_owned()
    }

    fn labelled_consent(&self, is_given: bool) -> LabelledValue<'_> {
        let answer = self.yes_or_no(is_given);
        (self.label("data", "newsletter"), answer.into())
    }

    fn yes_or_no(&self, yes: bool) -> &str {
        if yes { &self.yes } else { &self.no }
    }
}

pub(super) fn write(
    mut file: &mut dyn io::Write,
    region: &Region,
    document: &impl ExportedDocument,
    language: Language,
    now: i64,
) -> io::Result<()> {
    let texts = ExportTexts::new(language, region);
    let time = mail::time_in_words(region, now, language);
    let page = ExportPage {
        language: language.code(),
        title: Message::ExportTitle.format(language, &[("brand", &region.brand)]),
        lead: Message::ExportLead.format(language, &[("time", &time), ("file", JSON_FILE_NAME)]),
        none: Message::ExportNone.text(language),
        sections: document.sections(&texts),
    };
    page.write_into(&mut file)
}

pub(super) fn account_sections<'a>(
    texts: &'a ExportTexts<'_>,
    document: &'a Document,
) -> Vec<Section<'a>> {
    vec![
        account_section(texts, document),
        devices_section(texts, document),
        sessions_section(texts, document),
        passkeys_section(texts, document),
        consents_section(texts, document),
        activity_section(texts, document),
    ]
}

/// Returns the name of a language in that language, or the code if this program version does not know the language.
fn language_name(code: &str) -> &str {
    match Language::from_code(code) {
        Some(language) => language.own_name(),
        None => code,
    }
}

fn account_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let account = &document.account.details;
    let mut details = label_shared_details(
        texts,
        SharedDetails {
            username: Some(&account.username),
            email: &account.email,
            first_name: account.first_name.as_deref(),
            last_name: account.last_name.as_deref(),
            birthday: Some(&account.birthday),
            country: Some(&account.country),
            zipcode: Some(&account.zipcode),
            language: Some(&account.language),
        },
    );
    let second_factor = texts.message(Message::ExportSecondFactor);
    let is_on = texts.yes_or_no(document.second_factor.on);
    let site = texts.region.brand.as_str();
    details.extend([
        (texts.message(Message::ExportSite), site.into()),
        texts.labelled_time(Message::ExportCreated, account.created_at),
        texts.labelled_time(Message::ExportPasswordChanged, account.password_changed_at),
        (second_factor, is_on.into()),
        texts.labelled_consent(account.marketing_consent),
    ]);
    details_section(texts, details)
}

/// The personal details that accounts and legacy accounts have in common.
struct SharedDetails<'a> {
    username: Option<&'a str>,
    email: &'a str,
    first_name: Option<&'a str>,
    last_name: Option<&'a str>,
    birthday: Option<&'a str>,
    country: Option<&'a str>,
    zipcode: Option<&'a str>,
    language: Option<&'a str>,
}

fn label_shared_details<'a>(
    texts: &ExportTexts<'_>,
    details: SharedDetails<'a>,
) -> Vec<LabelledValue<'a>> {
    let common = |key| texts.label("common", key);
    let completion = |key| texts.label("completion", key);
    let date = |date| texts.format_date(date);
    let country = |code| texts.label("countryvalues", code).into();
    let language = details.language.map(|code| language_name(code).into());
    let labelled = [
        (common("username"), details.username.map(Cow::from)),
        (common("email"), Some(details.email.into())),
        (completion("first_name"), details.first_name.map(Cow::from)),
        (completion("last_name"), details.last_name.map(Cow::from)),
        (common("birthday"), details.birthday.map(date)),
        (common("country"), details.country.map(country)),
        (common("zipcode"), details.zipcode.map(Cow::from)),
        (texts.message(Message::ExportLanguage), language),
    ];
    let labelled = labelled.into_iter();
    labelled
        .filter_map(|(label, value)| Some((label, value?)))
        .collect()
}

fn details_section<'a>(texts: &ExportTexts<'_>, details: Vec<LabelledValue<'a>>) -> Section<'a> {
    let title = String::new();
    Section {
        title: texts.label("settings", "nav_account"),
        entries: vec![Entry { title, details }],
    }
}

pub(super) fn legacy_section<'a>(
    texts: &'a ExportTexts<'_>,
    document: &'a LegacyDocument,
) -> Section<'a> {
    let waiting = &document.waiting_account;
    let old = &waiting.account;
    let mut details = label_shared_details(
        texts,
        SharedDetails {
            username: old.username.as_deref(),
            email: &old.email,
            first_name: old.first_name.as_deref(),
            last_name: old.last_name.as_deref(),
            birthday: waiting.birthday.as_deref(),
            country: old.country.as_deref(),
            zipcode: old.zipcode.as_deref(),
            language: old.language.as_deref(),
        },
    );
    let created = waiting.record.created_at;
    details.extend(created.map(|at| texts.labelled_time(Message::ExportCreated, at)));
    details.extend(
        old.marketing_consent
            .map(|is_given| texts.labelled_consent(is_given)),
    );
    details_section(texts, details)
}

fn devices_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.label("devices", "title");
    Section::new(title, &document.devices, |device| Entry {
        title: device.name.clone(),
        details: vec![
            texts.labelled_time(Message::ExportFirstSeen, device.first_seen_at),
            texts.labelled_time(Message::ExportLastUsed, device.last_used_at),
        ],
    })
}

fn sessions_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.message(Message::ExportSessions);
    Section::new(title, &document.sessions, |session| Entry {
        title: String::new(),
        details: vec![
            texts.labelled_time(Message::ExportStarted, session.created_at),
            texts.labelled_time(Message::ExportLastUsed, session.last_used_at),
            texts.labelled_time(Message::ExportExpires, session.expires_at),
        ],
    })
}

fn passkeys_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.label("security", "passkeys");
    Section::new(title, &document.passkeys, |passkey| {
        let site = passkey.site.as_str().into();
        let mut details = vec![
            (texts.message(Message::ExportSite), site),
            texts.labelled_time(Message::ExportCreated, passkey.created_at),
        ];
        let used_at = passkey.last_used_at;
        details.extend(used_at.map(|at| texts.labelled_time(Message::ExportLastUsed, at)));
        let title = passkey.name.clone();
        Entry { title, details }
    })
}

fn consents_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.message(Message::ExportConsents);
    Section::new(title, &document.consents, |consent| Entry {
        title: texts.yes_or_no(consent.consent).to_owned(),
        details: vec![texts.labelled_time(Message::ExportTime, consent.at)],
    })
}

fn activity_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.label("activity", "title");
    Section::new(title, &document.activity, |event| {
        let mut details = vec![texts.labelled_time(Message::ExportTime, event.at)];
        for (label, value) in [
            (Message::ExportDevice, &event.device),
            (Message::ExportNetwork, &event.network),
        ] {
            details.extend(
                value
                    .iter()
                    .map(|value| (texts.message(label), value.into())),
            );
        }
        let title = texts.label("activity", &event.kind);
        Entry { title, details }
    })
}
