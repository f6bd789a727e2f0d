//! Consent to marketing mails, with the text that it was given to: proof of consent (GDPR, article 7(1)).

use crate::i18n::Language;

/// The version of the sentences beside the choice: `sign_up.marketing`, `completion.newsletter` and
/// `data.newsletter_choice` in `locales/`. Raised with each change of what a person agrees to.
const TEXT_VERSION: i64 = 1;

/// The version of a text that nothing recorded: consents of an older system.
const UNRECORDED_TEXT: i64 = 0;

/// An answer, and the text that it was given to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarketingConsent {
    pub is_given: bool,
    pub text_version: i64,
    /// None: nothing recorded the text.
    pub language: Option<Language>,
}

impl MarketingConsent {
    /// An answer to the current text in `language`.
    pub(crate) fn to_current_text(is_given: bool, language: Language) -> MarketingConsent {
        MarketingConsent {
            is_given,
            text_version: TEXT_VERSION,
            language: Some(language),
        }
    }

    /// The answer that an older system stored. One without an answer counts as no.
    pub(crate) fn of_older_system(answer: Option<bool>) -> MarketingConsent {
        MarketingConsent {
            is_given: answer.unwrap_or(false),
            text_version: UNRECORDED_TEXT,
            language: None,
        }
    }
}
