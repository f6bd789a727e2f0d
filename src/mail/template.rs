//! Renders a mail: its row of the table in `mail/mails.rs` lists the content, its layout is in `templates/mail`. A mail
//! never contains free text that a stranger chose; otherwise an unverified registration could send advertising to any
//! mailbox.

mod datetime;
mod lifetime;
mod phrase;
mod view;
mod wrap;

pub(crate) use datetime::date_in_words;
pub(super) use datetime::in_words;
pub(crate) use lifetime::Lifetime;

use super::MailKind;
use crate::config::Accent;
use crate::domain::account_detail::AccountDetail;
use crate::i18n::Language;
use jiff::Zoned;
use view::MailView;

/// The values of a mail. Only the values that the mail's row names are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailValues<'a> {
    /// The URL behind the button. Links are absolute and start with the public URL.
    pub button: Option<&'a str>,
    /// The URL of the second link, below the text.
    pub second: Option<&'a str>,
    /// The lifetime of the link behind the button.
    pub lifetime: Option<Lifetime>,
    pub device: &'a str,
    /// The time of the event, in the time zone of the reader's region.
    pub time: &'a Zoned,
    pub new_address: &'a str,
    pub codes_left: i64,
    /// The time at which the announced change takes effect, in the time zone of the reader's region.
    pub effective_at: &'a Zoned,
    pub changed: &'a [AccountDetail],
}

/// The branding of the reader's region in a mail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderBrand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// The absolute URL of the sign-in page.
    pub home: &'a str,
    /// The absolute URL of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A finished mail without its sender and recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RenderedMail {
    /// The subject in a single line.
    pub subject: String,
    /// The plain text in lines of at most 70 characters, except links.
    pub text: String,
    /// The whole HTML document, without external resources.
    pub html: String,
}

impl MailValues<'_> {
    /// Renders the mail in the language of the account.
    pub(crate) fn render(
        &self,
        kind: MailKind,
        language: Language,
        brand: &SenderBrand<'_>,
    ) -> RenderedMail {
        let view = MailView::new(kind.definition(), self, language, brand);
        RenderedMail {
            subject: view.subject.clone(),
            text: view.text(),
            html: view.html(),
        }
    }
}

#[cfg(test)]
mod tests;
