//! The checks of the provider's tokens. The signature is checked by the same code that checks a hint, with a key of the
//! key set that the provider publishes.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::config::SigningAlgorithm;
use crate::signing::{PublicKey, UnverifiedToken};

/// The event in a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
const LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// The values that a token must contain.
pub(super) struct ExpectedClaims<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    /// Seconds since 1970 UTC.
    pub now: i64,
}

/// The claims of an ID token that has been checked.
#[derive(Debug, Deserialize)]
pub(super) struct IdToken {
    iss: String,
    aud: String,
    pub sub: String,
    pub sid: String,
    nonce: Option<String>,
    exp: i64,
}

#[derive(Deserialize)]
struct LogoutToken {
    iss: String,
    aud: String,
    sid: String,
    nonce: Option<Value>,
    exp: i64,
    events: Map<String, Value>,
}

/// The claims of an ID token (OpenID Connect Core 1.0 section 3.1.3.7). None for a token that fails a check.
pub(super) fn verify_id_token(
    keys: &Value,
    token: &str,
    nonce: &str,
    expected: &ExpectedClaims<'_>,
) -> Option<IdToken> {
    let claims: IdToken = verify(keys, token, "JWT")?;
    let is_for_us = claims.iss == expected.issuer && claims.aud == expected.client_id;
    let is_fresh = claims.exp > expected.now && claims.nonce.as_deref() == Some(nonce);
    (is_for_us && is_fresh).then_some(claims)
}

/// Returns the session that a logout token ends (OpenID Connect Back-Channel Logout 1.0 section 2.6). None for a token
/// that fails a check.
pub(super) fn verify_logout_token(
    keys: &Value,
    token: &str,
    expected: &ExpectedClaims<'_>,
) -> Option<String> {
    let claims: LogoutToken = verify(keys, token, "logout+jwt")?;
    let is_for_us = claims.iss == expected.issuer && claims.aud == expected.client_id;
    let is_logout = claims.events.contains_key(LOGOUT_EVENT) && claims.nonce.is_none();
    (is_for_us && is_logout && claims.exp > expected.now).then_some(claims.sid)
}

/// The claims of a token of this type that a key of the set signed with RS256, the algorithm of the client.
fn verify<Claims: DeserializeOwned>(keys: &Value, token: &str, kind: &str) -> Option<Claims> {
    let token = UnverifiedToken::parse(token).filter(|token| token.kind == kind)?;
    let mut keys = keys["keys"].as_array()?.iter();
    let key = keys.find(|key| key["kid"] == token.kid.as_str())?;
    let key = PublicKey::parse(&key.to_string())?;
    match key.algorithm() {
        SigningAlgorithm::RS256 => token.verify(&key),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use serde_json::json;

    use super::*;
    use crate::rng::Rng;
    use crate::signing::{NewKey, Signer, sign_token};

    const NOW: i64 = 1_800_000_000;
    const EXPECTED: ExpectedClaims<'_> = ExpectedClaims {
        issuer: "https://www.example.org/account",
        client_id: "sample-app",
        now: NOW,
    };

    static KEY: LazyLock<NewKey> =
        LazyLock::new(|| NewKey::generate(SigningAlgorithm::RS256, &Rng::System));

    fn key_set(key: &NewKey) -> Value {
        json!({"keys": [key.public_key.jwk()]})
    }

    fn signed(key: &NewKey, kind: &str, claims: &Value) -> String {
        let signer = Signer::parse(key.public_key.algorithm(), &key.private_key).unwrap();
        sign_token(&signer, &key.public_key.kid(), kind, claims)
    }

    fn id_claims() -> Value {
        json!({
            "iss": EXPECTED.issuer, "aud": EXPECTED.client_id, "sub": "person", "sid": "session",
            "nonce": "nonce", "exp": NOW + 1,
        })
    }

    fn logout_claims() -> Value {
        json!({
            "iss": EXPECTED.issuer, "aud": EXPECTED.client_id, "sid": "session", "exp": NOW + 1,
            "events": {LOGOUT_EVENT: {}},
        })
    }

    /// The claims with one of them changed; null removes it.
    fn with_claim(mut claims: Value, name: &str, value: Value) -> Value {
        claims.as_object_mut().unwrap().remove(name);
        if !value.is_null() {
            claims[name] = value;
        }
        claims
    }

    #[test]
    fn an_id_token_is_accepted_with_the_right_claims_alone() {
        let accepts = |claims: &Value| {
            let token = signed(&KEY, "JWT", claims);
            verify_id_token(&key_set(&KEY), &token, "nonce", &EXPECTED)
        };
        let claims = accepts(&id_claims()).unwrap();
        assert_eq!(
            (claims.sub.as_str(), claims.sid.as_str()),
            ("person", "session")
        );
        for (name, value) in [
            ("iss", json!("https://www.example.org")),
            ("aud", json!("another")),
            ("nonce", json!("another")),
            ("nonce", Value::Null),
            ("exp", json!(NOW)),
            ("sub", Value::Null),
        ] {
            let wrong = with_claim(id_claims(), name, value);
            assert!(accepts(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_logout_token_is_accepted_with_the_right_claims_alone() {
        let accepts = |claims: &Value| {
            let token = signed(&KEY, "logout+jwt", claims);
            verify_logout_token(&key_set(&KEY), &token, &EXPECTED)
        };
        assert_eq!(accepts(&logout_claims()).as_deref(), Some("session"));
        for (name, value) in [
            ("iss", json!("https://www.example.org")),
            ("aud", json!("another")),
            ("nonce", json!("nonce")),
            ("exp", json!(NOW)),
            ("events", json!({})),
            ("sid", Value::Null),
        ] {
            let wrong = with_claim(logout_claims(), name, value);
            assert!(accepts(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn the_key_the_algorithm_and_the_type_must_be_right() {
        let keys = key_set(&KEY);
        let stranger = NewKey::generate(SigningAlgorithm::ES256, &Rng::System);
        let wrong = [
            (&keys, signed(&stranger, "JWT", &id_claims())),
            // A key that the provider publishes for other clients.
            (&key_set(&stranger), signed(&stranger, "JWT", &id_claims())),
            (&keys, signed(&KEY, "logout+jwt", &id_claims())),
            (&json!({}), signed(&KEY, "JWT", &id_claims())),
            (&keys, "no token".to_owned()),
        ];
        for (keys, token) in wrong {
            assert!(
                verify_id_token(keys, &token, "nonce", &EXPECTED).is_none(),
                "{token}"
            );
        }
        let id_token = signed(&KEY, "JWT", &logout_claims());
        assert!(verify_logout_token(&keys, &id_token, &EXPECTED).is_none());
    }
}
