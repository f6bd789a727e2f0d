//! Renders a mail from its row in the table of `mail/mails.rs` and from the layout in `templates/mail`. A mail never
//! contains free text that a stranger chose, because an unverified registration could otherwise send advertising to any
//! mailbox. The username is only in mails to the verified email address of its account.

mod datetime;
mod lifetime;
mod phrase;
mod view;
mod wrap;

pub(crate) use datetime::{date_in_words, time_in_words};
pub(crate) use lifetime::Lifetime;

use super::{MailDetails, MailKind};
use crate::config::{Accent, Region};
use crate::i18n::Language;
use view::MailView;

/// The values of a mail. The mail shows only those values that its row in the table of mails names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailValues<'a> {
    /// The username, if the recipient is the verified email address of the account.
    pub username: Option<&'a str>,
    /// The URL of the button. The URL is absolute and starts with the public URL.
    pub button: Option<&'a str>,
    /// The URL of the second link, which is below the text.
    pub second: Option<&'a str>,
    /// The lifetime of the link behind the button of the mail.
    pub lifetime: Option<Lifetime>,
    pub details: &'a MailDetails,
    /// The time of a mail whose details have none, in milliseconds since 1970 UTC.
    pub queued_at: i64,
    /// The region of the reader, in whose time zone times are shown.
    pub region: &'a Region,
}

/// The brand of the reader's region, as a mail shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderBrand<'a> {
    pub name: &'a str,
    pub accent: Accent,
    /// The absolute URL of the sign-in page.
    pub home: &'a str,
    /// The absolute URL of the region's contact page.
    pub contact: Option<&'a str>,
}

/// A rendered mail that has no sender and recipient yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RenderedMail {
    /// The subject of the mail in a single line.
    pub subject: String,
    /// The plain text of the mail in lines of at most 70 characters, except links.
    pub text: String,
    /// The HTML document of the mail, which loads no external resources.
    pub html: String,
}

impl MailValues<'_> {
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
