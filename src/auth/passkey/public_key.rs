//! The public key of a passkey: parsed from COSE format (RFC 9052 section 7, RFC 8230, RFC 9053), and used to verify.

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::{Deserialize, Serialize};
use serde_cbor_2::Value;

use super::{Bytes, Rejection};

const KEY_TYPE: i128 = 1;
const ALGORITHM: i128 = 3;
/// The curve, or the modulus of RSA.
const CURVE: i128 = -1;
/// The first coordinate, or the exponent of RSA.
const X: i128 = -2;
const Y: i128 = -3;

/// The length in bytes of a coordinate of P-256, and of a key of Ed25519.
const COORDINATE_LEN: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PublicKey {
    Ed25519 {
        key: Bytes,
    },
    /// ES256: the uncompressed point.
    P256 {
        point: Bytes,
    },
    Rsa {
        modulus: Bytes,
        exponent: Bytes,
    },
}

impl PublicKey {
    /// The algorithms as COSE numbers them, in the order of preference: EdDSA, ES256, RS256.
    pub(super) const ALGORITHMS: [i64; 3] = [-8, -7, -257];

    pub(super) fn parse(key: &Value) -> Result<PublicKey, Rejection> {
        let unsupported = Rejection::Mismatch("an algorithm that was not requested");
        match (integer(key, KEY_TYPE), integer(key, ALGORITHM)) {
            (Some(1), Some(-8)) if integer(key, CURVE) == Some(6) => Ok(PublicKey::Ed25519 {
                key: Bytes(coordinate(key, X)?),
            }),
            (Some(2), Some(-7)) if integer(key, CURVE) == Some(1) => {
                let point = [vec![4], coordinate(key, X)?, coordinate(key, Y)?].concat();
                Ok(PublicKey::P256 {
                    point: Bytes(point),
                })
            }
            (Some(3), Some(-257)) => Ok(PublicKey::Rsa {
                modulus: Bytes(bytes(key, CURVE)?),
                exponent: Bytes(bytes(key, X)?),
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

fn member(key: &Value, label: i128) -> Option<&Value> {
    match key {
        Value::Map(members) => members.get(&Value::Integer(label)),
        _ => None,
    }
}

fn integer(key: &Value, label: i128) -> Option<i128> {
    match member(key, label) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    }
}

fn bytes(key: &Value, label: i128) -> Result<Vec<u8>, Rejection> {
    match member(key, label) {
        Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
        _ => Err(Rejection::Malformed),
    }
}

fn coordinate(key: &Value, label: i128) -> Result<Vec<u8>, Rejection> {
    let found = bytes(key, label)?;
    match found.len() == COORDINATE_LEN {
        true => Ok(found),
        false => Err(Rejection::Malformed),
    }
}
