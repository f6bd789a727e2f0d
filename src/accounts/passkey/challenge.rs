//! The state of a passkey ceremony. The browser stores the signed state, so an unfinished ceremony needs no row in the
//! database. A redeemed challenge has a row until it expires, so that it works only once.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::config::RelyingParty;
use crate::crypto::signed_text::SignedText;
use crate::store::credentials;

/// The purpose of a ceremony. A response to a challenge with another purpose is refused.
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
    ceremony: Ceremony,
    /// The account, or `None` for a sign-in, whose account is not known yet.
    pub account: Option<Uuid>,
    rp_id: String,
}

impl ChallengeBinding {
    pub(crate) fn new(ceremony: Ceremony, account: Option<Uuid>, party: &RelyingParty) -> Self {
        ChallengeBinding {
            ceremony,
            account,
            rp_id: party.id.clone(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct SignedState<State> {
    binding: ChallengeBinding,
    /// The expiry of the challenge, in milliseconds since 1970 UTC.
    expires_at: i64,
    state: State,
}

/// Signs the state with its expiry, as text that the browser sends back with the passkey's response.
pub(crate) fn sign(app: &App, binding: ChallengeBinding, state: &impl Serialize) -> String {
    let lifetime = app.config.lifetimes.webauthn_challenge.millis();
    let signed = SignedState {
        binding,
        expires_at: app.clock.millis().saturating_add(lifetime),
        state,
    };
    SignedText::PasskeyChallenge.sign(&app.signed_text_keys, &signed)
}

/// Reads the signed state and redeems its challenge, in the caller's transaction. Returns `invalid_challenge` if the
/// challenge was used, has expired, or was issued for another ceremony, account or relying party. The caller commits
/// even if the passkey's response is wrong.
pub(crate) async fn open<State: DeserializeOwned>(
    change: &mut Change<'_>,
    text: &str,
    binding: &ChallengeBinding,
) -> ApiResult<State> {
    let now = change.now;
    let signed = SignedText::PasskeyChallenge
        .open::<SignedState<State>>(&change.app.signed_text_keys, text)
        .filter(|signed| signed.expires_at > now && signed.binding == *binding)
        .ok_or(ErrorCode::InvalidChallenge)?;
    let hash = Sha256::digest(text.as_bytes()).into();
    match credentials::redeem_challenge(change, &hash, signed.expires_at).await? {
        true => Ok(signed.state),
        false => Err(ErrorCode::InvalidChallenge.into()),
    }
}
