//! Creates passkey options and verifies passkeys (WebAuthn Level 3, sections 7.1 and 7.2). Attestation is neither
//! requested nor verified. docs/decisions/passkeys.md explains why this code uses no WebAuthn library.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::client::Client;
use crate::app::App;
use crate::config::RelyingParty;
use crate::domain::auth_method::AuthMethod;
use crate::store::sessions::Session;

pub(crate) mod assertion;
mod authenticator_data;
pub(crate) mod challenge;
mod client_data;
mod encoding;
pub(crate) mod providers;
mod public_key;
pub(crate) mod sign_in;
#[cfg(test)]
mod tests;
pub(crate) mod user_handle;

use authenticator_data::AuthenticatorData;
use public_key::PublicKey;

/// WebAuthn Level 3 section 4 limits the length of a credential ID.
const MAX_CREDENTIAL_ID_BYTES: usize = 1023;

/// The reason why a credential was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Rejection {
    /// The encoding of the response violates WebAuthn or CTAP 2.
    #[error("the encoding is malformed")]
    Malformed,
    /// The signature counter did not grow, so the authenticator may have been copied.
    #[error("the signature counter did not grow")]
    CounterNotIncreased,
    #[error("{0}")]
    Mismatch(&'static str),
}

/// Bytes that are encoded in JSON as base64url without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base64UrlBytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for Base64UrlBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Base64UrlBytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = URL_SAFE_NO_PAD.decode(text);
        Ok(Base64UrlBytes(bytes.map_err(serde::de::Error::custom)?))
    }
}

impl Serialize for Base64UrlBytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        URL_SAFE_NO_PAD.encode(&self.0).serialize(serializer)
    }
}

/// The JSON format of `PublicKeyCredential` (WebAuthn Level 3 section 5.1).
#[derive(Deserialize)]
pub(crate) struct CredentialResponse<Response> {
    id: String,
    #[serde(rename = "rawId")]
    raw_id: Base64UrlBytes,
    #[serde(rename = "type")]
    kind: String,
    response: Response,
}

/// The response of `navigator.credentials.create`.
#[derive(Deserialize)]
pub(crate) struct AttestationResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64UrlBytes,
    #[serde(rename = "attestationObject")]
    attestation_object: Base64UrlBytes,
}

/// The response of `navigator.credentials.get`.
#[derive(Deserialize)]
pub(crate) struct AssertionResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64UrlBytes,
    #[serde(rename = "authenticatorData")]
    authenticator_data: Base64UrlBytes,
    signature: Base64UrlBytes,
    #[serde(rename = "userHandle")]
    user_handle: Option<Base64UrlBytes>,
}

pub(crate) type NewCredential = CredentialResponse<AttestationResponse>;
pub(crate) type Assertion = CredentialResponse<AssertionResponse>;

/// The challenge of a ceremony, which the authenticator's response must contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Challenge(Base64UrlBytes);

impl Challenge {
    fn generate(app: &App) -> Challenge {
        Challenge(Base64UrlBytes(app.rng.bytes::<32>().to_vec()))
    }
}

/// The data of a passkey, which the column `credentials.data` stores as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Passkey {
    key: PublicKey,
    /// The last signature counter, or 0 if the passkey has no counter or its synced copies have separate counters.
    counter: u32,
    /// The WebAuthn flag BE, which never changes: whether the passkey's provider may synchronise the passkey.
    backup_eligible: bool,
    /// The WebAuthn flag BS: whether the passkey's provider has synchronised the passkey.
    pub backed_up: bool,
}

impl Passkey {
    /// Returns the authentication method of a session that this passkey authenticates.
    pub(crate) fn method(&self) -> AuthMethod {
        match self.backup_eligible {
            true => AuthMethod::SyncedPasskey,
            false => AuthMethod::Passkey,
        }
    }
}

pub(crate) struct NewPasskey {
    pub passkey: Passkey,
    pub credential_id: Vec<u8>,
    pub aaguid: Uuid,
}

fn credential_descriptors(ids: &[Vec<u8>]) -> Value {
    let one = |id: &Vec<u8>| json!({"type": "public-key", "id": URL_SAFE_NO_PAD.encode(id)});
    ids.iter().map(one).collect()
}

