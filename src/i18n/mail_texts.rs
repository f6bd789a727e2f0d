//! The texts of one mail, in reading order.

use super::Message;

/// The messages of one mail, which `build/mail_texts.rs` collects from the section `mail.NAME` of `locales/*.json`. All
/// messages may contain `{{brand}}`, and `{{lifetime}}` if the button carries a token. An empty line begins a new
/// paragraph.
pub(crate) struct MailTexts {
    pub(crate) subject: Message,
    /// The preview text that mailboxes show beside the subject.
    pub(crate) preheader: Message,
    pub(crate) title: Message,
    pub(crate) body: Message,
    pub(crate) button: Option<Message>,
    /// The smaller text below the button.
    pub(crate) note: Option<Message>,
    /// The sentence that ends with the second link of the mail.
    pub(crate) second: Option<Message>,
    /// The reason why the reader gets this mail.
    pub(crate) reason: Message,
}

include!(concat!(env!("OUT_DIR"), "/mail_texts.rs"));
