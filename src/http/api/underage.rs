//! The count of under-age attempts, in a signed cookie (contract 3, Under-age). The server stores
//! nothing about a minor.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use super::cookies::Setter;
use super::request_context::RequestContext;
use crate::app::{App, Shared};

/// The lifetime of the count in seconds, from the first under-age attempt of the browser.
const SECONDS: i64 = 24 * 3600;

/// The number of times this browser was refused for its age, and the end of that count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempts {
    count: u32,
    until: i64,
}

impl Attempts {
    pub(crate) fn of(app: &App, context: &RequestContext) -> Attempts {
        let now = app.clock.millis();
        let signed = context.attempts.as_deref().and_then(|text| read(app, text));
        signed.filter(|a| a.until > now).unwrap_or(Attempts {
            count: 0,
            until: now + SECONDS * 1000,
        })
    }

    /// Whether the limit is reached: from then on every birthday is refused.
    pub(crate) fn is_limit_reached(self, app: &App) -> bool {
        self.count >= app.config.age.attempts
    }

    /// The cookie with the count increased by one, for the headers of the refusal.
    pub(crate) fn plus_one(self, app: &App) -> HeaderMap {
        let next = Attempts {
            count: self.count.saturating_add(1),
            ..self
        };
        let left = (self.until - app.clock.millis()) / 1000;
        let setter = Setter::new(&app.config);
        setter
            .attempts(&next.signed(app), left.clamp(1, SECONDS))
            .done()
    }

    fn signed(self, app: &App) -> String {
        let text = format!("{}.{}", self.count, self.until);
        let tag = URL_SAFE_NO_PAD.encode(mac(app, &text).finalize().into_bytes());
        format!("{text}.{tag}")
    }
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AgeRefusals {
    /// Whether registration and completion refuse this browser whatever birthday it sends.
    blocked: bool,
}

/// Returns whether this browser was refused too often for its age.
#[utoipa::path(get, path = "/age-refusals", operation_id = "age_refusals", tag = "sign_up",
    responses((status = 200, description = "Read from the browser's own cookie", body = AgeRefusals)))]
pub(crate) async fn age_refusals(
    State(app): State<Shared>,
    context: RequestContext,
) -> Json<AgeRefusals> {
    Json(AgeRefusals {
        blocked: Attempts::of(&app, &context).is_limit_reached(&app),
    })
}

/// Counts a refusal that the screen made. No birthday is sent, and only the browser's own cookie stores
/// the count.
#[utoipa::path(post, path = "/age-refusals", operation_id = "count_age_refusal", tag = "sign_up",
    responses((status = 204, description = "Counted in the browser's cookie")))]
pub(crate) async fn count_age_refusal(
    State(app): State<Shared>,
    context: RequestContext,
) -> impl IntoResponse {
    tracing::info!(target: "security", event = "underage_refused");
    (
        StatusCode::NO_CONTENT,
        Attempts::of(&app, &context).plus_one(&app),
    )
}

fn read(app: &App, signed: &str) -> Option<Attempts> {
    let (text, tag) = signed.rsplit_once('.')?;
    let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
    mac(app, text).verify_slice(&tag).ok()?;
    let (count, until) = text.split_once('.')?;
    Some(Attempts {
        count: count.parse().ok()?,
        until: until.parse().ok()?,
    })
}

fn mac(app: &App, text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&app.signing_key).expect("any length will do");
    mac.update(b"attempts\0");
    mac.update(text.as_bytes());
    mac
}
