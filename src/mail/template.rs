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

/// The values of a mail. Only those that its row names are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailValues<'a> {
    /// The address behind the button. Links are absolute and start with the public URL.
    pub button: Option<&'a str>,
    /// The address of the second link, below the text.
    pub second: Option<&'a str>,
    /// The lifetime of the token behind the button.
    pub lifetime: Option<Lifetime>,
    pub device: &'a str,
    /// In the time zone of the reader's region.
    pub time: &'a Zoned,
    pub new_address: &'a str,
    pub codes_left: i64,
    /// In the time zone of the reader's region.
    pub effective_at: &'a Zoned,
    pub changed: &'a [AccountDetail],
}

/// The branding of the reader's region in a mail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderBrand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// The absolute address of the sign-in page.
    pub home: &'a str,
    /// The absolute address of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A finished mail without its sender and recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RenderedMail {
    /// A single line.
    pub subject: String,
    /// Plain text in lines of at most 70 characters, except links.
    pub text: String,
    /// A whole document without external resources.
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
