//! Public keys that verify signatures, as JSON Web Keys (RFC 7517, RFC 7518 section 6, RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256};
use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::base64url;
use crate::config::SigningAlgorithm;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PublicKey {
    /// An RSA key, whose modulus and exponent are big endian.
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// A point on the curve P-256 in the uncompressed format of X9.62.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl PublicKey {
    pub(crate) fn algorithm(&self) -> SigningAlgorithm {
        match self {
            PublicKey::Rsa { .. } => SigningAlgorithm::RS256,
            PublicKey::P256(_) => SigningAlgorithm::ES256,
            PublicKey::Ed25519(_) => SigningAlgorithm::EdDSA,
        }
    }

    /// Returns the members of a JWK that define the key (RFC 7638 section 3.2), ordered by their names.
    fn required_members(&self) -> Value {
        match self {
            PublicKey::Rsa { n, e } => json!({"e": base64url(e), "kty": "RSA", "n": base64url(n)}),
            PublicKey::P256(point) => {
                let (x, y) = point[1..].split_at(32);
                json!({"crv": "P-256", "kty": "EC", "x": base64url(x), "y": base64url(y)})
            }
            PublicKey::Ed25519(x) => json!({"crv": "Ed25519", "kty": "OKP", "x": base64url(x)}),
        }
    }

    /// Returns the key id, which is the thumbprint of the key (RFC 7638).
    pub(crate) fn kid(&self) -> String {
        // RFC 7638 requires ordered members, and serde_json writes the members of a map ordered by name.
        base64url(&Sha256::digest(self.required_members().to_string()))
    }

    /// Returns the entry of the key in a JWK set.
    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = self.required_members();
        jwk["alg"] = json!(self.algorithm().as_str());
        jwk["kid"] = json!(self.kid());
        jwk["use"] = json!("sig");
        jwk
    }

    pub(crate) fn to_text(&self) -> String {
        self.jwk().to_string()
    }

    /// Parses a public key in the format of `to_text`.
    pub(crate) fn parse(text: &str) -> Option<PublicKey> {
        let jwk: Value = serde_json::from_str(text).ok()?;
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(jwk[name].as_str()?).ok();
        Some(match jwk["kty"].as_str()? {
            "RSA" => PublicKey::Rsa {
                n: bytes("n")?,
                e: bytes("e")?,
            },
            "EC" => PublicKey::P256([vec![4], bytes("x")?, bytes("y")?].concat()),
            "OKP" => PublicKey::Ed25519(bytes("x")?),
            _ => return None,
        })
    }

    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match self {
            PublicKey::Rsa { n, e } => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            PublicKey::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            PublicKey::Ed25519(x) => UnparsedPublicKey::new(&ED25519, x).verify(message, signature),
        };
        verified.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thumbprint_is_that_of_the_rfc() {
        // RFC 7638 section 3.1.
        let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
        let text = json!({"kty": "RSA", "n": n, "e": "AQAB"}).to_string();
        let key = PublicKey::parse(&text).unwrap();
        assert_eq!(key.kid(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    }

    #[test]
    fn a_key_survives_its_text() {
        for key in [
            PublicKey::Rsa {
                n: vec![200; 256],
                e: vec![1, 0, 1],
            },
            PublicKey::P256([vec![4], vec![7; 64]].concat()),
            PublicKey::Ed25519(vec![9; 32]),
        ] {
            assert_eq!(PublicKey::parse(&key.to_text()), Some(key));
        }
    }
}
