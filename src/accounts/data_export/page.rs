//! `index.html`: the document for people, in their language, without scripts and without external resources.

use std::borrow::Cow;
use std::io;

use askama::Template;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::document::{ConsentPart, DevicePart, Document, EventPart, PasskeyPart, SessionPart};
use super::legacy_document::LegacyDocument;
use super::{Exported, JSON_FILE_NAME};
use crate::config::Region;
use crate::i18n::{self, Language, Message};
use crate::mail;

/// Askama escapes every value.
#[derive(Template)]
#[template(path = "export.html")]
struct Page<'a> {
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

struct Entry<'a> {
    title: String,
    facts: Vec<(String, Cow<'a, str>)>,
}

/// The texts of the screens in one language, by key.
pub(super) struct Texts<'a> {
    language: Language,
    region: &'a Region,
    catalogue: Value,
    yes: String,
    no: String,
}

impl<'a> Texts<'a> {
    fn new(language: Language, region: &'a Region) -> Texts<'a> {
        Texts {
            language,
            region,
            catalogue: serde_json::from_str(i18n::catalogue(language)).unwrap_or_default(),
            yes: Message::ExportYes.text(language).to_owned(),
            no: Message::ExportNo.text(language).to_owned(),
        }
    }

    /// Returns the text of a key, or the key itself, for an event or a country of another version.
    fn label(&self, section: &str, key: &str) -> String {
        let text = self.catalogue[section][key].as_str();
        text.unwrap_or(key).to_owned()
    }

    /// Formats a time of the document in the region's time zone.
    fn format_time(&self, rfc3339: &str) -> Cow<'a, str> {
        let Ok(at) = rfc3339.parse::<Timestamp>() else {
            return Cow::Owned(rfc3339.to_owned());
        };
        Cow::Owned(mail::time_in_words(
            self.region,
            at.as_millisecond(),
            self.language,
        ))
    }

    /// Formats a date of the document.
    fn date<'b>(&self, date: &'b str) -> Cow<'b, str> {
        match date.parse::<Date>() {
            Ok(date) => Cow::Owned(mail::date_in_words(date, self.language)),
            Err(_) => Cow::Borrowed(date),
        }
    }

    fn message(&self, message: Message) -> String {
        message.text(self.language).to_owned()
    }

    fn yes_or_no(&self, yes: bool) -> &str {
        if yes { &self.yes } else { &self.no }
    }
}

/// Writes the page.
pub(super) fn write(
    mut file: &mut dyn io::Write,
    region: &Region,
    document: &impl Exported,
    language: Language,
    now: i64,
) -> io::Result<()> {
    let texts = Texts::new(language, region);
    let time = mail::time_in_words(region, now, language);
    let page = Page {
        language: language.code(),
        title: Message::ExportTitle.format(language, &[("brand", &region.brand)]),
        lead: Message::ExportLead.format(language, &[("time", &time), ("file", JSON_FILE_NAME)]),
        none: Message::ExportNone.text(language),
        sections: document.sections(&texts),
    };
    page.write_into(&mut file)
}

pub(super) fn account_sections<'a>(
    texts: &'a Texts<'_>,
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

/// Returns the language's name in itself, or the code of a language of another version.
fn language_name(code: &str) -> &str {
    match Language::from_code(code) {
        Some(language) => language.own_name(),
        None => code,
    }
}

fn account_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let account = &document.account;
    let facts = [
        (
            texts.label("common", "username"),
            Some(account.username.as_str().into()),
        ),
        (
            texts.label("common", "email"),
            Some(Cow::from(&account.email)),
        ),
        (
            texts.label("completion", "first_name"),
            account.first_name.as_deref().map(Cow::from),
        ),
        (
            texts.label("completion", "last_name"),
            account.last_name.as_deref().map(Cow::from),
        ),
        (
            texts.label("common", "birthday"),
            Some(texts.date(&account.birthday)),
        ),
        (
            texts.label("common", "country"),
            Some(texts.label("countryvalues", &account.country).into()),
        ),
        (
            texts.label("common", "zipcode"),
            Some(Cow::from(&account.zipcode)),
        ),
        (
            texts.message(Message::ExportLanguage),
            Some(language_name(&account.language).into()),
        ),
        (
            texts.message(Message::ExportSite),
            Some(texts.region.brand.as_str().into()),
        ),
        (
            texts.message(Message::ExportCreated),
            Some(texts.format_time(&account.created_at)),
        ),
        (
            texts.message(Message::ExportPasswordChanged),
            Some(texts.format_time(&account.password_changed_at)),
        ),
        (
            texts.message(Message::ExportSecondFactor),
            Some(texts.yes_or_no(document.second_factor.on).into()),
        ),
        (
            texts.label("data", "newsletter"),
            Some(texts.yes_or_no(account.marketing_consent).into()),
        ),
    ];
    details_section(texts, facts)
}

