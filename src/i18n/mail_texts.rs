use super::Message;

/// The messages of one mail, which `build/mail_texts.rs` collects from the section `mail.NAME` of `locales/*.json`. All
/// messages may contain `{{brand}}`, and `{{lifetime}}` if the link of the button contains a token. An empty line
/// begins a new paragraph.
pub(crate) struct MailTexts {
    pub(crate) subject: Message,
    /// The preview text that mail programs show beside the subject.
    pub(crate) preheader: Message,
    pub(crate) title: Message,
    pub(crate) body: Message,
    pub(crate) button: Option<Message>,
    /// The smaller text below the button of the mail.
    pub(crate) note: Option<Message>,
    /// The sentence that precedes the second link of the mail.
    pub(crate) second: Option<Message>,
    /// The sentence that says why the reader gets this mail.
    pub(crate) reason: Message,
}

include!(concat!(env!("OUT_DIR"), "/mail_texts.rs"));
