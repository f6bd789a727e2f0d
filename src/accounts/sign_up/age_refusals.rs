//! Counts the under-age attempts in signed cookies, one per form, because the server stores no data of a minor.

use serde::{Deserialize, Serialize};

use crate::accounts::client::Client;
use crate::app::App;
use crate::crypto::signed_text::SignedText;
use crate::domain::age::AgeForm;
use crate::error::AgeRefusalsCookie;

/// The lifetime of the count, from the earliest counted under-age attempt of the browser.
const COUNT_LIFETIME_SECONDS: i64 = 24 * 3600;

/// How many under-age attempts a browser may make before it is refused, whatever the rate limits.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// The number of under-age attempts with one form in this browser, and the expiry of the count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnderageAttempts {
    form: AgeForm,
    refusals: Refusals,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Refusals {
    count: u32,
    /// The expiry of the count, in milliseconds since 1970 UTC.
    expires_at: i64,
}

impl UnderageAttempts {
    pub(crate) fn of(app: &App, client: &Client, form: AgeForm) -> UnderageAttempts {
        let now = app.clock.millis();
        let cookie = match form {
            AgeForm::Registration => &client.registration_age_refusals,
            AgeForm::Migration => &client.migration_age_refusals,
        };
        let signed = cookie.as_deref().and_then(|text| {
            SignedText::AgeRefusals(form).open::<Refusals>(&app.signed_text_keys, text)
        });
        let refusals = signed
            .filter(|refusals| refusals.expires_at > now)
            .unwrap_or(Refusals {
                count: 0,
                expires_at: now + COUNT_LIFETIME_SECONDS * 1000,
            });
        UnderageAttempts { form, refusals }
    }

    /// Returns whether the limit is reached. Further attempts are then refused for every birthday.
    pub(crate) fn is_limit_reached(self) -> bool {
        self.refusals.count >= MAX_ATTEMPTS
    }

    /// Returns the count increased by one, for the cookie in the error response.
    pub(crate) fn increment(self, app: &App) -> AgeRefusalsCookie {
        let Refusals { count, expires_at } = self.refusals;
        let next = Refusals {
            count: count.saturating_add(1),
            expires_at,
        };
        let remaining = (expires_at - app.clock.millis()) / 1000;
        AgeRefusalsCookie {
            form: self.form,
            text: SignedText::AgeRefusals(self.form).sign(&app.signed_text_keys, &next),
            seconds: remaining.clamp(1, COUNT_LIFETIME_SECONDS),
        }
    }
}
