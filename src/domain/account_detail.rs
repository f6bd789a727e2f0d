//! The details of an account that support agents can correct.

use serde::{Deserialize, Serialize};

use crate::i18n::{Language, Message};

/// A detail of an account, whose name appears in the person's list of activity and in webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AccountDetail {
    Username,
    Country,
    Zipcode,
    Birthday,
    FirstName,
    LastName,
    MarketingConsent,
}

impl AccountDetail {
    /// Returns the label of the detail in mails.
    pub(crate) fn label(self, language: Language) -> &'static str {
        match self {
            AccountDetail::Username => Message::MailFrameUsername,
            AccountDetail::Country => Message::MailFrameCountry,
            AccountDetail::Zipcode => Message::MailFrameZipcode,
            AccountDetail::Birthday => Message::MailFrameBirthday,
            AccountDetail::FirstName => Message::MailFrameFirstName,
            AccountDetail::LastName => Message::MailFrameLastName,
            AccountDetail::MarketingConsent => Message::MailFrameNewsletter,
        }
        .text(language)
    }

    /// Returns the name of the detail in `data.fields` of the webhook `account.updated`.
    pub(crate) fn webhook_fields(self) -> &'static [&'static str] {
        match self {
            AccountDetail::Username => &["username"],
            AccountDetail::Country => &["country"],
            AccountDetail::Zipcode => &["zipcode"],
            AccountDetail::Birthday => &["birthday"],
            AccountDetail::FirstName => &["first_name"],
            AccountDetail::LastName => &["last_name"],
            AccountDetail::MarketingConsent => &["marketing_consent"],
        }
    }
}
