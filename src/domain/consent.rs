//! Consent to marketing mails. The displayed text of the consent is recorded too, as a proof (GDPR, article 7(1)).

use crate::i18n::Language;

/// The version of the texts that ask for consent: `sign_up.marketing`, `completion.newsletter` and
/// `data.newsletter_choice` in `locales/`. A change of the meaning of a text must increase the version.
const TEXT_VERSION: i64 = 1;

/// The version for an unrecorded text, such as that of a consent in a legacy system.
const UNRECORDED_TEXT_VERSION: i64 = 0;

/// A person's answer to the question for consent, and the text of that question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarketingConsent {
    pub is_given: bool,
    pub text_version: i64,
    /// The language of the displayed text, if it was recorded.
    pub language: Option<Language>,
}

impl MarketingConsent {
    /// Returns an answer to the current text of the consent in `language`.
    pub(crate) fn with_current_text(is_given: bool, language: Language) -> MarketingConsent {
        MarketingConsent {
            is_given,
            text_version: TEXT_VERSION,
            language: Some(language),
        }
    }

    /// Returns the answer that the legacy system stored. A missing answer counts as no.
    pub(crate) fn from_older_system(answer: Option<bool>) -> MarketingConsent {
        MarketingConsent {
            is_given: answer.unwrap_or(false),
            ..MarketingConsent::withdrawn()
        }
    }

    /// Returns a withdrawal that a support agent records, for which no text was displayed.
    pub(crate) fn withdrawn() -> MarketingConsent {
        MarketingConsent {
            is_given: false,
            text_version: UNRECORDED_TEXT_VERSION,
            language: None,
        }
    }
}