/// The section of the details that exist.
fn details_section<'a>(
    texts: &Texts<'_>,
    facts: impl IntoIterator<Item = (String, Option<Cow<'a, str>>)>,
) -> Section<'a> {
    let facts = facts.into_iter();
    Section {
        title: texts.label("settings", "nav_account"),
        entries: vec![Entry {
            title: String::new(),
            facts: facts
                .filter_map(|(label, value)| Some((label, value?)))
                .collect(),
        }],
    }
}

/// The page of an account that waits for its migration has one section.
pub(super) fn legacy_section<'a>(
    texts: &'a Texts<'_>,
    document: &'a LegacyDocument,
) -> Section<'a> {
    let old = &document.waiting_account;
    let text = |value: &'a Option<String>| value.as_deref().map(Cow::from);
    let country = old.country.as_deref();
    let newsletter = old
        .marketing_consent
        .map(|is_given| texts.yes_or_no(is_given));
    let facts = [
        (texts.label("common", "username"), text(&old.username)),
        (texts.label("common", "email"), Some(Cow::from(&old.email))),
        (
            texts.label("completion", "first_name"),
            text(&old.first_name),
        ),
        (texts.label("completion", "last_name"), text(&old.last_name)),
        (
            texts.label("common", "birthday"),
            old.birthday.as_deref().map(|date| texts.date(date)),
        ),
        (
            texts.label("common", "country"),
            country.map(|code| texts.label("countryvalues", code).into()),
        ),
        (texts.label("common", "zipcode"), text(&old.zipcode)),
        (
            texts.message(Message::ExportLanguage),
            old.language
                .as_deref()
                .map(|code| language_name(code).into()),
        ),
        (
            texts.message(Message::ExportCreated),
            old.created_at.as_deref().map(|at| texts.format_time(at)),
        ),
        (texts.label("data", "newsletter"), newsletter.map(Cow::from)),
    ];
    details_section(texts, facts)
}

fn devices_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let entry = |device: &'a DevicePart| Entry {
        title: device.name.clone(),
        facts: vec![
            (
                texts.message(Message::ExportFirstSeen),
                texts.format_time(&device.first_seen_at),
            ),
            (
                texts.message(Message::ExportLastUsed),
                texts.format_time(&device.last_used_at),
            ),
        ],
    };
    Section {
        title: texts.label("devices", "title"),
        entries: document.devices.iter().map(entry).collect(),
    }
}

fn sessions_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let entry = |session: &'a SessionPart| Entry {
        title: String::new(),
        facts: vec![
            (
                texts.message(Message::ExportStarted),
                texts.format_time(&session.started_at),
            ),
            (
                texts.message(Message::ExportLastUsed),
                texts.format_time(&session.last_used_at),
            ),
            (
                texts.message(Message::ExportExpires),
                texts.format_time(&session.expires_at),
            ),
        ],
    };
    Section {
        title: texts.message(Message::ExportSessions),
        entries: document.sessions.iter().map(entry).collect(),
    }
}

fn passkeys_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let entry = |passkey: &'a PasskeyPart| {
        let mut facts = vec![
            (
                texts.message(Message::ExportSite),
                passkey.site.as_str().into(),
            ),
            (
                texts.message(Message::ExportCreated),
                texts.format_time(&passkey.created_at),
            ),
        ];
        if let Some(used) = &passkey.last_used_at {
            facts.push((
                texts.message(Message::ExportLastUsed),
                texts.format_time(used),
            ));
        }
        Entry {
            title: passkey.name.clone(),
            facts,
        }
    };
    Section {
        title: texts.label("security", "passkeys"),
        entries: document.passkeys.iter().map(entry).collect(),
    }
}

fn consents_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let entry = |consent: &'a ConsentPart| Entry {
        title: texts.yes_or_no(consent.consent).to_owned(),
        facts: vec![(
            texts.message(Message::ExportTime),
            texts.format_time(&consent.at),
        )],
    };
    Section {
        title: texts.message(Message::ExportConsents),
        entries: document.consents.iter().map(entry).collect(),
    }
}

fn activity_section<'a>(texts: &'a Texts<'_>, document: &'a Document) -> Section<'a> {
    let entry = |event: &'a EventPart| {
        let mut facts = vec![(
            texts.message(Message::ExportTime),
            texts.format_time(&event.at),
        )];
        if let Some(device) = &event.device {
            facts.push((texts.message(Message::ExportDevice), device.into()));
        }
        if let Some(network) = &event.network {
            facts.push((texts.message(Message::ExportNetwork), network.into()));
        }
        Entry {
            title: texts.label("activity", &event.kind),
            facts,
        }
    };
    Section {
        title: texts.label("activity", "title"),
        entries: document.activity.iter().map(entry).collect(),
    }
}
