//! A letter with all its words filled in, ready for the two templates.

use super::{Brand, Letter, moment, phrase, wrap};
use crate::domain::email;
use crate::i18n::{Language, Message};
use askama::Template;

/// What both parts of a mail say.
pub(super) struct Sheet<'a> {
    language: &'static str,
    brand: Brand<'a>,
    pub(super) subject: String,
    preheader: String,
    title: String,
    body: Vec<String>,
    /// Label and value, such as the device.
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
    sheet: &'s Sheet<'s>,
}

#[derive(Template)]
#[template(path = "mail/letter.html")]
struct Html<'s> {
    sheet: &'s Sheet<'s>,
}

impl<'a> Sheet<'a> {
    pub(super) fn write(letter: &'a Letter<'_>, language: Language, brand: &Brand<'a>) -> Self {
        let script = letter.script();
        let lifetime = letter
            .lifetime()
            .map(|lifetime| lifetime.in_words(language));
        let mut values = vec![("brand", brand.name)];
        values.extend(lifetime.iter().map(|words| ("lifetime", words.as_str())));
        let say = |message: Message| message.format(language, &values);
        Sheet {
            language: language.code(),
            brand: *brand,
            subject: say(script.subject),
            preheader: say(script.preheader),
            title: say(script.title),
            body: paragraphs(&say(script.body)),
            facts: facts(letter, language),
            button: link(script.button.map(say), letter.main_link()),
            note: script
                .note
                .map(|word| paragraphs(&say(word)))
                .unwrap_or_default(),
            second: link(script.second.map(say), letter.second_link()),
            reason: say(script.reason),
            greeting: Message::MailFrameGreeting.text(language),
            link_hint: Message::MailFrameLinkHint.text(language),
            sign_off: Message::MailFrameSignOff.text(language),
            crew: say(Message::MailFrameCrew),
            contact: Message::MailFrameContact.text(language),
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{}\n", Text { sheet: self })
    }

    pub(super) fn html(&self) -> String {
        Html { sheet: self }.to_string()
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(str::to_owned).collect()
}

/// The words come from the script and the address from the letter; `tests` holds that every
/// letter has both or neither.
fn link(words: Option<String>, address: Option<&str>) -> Option<Link<'_>> {
    Some(Link {
        words: words?,
        address: address?,
    })
}

fn facts(letter: &Letter<'_>, language: Language) -> Vec<(&'static str, String)> {
    let device = letter
        .device()
        .map(|device| (Message::MailFrameDevice, phrase::device(device)));
    let time = letter
        .time()
        .map(|time| (Message::MailFrameTime, moment::in_words(time, language)));
    let address = letter
        .new_address()
        .map(|address| (Message::MailFrameNewAddress, email::mask(address)));
    let facts = device.into_iter().chain(time).chain(address);
    facts
        .map(|(label, value)| (label.text(language), value))
        .collect()
}
