//! A mail with all its messages formatted, as data for the two templates.

use askama::Template;

use super::{MailTemplate, SenderBrand, datetime, phrase, wrap};
use crate::domain::email;
use crate::i18n::{Language, Message};

/// The content of both parts of a mail.
pub(super) struct MailView<'a> {
    language: &'static str,
    brand: SenderBrand<'a>,
    pub(super) subject: String,
    preheader: String,
    title: String,
    body: Vec<String>,
    /// Labels with values, such as the device.
    facts: Vec<(&'static str, String)>,
    button: Option<Link<'a>>,
    note: Vec<String>,
    second: Option<Link<'a>>,
    reason: String,
    greeting: &'static str,
    link_hint: &'static str,
    sign_off: &'static str,
    crew: String,
    contact: &'static str,
}

struct Link<'a> {
    words: String,
    address: &'a str,
}

#[derive(Template)]
#[template(path = "mail/letter.txt")]
struct Text<'s> {
    view: &'s MailView<'s>,
}

#[derive(Template)]
#[template(path = "mail/letter.html")]
struct Html<'s> {
    view: &'s MailView<'s>,
}

impl<'a> MailView<'a> {
    pub(super) fn new(
        template: &'a MailTemplate<'_>,
        language: Language,
        brand: &SenderBrand<'a>,
    ) -> Self {
        let words = template.words();
        let lifetime = template
            .lifetime()
            .map(|lifetime| lifetime.in_words(language));
        let mut values = vec![("brand", brand.name)];
        values.extend(lifetime.iter().map(|words| ("lifetime", words.as_str())));
        let say = |message: Message| message.format(language, &values);
        MailView {
            language: language.code(),
            brand: *brand,
            subject: say(words.subject),
            preheader: say(words.preheader),
            title: say(words.title),
            body: paragraphs(&say(words.body)),
            facts: facts(template, language),
            button: link(words.button.map(say), template.main_link()),
            note: words
                .note
                .map(|word| paragraphs(&say(word)))
                .unwrap_or_default(),
            second: link(words.second.map(say), template.second_link()),
            reason: say(words.reason),
            greeting: Message::MailFrameGreeting.text(language),
            link_hint: Message::MailFrameLinkHint.text(language),
            sign_off: Message::MailFrameSignOff.text(language),
            crew: say(Message::MailFrameCrew),
            contact: Message::MailFrameContact.text(language),
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{}\n", Text { view: self })
    }

    pub(super) fn html(&self) -> String {
        Html { view: self }.to_string()
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(str::to_owned).collect()
}

/// Combines the label and the address. A test ensures that each mail has both or neither.
fn link(words: Option<String>, address: Option<&str>) -> Option<Link<'_>> {
    Some(Link {
        words: words?,
        address: address?,
    })
}

fn facts(template: &MailTemplate<'_>, language: Language) -> Vec<(&'static str, String)> {
    let device = template
        .device()
        .map(|device| (Message::MailFrameDevice, phrase::device(device)));
    let time = template
        .time()
        .map(|time| (Message::MailFrameTime, datetime::in_words(time, language)));
    let address = template
        .new_address()
        .map(|address| (Message::MailFrameNewAddress, email::mask(address)));
    let facts = device.into_iter().chain(time).chain(address);
    facts
        .map(|(label, value)| (label.text(language), value))
        .collect()
}
