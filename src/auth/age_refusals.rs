//! The number of under-age attempts of each form, in signed cookies. The server stores nothing about a minor.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::app::App;
use crate::auth::client::Client;
use crate::domain::age::AgeForm;
use crate::error::SignedCount;

/// The lifetime of the count in seconds, from the first under-age attempt of the browser.
const COUNT_LIFETIME_SECONDS: i64 = 24 * 3600;

/// The number of refusals for age by one form in this browser, and the expiry of that number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnderageAttempts {
    form: AgeForm,
    count: u32,
    expires_at: i64,
}

impl UnderageAttempts {
    pub(crate) fn of(app: &App, client: &Client, form: AgeForm) -> UnderageAttempts {
        let now = app.clock.millis();
        let cookie = match form {
            AgeForm::Registration => &client.registration_age_refusals,
            AgeForm::Migration => &client.migration_age_refusals,
        };
        let signed = cookie
            .as_deref()
            .and_then(|text| parse_signed(app, form, text));
        signed
            .filter(|a| a.expires_at > now)
            .unwrap_or(UnderageAttempts {
                form,
                count: 0,
                expires_at: now + COUNT_LIFETIME_SECONDS * 1000,
            })
    }

    /// Returns whether the limit is reached: further attempts are refused for every birthday.
    pub(crate) fn is_limit_reached(self, app: &App) -> bool {
        self.count >= app.config.age.attempts
    }

    /// Returns the number increased by one, for the cookie of the refusal.
    pub(crate) fn increment(self, app: &App) -> SignedCount {
        let next = UnderageAttempts {
            count: self.count.saturating_add(1),
            ..self
        };
        let remaining = (self.expires_at - app.clock.millis()) / 1000;
        SignedCount {
            form: self.form,
            text: next.to_signed_text(app),
            seconds: remaining.clamp(1, COUNT_LIFETIME_SECONDS),
        }
    }

    fn to_signed_text(self, app: &App) -> String {
        let text = format!("{}.{}", self.count, self.expires_at);
        let tag = URL_SAFE_NO_PAD.encode(mac(app, self.form, &text).finalize().into_bytes());
        format!("{text}.{tag}")
    }
}

fn parse_signed(app: &App, form: AgeForm, signed: &str) -> Option<UnderageAttempts> {
    let (text, tag) = signed.rsplit_once('.')?;
    let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
    mac(app, form, text).verify_slice(&tag).ok()?;
    let (count, expires_at) = text.split_once('.')?;
    Some(UnderageAttempts {
        form,
        count: count.parse().ok()?,
        expires_at: expires_at.parse().ok()?,
    })
}

fn mac(app: &App, form: AgeForm, text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&app.signing_key).expect("any length will do");
    mac.update(match form {
        AgeForm::Registration => b"attempts\0".as_slice(),
        AgeForm::Migration => b"migration attempts\0",
    });
    mac.update(text.as_bytes());
    mac
}
