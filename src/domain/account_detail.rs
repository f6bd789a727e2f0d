//! The details of an account that support agents can correct.

use serde::{Deserialize, Serialize};

use crate::i18n::Message;
use crate::named_enum::named_enum;

named_enum! {
    /// A detail of an account, whose name appears in the person's list of activity and in webhooks.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum AccountDetail(
        /// The label of the detail in mails.
        label: Message
    ) {
        Username = "username", Message::MailFrameUsername;
        Country = "country", Message::MailFrameCountry;
        Zipcode = "zipcode", Message::MailFrameZipcode;
        Birthday = "birthday", Message::MailFrameBirthday;
        FirstName = "first_name", Message::MailFrameFirstName;
        LastName = "last_name", Message::MailFrameLastName;
        MarketingConsent = "marketing_consent", Message::MailFrameNewsletter;
    }
}