/// Returns the options of `navigator.credentials.create`, and the challenge in the options. The authenticator stores
/// the user handle, the email address and the username of the session's account with the new passkey.
pub(crate) fn creation_options(
    app: &App,
    client: &Client,
    party: &RelyingParty,
    session: &Session,
    existing: &[Vec<u8>],
) -> (Value, Challenge) {
    let challenge = Challenge::generate(app);
    let site_name = app.brand_name(app.config.region_by_id(&client.region));
    let algorithms = PublicKey::ALGORITHMS.map(|alg| json!({"type": "public-key", "alg": alg}));
    let options = json!({
        "rp": {"id": party.id, "name": site_name},
        "user": {
            "id": URL_SAFE_NO_PAD.encode(user_handle::derive(app, session.account_id)),
            "name": session.email,
            "displayName": session.username,
        },
        "challenge": challenge,
        "pubKeyCredParams": algorithms,
        "timeout": app.config.lifetimes.webauthn_challenge.millis(),
        "excludeCredentials": credential_descriptors(existing),
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": true,
            "userVerification": "required",
        },
        "attestation": "none",
    });
    (options, challenge)
}

/// Returns the options of `navigator.credentials.get`, and the challenge in the options. If `allowed` is empty, any
/// passkey of the site is accepted.
pub(crate) fn request_options(
    app: &App,
    party: &RelyingParty,
    allowed: &[Vec<u8>],
) -> (Value, Challenge) {
    let challenge = Challenge::generate(app);
    let options = json!({
        "challenge": challenge,
        "timeout": app.config.lifetimes.webauthn_challenge.millis(),
        "rpId": party.id,
        "allowCredentials": credential_descriptors(allowed),
        "userVerification": "required",
    });
    (options, challenge)
}

impl<Response> CredentialResponse<Response> {
    pub(crate) fn raw_id(&self) -> &[u8] {
        &self.raw_id.0
    }

    fn check_id(&self) -> Result<(), Rejection> {
        let id = self.raw_id();
        let is_valid = self.kind == "public-key"
            && (1..=MAX_CREDENTIAL_ID_BYTES).contains(&id.len())
            && URL_SAFE_NO_PAD.encode(id) == self.id;
        is_valid.then_some(()).ok_or(Rejection::Malformed)
    }
}

impl NewCredential {
    /// Verifies a new credential (WebAuthn Level 3 section 7.1).
    pub(crate) fn verify(
        &self,
        party: &RelyingParty,
        challenge: &Challenge,
    ) -> Result<NewPasskey, Rejection> {
        self.check_id()?;
        let response = &self.response;
        client_data::check(&response.client_data.0, "webauthn.create", challenge, party)?;
        let data = encoding::authenticator_data_of(&response.attestation_object.0)?;
        let data = AuthenticatorData::parse(&data)?;
        data.check(party)?;
        let new = data.credential.ok_or(Rejection::Malformed)?;
        if new.id != self.raw_id() {
            return Err(Rejection::Mismatch("another credential ID"));
        }
        Ok(NewPasskey {
            passkey: Passkey {
                key: PublicKey::parse(&new.key)?,
                counter: relevant_counter(data.counter, data.backup_eligible),
                backup_eligible: data.backup_eligible,
                backed_up: data.backed_up,
            },
            credential_id: new.id.to_vec(),
            aaguid: new.aaguid,
        })
    }
}

impl Assertion {
    pub(crate) fn user_handle(&self) -> Option<&[u8]> {
        self.response.user_handle.as_ref().map(|handle| &*handle.0)
    }

    /// Verifies an assertion (WebAuthn Level 3 section 7.2). Returns the passkey with its new counter and backup state.
    pub(crate) fn verify(
        &self,
        party: &RelyingParty,
        challenge: &Challenge,
        stored: &Passkey,
    ) -> Result<Passkey, Rejection> {
        self.check_id()?;
        let response = &self.response;
        let (client, bytes) = (&response.client_data.0, &response.authenticator_data.0);
        client_data::check(client, "webauthn.get", challenge, party)?;
        let data = AuthenticatorData::parse(bytes)?;
        data.check(party)?;
        if data.backup_eligible != stored.backup_eligible {
            return Err(Rejection::Mismatch("another backup eligibility"));
        }
        let signed = [bytes.as_slice(), digest(&SHA256, client).as_ref()].concat();
        stored.key.verify(&signed, &response.signature.0)?;
        let counter = relevant_counter(data.counter, data.backup_eligible);
        if (counter > 0 || stored.counter > 0) && counter <= stored.counter {
            return Err(Rejection::CounterNotIncreased);
        }
        Ok(Passkey {
            counter,
            backed_up: data.backed_up,
            ..stored.clone()
        })
    }
}

/// Returns 0 for a passkey that can be synchronised, because each of its copies has its own counter.
fn relevant_counter(counter: u32, backup_eligible: bool) -> u32 {
    if backup_eligible { 0 } else { counter }
}
