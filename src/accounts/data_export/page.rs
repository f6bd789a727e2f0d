//! `index.html`: the document for people, in their language, without scripts and without external resources.

use askama::Template;
use serde_json::Value;

use super::JSON_FILE;
use super::document::{ConsentPart, DevicePart, Document, EventPart, PasskeyPart, SessionPart};
use crate::app::App;
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

struct Section<'a> {
    title: String,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    title: String,
    facts: Vec<(String, &'a str)>,
}

/// The texts of the screens in one language, by key.
struct Texts {
    language: Language,
    catalogue: Value,
    yes: String,
    no: String,
}

impl Texts {
    fn new(language: Language) -> Texts {
        Texts {
            language,
            catalogue: serde_json::from_str(i18n::catalogue(language)).unwrap_or_default(),
            yes: Message::ExportYes.text(language).to_owned(),
            no: Message::ExportNo.text(language).to_owned(),
        }
    }

    /// The text of a key, or the key itself: an event or a country of another version.
    fn of(&self, section: &str, key: &str) -> String {
        let text = self.catalogue[section][key].as_str();
        text.unwrap_or(key).to_owned()
    }

    fn message(&self, message: Message) -> String {
        message.text(self.language).to_owned()
    }

    fn answer(&self, yes: bool) -> &str {
        if yes { &self.yes } else { &self.no }
    }
}

/// Renders the page.
pub(super) fn render(app: &App, document: &Document, language: Language, now: i64) -> String {
    let texts = Texts::new(language);
    let region = app.config.region_by_id(&document.account.region);
    let country = texts.of("countryvalues", &document.account.country);
    let time = mail::time_in_words(region, now, language);
    let page = Page {
        language: language.code(),
        title: Message::ExportTitle.format(language, &[("brand", &region.brand)]),
        lead: Message::ExportLead.format(language, &[("time", &time), ("file", JSON_FILE)]),
        none: Message::ExportNone.text(language),
        sections: vec![
            account(&texts, document, &region.brand, &country),
            devices(&texts, document),
            sessions(&texts, document),
            passkeys(&texts, document),
            consents(&texts, document),
            activity(&texts, document),
        ],
    };
    page.to_string()
}

fn account<'a>(
    texts: &'a Texts,
    document: &'a Document,
    brand: &'a str,
    country: &'a str,
) -> Section<'a> {
    let account = &document.account;
    let facts = [
        (
            texts.of("common", "username"),
            Some(account.username.as_str()),
        ),
        (texts.of("common", "email"), Some(&account.email)),
        (
            texts.of("completion", "first_name"),
            account.first_name.as_deref(),
        ),
        (
            texts.of("completion", "last_name"),
            account.last_name.as_deref(),
        ),
        (texts.of("common", "birthday"), Some(&account.birthday)),
        (texts.of("common", "country"), Some(country)),
        (texts.of("common", "zipcode"), Some(&account.zipcode)),
        (
            texts.message(Message::ExportLanguage),
            Some(&account.language),
        ),
        (texts.message(Message::ExportSite), Some(brand)),
        (
            texts.message(Message::ExportCreated),
            Some(&account.created_at),
        ),
        (
            texts.message(Message::ExportPasswordChanged),
            Some(&account.password_changed_at),
        ),
        (
            texts.message(Message::ExportSecondFactor),
            Some(texts.answer(document.second_factor.on)),
        ),
        (
            texts.of("data", "newsletter"),
            Some(texts.answer(account.marketing_consent)),
        ),
    ];
    let facts = facts.into_iter();
    Section {
        title: texts.of("settings", "nav_account"),
        entries: vec![Entry {
            title: String::new(),
            facts: facts
                .filter_map(|(label, value)| Some((label, value?)))
                .collect(),
        }],
    }
}

fn devices<'a>(texts: &'a Texts, document: &'a Document) -> Section<'a> {
    let entry = |device: &'a DevicePart| Entry {
        title: device.name.clone(),
        facts: vec![
            (
                texts.message(Message::ExportFirstSeen),
                &device.first_seen_at,
            ),
            (texts.message(Message::ExportLastUsed), &device.last_used_at),
        ],
    };
    Section {
        title: texts.of("devices", "title"),
        entries: document.devices.iter().map(entry).collect(),
    }
}

fn sessions<'a>(texts: &'a Texts, document: &'a Document) -> Section<'a> {
    let entry = |session: &'a SessionPart| Entry {
        title: String::new(),
        facts: vec![
            (texts.message(Message::ExportStarted), &session.started_at),
            (
                texts.message(Message::ExportLastUsed),
                &session.last_used_at,
            ),
            (texts.message(Message::ExportExpires), &session.expires_at),
        ],
    };
    Section {
        title: texts.message(Message::ExportSessions),
        entries: document.sessions.iter().map(entry).collect(),
    }
}

fn passkeys<'a>(texts: &'a Texts, document: &'a Document) -> Section<'a> {
    let entry = |passkey: &'a PasskeyPart| {
        let mut facts = vec![
            (texts.message(Message::ExportSite), passkey.site.as_str()),
            (texts.message(Message::ExportCreated), &passkey.created_at),
        ];
        if let Some(used) = &passkey.last_used_at {
            facts.push((texts.message(Message::ExportLastUsed), used));
        }
        Entry {
            title: passkey.name.clone(),
            facts,
        }
    };
    Section {
        title: texts.of("security", "passkeys"),
        entries: document.passkeys.iter().map(entry).collect(),
    }
}

fn consents<'a>(texts: &'a Texts, document: &'a Document) -> Section<'a> {
    let entry = |consent: &'a ConsentPart| Entry {
        title: texts.answer(consent.consent).to_owned(),
        facts: vec![(texts.message(Message::ExportTime), &consent.at)],
    };
    Section {
        title: texts.message(Message::ExportConsents),
        entries: document.consents.iter().map(entry).collect(),
    }
}

fn activity<'a>(texts: &'a Texts, document: &'a Document) -> Section<'a> {
    let entry = |event: &'a EventPart| {
        let mut facts = vec![(texts.message(Message::ExportTime), event.at.as_str())];
        if let Some(device) = &event.device {
            facts.push((texts.message(Message::ExportDevice), device));
        }
        if let Some(network) = &event.network {
            facts.push((texts.message(Message::ExportNetwork), network));
        }
        Entry {
            title: texts.of("activity", &event.kind),
            facts,
        }
    };
    Section {
        title: texts.of("activity", "title"),
        entries: document.activity.iter().map(entry).collect(),
    }
}
