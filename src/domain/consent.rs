//! Consent to marketing mails. The text of the consent is recorded too, as a proof (GDPR, article 7(1)).

use crate::i18n::Language;

/// The version of the consent's text: `sign_up.marketing`, `completion.newsletter` and `data.newsletter_choice` in
/// `locales/`. A change of their meaning must increase the version.
const TEXT_VERSION: i64 = 1;

/// The version for a text that was not recorded, such as that of a consent of an older system.
const UNRECORDED_TEXT_VERSION: i64 = 0;

/// A person's answer, and the text that it refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarketingConsent {
    pub is_given: bool,
    pub text_version: i64,
    /// The language of the text, if it was recorded.
    pub language: Option<Language>,
}

impl MarketingConsent {
    /// Returns an answer to the current text in `language`.
    pub(crate) fn with_current_text(is_given: bool, language: Language) -> MarketingConsent {
        MarketingConsent {
            is_given,
            text_version: TEXT_VERSION,
            language: Some(language),
        }
    }

    /// Returns the answer that an older system stored. A missing answer counts as no.
    pub(crate) fn from_older_system(answer: Option<bool>) -> MarketingConsent {
        MarketingConsent {
            is_given: answer.unwrap_or(false),
            ..MarketingConsent::withdrawn()
        }
    }

    /// Returns a withdrawal that support records for a person, to whom no text of the consent was shown.
    pub(crate) fn withdrawn() -> MarketingConsent {
        MarketingConsent {
            is_given: false,
            text_version: UNRECORDED_TEXT_VERSION,
            language: None,
        }
    }
}
