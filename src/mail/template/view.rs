//! A mail whose texts are translated and filled in, for the text template and the HTML template.

use askama::Template;

use super::{MailValues, SenderBrand, datetime, phrase, wrap};
use crate::domain::email;
use crate::domain::way_in_change::WayInChange;
use crate::i18n::{Language, Message};
use crate::mail::row::{MailDefinition, ShownDetail, SignOff};

/// The content of a mail, which is the same in the text part and in the HTML part.
pub(super) struct MailView<'a> {
    language: &'static str,
    brand: SenderBrand<'a>,
    pub(super) subject: String,
    preheader: String,
    title: String,
    body: Vec<String>,
    /// The labels and values of the mail's details, such as the device.
    details: Vec<(&'static str, String)>,
    button: Option<LabelledLink<'a>>,
    note: Vec<String>,
    second: Option<LabelledLink<'a>>,
    reason: String,
    greeting: String,
    link_hint: &'static str,
    sign_off: &'static str,
    crew: String,
    contact: &'static str,
}

struct LabelledLink<'a> {
    words: String,
    address: &'a str,
}

#[derive(Template)]
#[template(path = "mail/letter.txt")]
struct TextTemplate<'s> {
    view: &'s MailView<'s>,
}

#[derive(Template)]
#[template(path = "mail/letter.html")]
struct HtmlTemplate<'s> {
    view: &'s MailView<'s>,
}

impl<'a> MailView<'a> {
    pub(super) fn new(
        row: &MailDefinition,
        values: &MailValues<'a>,
        language: Language,
        brand: &SenderBrand<'a>,
    ) -> Self {
        let texts = row.texts;
        let lifetime = values.lifetime.map(|lifetime| lifetime.in_words(language));
        let mut placeholders = vec![("brand", brand.name)];
        placeholders.extend(lifetime.iter().map(|words| ("lifetime", words.as_str())));
        let sign_off = match row.sign_off {
            SignOff::Cheerful => Message::MailFrameSignOff,
            SignOff::Plain => Message::MailFrameSignOffPlain,
        };
        let format_text = |message: Message| message.format(language, &placeholders);
        MailView {
            language: language.code(),
            brand: *brand,
            subject: format_text(texts.subject),
            preheader: format_text(texts.preheader),
            title: format_text(texts.title),
            body: paragraphs(&format_text(texts.body)),
            details: row
                .details
                .iter()
                .map(|detail| labelled_detail(*detail, values, language))
                .collect(),
            button: labelled_link(texts.button.map(format_text), values.button),
            note: texts
                .note
                .map(|note| paragraphs(&format_text(note)))
                .unwrap_or_default(),
            second: labelled_link(texts.second.map(format_text), values.second),
            reason: format_text(texts.reason),
            greeting: greeting(values.username, language),
            link_hint: Message::MailFrameLinkHint.text(language),
            sign_off: sign_off.text(language),
            crew: format_text(Message::MailFrameCrew),
            contact: Message::MailFrameContact.text(language),
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{}\n", TextTemplate { view: self })
    }

    pub(super) fn html(&self) -> String {
        HtmlTemplate { view: self }.to_string()
    }
}

fn greeting(username: Option<&str>, language: Language) -> String {
    match username {
        Some(name) => Message::MailFrameGreetingByName.format(language, &[("username", name)]),
        None => Message::MailFrameGreeting.text(language).to_owned(),
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(str::to_owned).collect()
}

/// Returns `None` if the mail has no such link. A test ensures that no mail has only the label or only the URL.
fn labelled_link(words: Option<String>, address: Option<&str>) -> Option<LabelledLink<'_>> {
    Some(LabelledLink {
        words: words?,
        address: address?,
    })
}

fn labelled_detail(
    detail: ShownDetail,
    values: &MailValues<'_>,
    language: Language,
) -> (&'static str, String) {
    let (label, value) = match detail {
        ShownDetail::Device => (
            Message::MailFrameDevice,
            phrase::shorten_device(values.device),
        ),
        ShownDetail::Time => (
            Message::MailFrameTime,
            datetime::in_words(values.time, values.is_12_hour_clock, language),
        ),
        ShownDetail::NewAddress => (
            Message::MailFrameNewAddress,
            email::mask(values.new_address),
        ),
        ShownDetail::CodesLeft => (Message::MailFrameCodesLeft, values.codes_left.to_string()),
        ShownDetail::EffectiveAt => (
            Message::MailFrameEffectiveAt,
            datetime::in_words(values.effective_at, values.is_12_hour_clock, language),
        ),
        ShownDetail::ChangedDetails => {
            let changed = values.changed.iter();
            let words: Vec<_> = changed
                .map(|detail| detail.label().text(language))
                .collect();
            (Message::MailFrameChanged, words.join(", "))
        }
        ShownDetail::WayIn => {
            let sentence = values.way_in_change.map(WayInChange::sentence);
            let words = sentence.map_or("", |sentence| sentence.text(language));
            (Message::MailFrameEvent, words.to_owned())
        }
        ShownDetail::DeletionAt => (
            Message::MailFrameDeletionAt,
            datetime::in_words(values.effective_at, values.is_12_hour_clock, language),
        ),
    };
    (label.text(language), value)
}
