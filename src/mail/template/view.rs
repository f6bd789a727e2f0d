//! A mail whose texts are translated and filled in, for the text template and the HTML template.

use askama::Template;

use super::{MailValues, SenderBrand, phrase, time_in_words, wrap};
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
    let details = values.details;
    let time = |millis: Option<i64>| {
        time_in_words(values.region, millis.unwrap_or(values.queued_at), language)
    };
    let (label, value) = match detail {
        ShownDetail::Device => {
            let device = details.device.as_deref().unwrap_or("Browser");
            (Message::MailFrameDevice, phrase::shorten_device(device))
        }
        ShownDetail::Time => (Message::MailFrameTime, time(details.at)),
        ShownDetail::NewAddress => {
            let new = details.new_email.as_deref().unwrap_or_default();
            (Message::MailFrameNewAddress, email::mask(new))
        }
        ShownDetail::CodesLeft => {
            let left = details.codes_left.unwrap_or_default();
            (Message::MailFrameCodesLeft, left.to_string())
        }
        ShownDetail::EffectiveAt => (Message::MailFrameEffectiveAt, time(details.effective_at)),
        ShownDetail::ChangedDetails => {
            let changed = details.changed.iter();
            let words: Vec<_> = changed
                .map(|detail| detail.label().text(language))
                .collect();
            (Message::MailFrameChanged, words.join(", "))
        }
        ShownDetail::WayIn => {
            let sentence = details.way_in_change.map(WayInChange::sentence);
            let words = sentence.map_or("", |sentence| sentence.text(language));
            (Message::MailFrameEvent, words.to_owned())
        }
        ShownDetail::DeletionAt => (Message::MailFrameDeletionAt, time(details.effective_at)),
    };
    (label.text(language), value)
}
