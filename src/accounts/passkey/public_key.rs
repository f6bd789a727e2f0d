//! Parses the public key of a passkey from COSE (RFC 9052 section 7, RFC 8230, RFC 9053), and verifies signatures.

use curve25519_dalek::edwards::CompressedEdwardsY;
use ring::agreement::{self, ECDH_P256, EphemeralPrivateKey};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::{Deserialize, Serialize};
use serde_cbor_2::Value;

use crate::accounts::passkey::{Base64UrlBytes, Rejection};

const KEY_TYPE_LABEL: i128 = 1;
const ALGORITHM_LABEL: i128 = 3;
/// The COSE label of the curve, or of the modulus in an RSA key.
const CURVE_LABEL: i128 = -1;
/// The COSE label of the x-coordinate, or of the exponent in an RSA key.
const X_LABEL: i128 = -2;
const Y_LABEL: i128 = -3;

/// The length in bytes of a P-256 coordinate, and of an Ed25519 key.
const COORDINATE_BYTES: usize = 32;

/// The lengths in bytes of an RSA modulus whose signatures ring verifies: 2048 to 8192 bits.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;
/// The largest RSA exponent that ring accepts. A larger exponent would make each verification slow.
const MAX_EXPONENT: u64 = (1 << 33) - 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PublicKey {
    Ed25519 {
        key: Base64UrlBytes,
    },
    /// An ES256 key as the uncompressed point.
    P256 {
        point: Base64UrlBytes,
    },
    Rsa {
        modulus: Base64UrlBytes,
        exponent: Base64UrlBytes,
    },
}

impl PublicKey {
    /// The COSE algorithm numbers, in the order of preference: EdDSA, ES256, RS256.
    pub(super) const ALGORITHMS: [i64; 3] = [-8, -7, -257];

    /// Parses a public key. Rejects keys that verify no signature, or the same signature for many messages.
    pub(super) fn parse(key: &Value) -> Result<PublicKey, Rejection> {
        let parsed = PublicKey::parse_members(key)?;
        let is_valid = match &parsed {
            PublicKey::Ed25519 { key } => is_ed25519_point(&key.0),
            PublicKey::P256 { point } => is_p256_point(&point.0),
            PublicKey::Rsa { modulus, exponent } => is_rsa_key(&modulus.0, &exponent.0),
        };
        let invalid = Rejection::Mismatch("an invalid public key");
        is_valid.then_some(parsed).ok_or(invalid)
    }

    fn parse_members(key: &Value) -> Result<PublicKey, Rejection> {
        let unsupported = Rejection::Mismatch("an algorithm that was not requested");
        match (int_at(key, KEY_TYPE_LABEL), int_at(key, ALGORITHM_LABEL)) {
            (Some(1), Some(-8)) if int_at(key, CURVE_LABEL) == Some(6) => Ok(PublicKey::Ed25519 {
                key: Base64UrlBytes(coordinate_at(key, X_LABEL)?),
            }),
            (Some(2), Some(-7)) if int_at(key, CURVE_LABEL) == Some(1) => {
                let point = [
                    vec![4],
                    coordinate_at(key, X_LABEL)?,
                    coordinate_at(key, Y_LABEL)?,
                ]
                .concat();
                Ok(PublicKey::P256 {
                    point: Base64UrlBytes(point),
                })
            }
            (Some(3), Some(-257)) => Ok(PublicKey::Rsa {
                modulus: Base64UrlBytes(bytes_at(key, CURVE_LABEL)?),
                exponent: Base64UrlBytes(bytes_at(key, X_LABEL)?),
            }),
            _ => Err(unsupported),
        }
    }

    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Rejection> {
        let verified = match self {
            PublicKey::Ed25519 { key } => {
                UnparsedPublicKey::new(&ED25519, &key.0).verify(message, signature)
            }
            PublicKey::P256 { point } => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &point.0).verify(message, signature)
            }
            PublicKey::Rsa { modulus, exponent } => {
                let (n, e) = (&modulus.0, &exponent.0);
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.map_err(|_| Rejection::Mismatch("another signature"))
    }
}

/// Returns whether the bytes are the canonical encoding of a point on the curve (RFC 8032 section 5.1.3) whose order is
/// not small. For a point of small order one signature matches many messages.
fn is_ed25519_point(bytes: &[u8]) -> bool {
    let encoded = CompressedEdwardsY::from_slice(bytes).ok();
    let point = encoded.and_then(|encoded| Some((encoded, encoded.decompress()?)));
    point.is_some_and(|(encoded, point)| point.compress() == encoded && !point.is_small_order())
}

/// Returns whether the uncompressed point is on the curve. The crate `ring` checks points only in a key agreement.
fn is_p256_point(point: &[u8]) -> bool {
    let peer = agreement::UnparsedPublicKey::new(&ECDH_P256, point);
    EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())
        .and_then(|own| agreement::agree_ephemeral(own, &peer, |_| ()))
        .is_ok()
}

/// Returns whether modulus and exponent are odd, have no leading zeros (RFC 8230 section 4) and are valid for ring.
fn is_rsa_key(modulus: &[u8], exponent: &[u8]) -> bool {
    let is_odd = |number: &[u8]| {
        number.first().is_some_and(|first| *first != 0)
            && number.last().is_some_and(|last| last & 1 == 1)
    };
    let has_2048_bits = modulus.len() > *MODULUS_BYTES.start() || modulus.first() >= Some(&0x80);
    let value = exponent.iter().try_fold(0_u64, |value, byte| {
        Some(value.checked_mul(256)? + u64::from(*byte))
    });
    is_odd(modulus)
        && is_odd(exponent)
        && MODULUS_BYTES.contains(&modulus.len())
        && has_2048_bits
        && value.is_some_and(|value| (3..=MAX_EXPONENT).contains(&value))
}

fn find_member(key: &Value, label: i128) -> Option<&Value> {
    match key {
        Value::Map(members) => members.get(&Value::Integer(label)),
        _ => None,
    }
}

fn int_at(key: &Value, label: i128) -> Option<i128> {
    match find_member(key, label) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    }
}

fn bytes_at(key: &Value, label: i128) -> Result<Vec<u8>, Rejection> {
    match find_member(key, label) {
        Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
        _ => Err(Rejection::Malformed),
    }
}

fn coordinate_at(key: &Value, label: i128) -> Result<Vec<u8>, Rejection> {
    let found = bytes_at(key, label)?;
    match found.len() == COORDINATE_BYTES {
        true => Ok(found),
        false => Err(Rejection::Malformed),
    }
}
