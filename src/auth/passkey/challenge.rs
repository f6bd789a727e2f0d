//! The state of a passkey ceremony. The browser stores it, signed, so that requested options need no row; the use of a
//! challenge adds a row until the challenge expires, so that it works once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::app::App;
use crate::db::Tx;
use crate::error::{ApiError, ErrorCode};
use crate::store::credentials;

/// The purpose of a ceremony. A response to a challenge of another purpose is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ceremony {
    SignIn,
    Add,
    Reauthenticate,
}

/// The values that a challenge is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChallengeBinding {
    pub ceremony: Ceremony,
    /// None: a sign-in, whose account is not known yet.
    pub account: Option<Uuid>,
    pub rp_id: String,
}

#[derive(Serialize, Deserialize)]
struct SealedState<State> {
    binding: ChallengeBinding,
    /// Milliseconds since 1970 UTC.
    expires_at: i64,
    state: State,
}

/// The state as text for the browser.
pub(crate) fn seal(app: &App, binding: ChallengeBinding, state: &impl Serialize) -> String {
    let lifetime = app.config.lifetimes.webauthn_challenge.millis();
    let sealed = SealedState {
        binding,
        expires_at: app.clock.millis().saturating_add(lifetime),
        state,
    };
    let json = serde_json::to_vec(&sealed).expect("plain data");
    let signature = mac(app, &json).finalize().into_bytes();
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    format!("{}.{}", encode(&json), encode(&signature))
}

/// Reads the state and redeems it, in the transaction of the attempt. A state that was used, has expired, or has
/// another binding returns `invalid_challenge`. The caller commits, also if the attempt fails.
pub(crate) async fn open<State: DeserializeOwned>(
    app: &App,
    tx: &mut Tx,
    text: &str,
    binding: &ChallengeBinding,
) -> Result<State, ApiError> {
    let now = app.clock.millis();
    let sealed = verify_signature::<State>(app, text)
        .filter(|sealed| sealed.expires_at > now && sealed.binding == *binding)
        .ok_or(ErrorCode::InvalidChallenge)?;
    let hash = Sha256::digest(text.as_bytes()).into();
    match credentials::consume_challenge(tx, &hash, sealed.expires_at).await? {
        true => Ok(sealed.state),
        false => Err(ErrorCode::InvalidChallenge.into()),
    }
}

fn verify_signature<State: DeserializeOwned>(app: &App, text: &str) -> Option<SealedState<State>> {
    let (json, signature) = text.split_once('.')?;
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let (json, signature) = (decode(json)?, decode(signature)?);
    // Compares in constant time.
    mac(app, &json).verify_slice(&signature).ok()?;
    serde_json::from_slice(&json).ok()
}

fn mac(app: &App, json: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&app.passkey_key).expect("any length will do");
    mac.update(b"challenge");
    mac.update(json);
    mac
}
