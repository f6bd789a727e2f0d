//! JSON Web Signatures (RFC 7515) with the keys of the OpenID Connect provider.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

mod jwk;
mod signer;

pub(crate) use jwk::PublicKey;
pub(crate) use signer::{NewKey, Signer};

pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns a signed token in the compact serialization of RFC 7515, with the key id `kid` and the type `kind`.
pub(crate) fn sign_token(signer: &Signer, kid: &str, kind: &str, claims: &Value) -> String {
    let header = json!({"alg": signer.algorithm().as_str(), "typ": kind, "kid": kid});
    let part = |value: &Value| base64url(value.to_string().as_bytes());
    let text = format!("{}.{}", part(&header), part(claims));
    let signature = base64url(&signer.sign(text.as_bytes()));
    format!("{text}.{signature}")
}

/// A token whose signature has not been checked.
pub(crate) struct UnverifiedToken<'a> {
    /// The signed part of the token, which contains the header and the claims.
    text: &'a str,
    signature: Vec<u8>,
    claims: Vec<u8>,
    pub kid: String,
    /// The type of the token, which distinguishes ID tokens from logout tokens, because the same keys sign both.
    pub kind: String,
    algorithm: String,
}

impl<'a> UnverifiedToken<'a> {
    /// Parses a token without checking its signature. Returns `None` if the text is not a token with a key id and a
    /// type, or if the token has extensions that a verifier must understand (`crit`).
    pub(crate) fn parse(token: &'a str) -> Option<UnverifiedToken<'a>> {
        let (text, signature) = token.rsplit_once('.')?;
        let (header, claims) = text.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let header: Value = serde_json::from_slice(&decode(header)?).ok()?;
        if header.get("crit").is_some() {
            return None;
        }
        Some(UnverifiedToken {
            text,
            signature: decode(signature)?,
            claims: decode(claims)?,
            kid: header["kid"].as_str()?.to_owned(),
            kind: header["typ"].as_str()?.to_owned(),
            algorithm: header["alg"].as_str()?.to_owned(),
        })
    }

    /// Returns the claims if this key has signed the token. The header of the token must name the algorithm of the key.
    pub(crate) fn verify<Claims: DeserializeOwned>(&self, key: &PublicKey) -> Option<Claims> {
        let is_signed = self.algorithm == key.algorithm().as_str()
            && key.verify(self.text.as_bytes(), &self.signature);
        if !is_signed {
            return None;
        }
        serde_json::from_slice(&self.claims).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SigningAlgorithm;
    use crate::rng::Rng;

    // security: OP-5
    #[test]
    fn a_token_is_verified_by_its_own_key_and_algorithm_alone() {
        for &algorithm in SigningAlgorithm::ALL {
            let new = NewKey::generate(algorithm, &Rng::System);
            let signer = Signer::parse(algorithm, &new.private_key).unwrap();
            let kid = new.public_key.kid();
            let token = sign_token(&signer, &kid, "JWT", &json!({"sub": "a"}));
            let key = PublicKey::parse(&new.public_key.to_text()).unwrap();
            let verified =
                |token: &str| -> Option<Value> { UnverifiedToken::parse(token)?.verify(&key) };
            assert_eq!(verified(&token), Some(json!({"sub": "a"})), "{algorithm:?}");
            let parts: Vec<_> = token.split('.').collect();
            let header = |alg: &str| {
                base64url(
                    json!({"alg": alg, "typ": "JWT", "kid": kid})
                        .to_string()
                        .as_bytes(),
                )
            };
            let other = base64url(br#"{"sub":"b"}"#);
            for wrong in [
                format!("{}.{}.", header("none"), parts[1]),
                format!("{}.{}.{}", header("none"), parts[1], parts[2]),
                format!("{}.{}.{}", header("HS256"), parts[1], parts[2]),
                format!("{}.{other}.{}", parts[0], parts[2]),
                format!("{}.{}.{}", parts[0], parts[1], base64url(b"signature")),
                format!("{}.{}", parts[0], parts[1]),
                String::new(),
            ] {
                assert_eq!(verified(&wrong), None, "{wrong}");
            }
            let stranger = NewKey::generate(algorithm, &Rng::System);
            let stranger = Signer::parse(algorithm, &stranger.private_key).unwrap();
            let forged = sign_token(&stranger, &kid, "JWT", &json!({"sub": "a"}));
            assert_eq!(verified(&forged), None);
        }
    }
}
