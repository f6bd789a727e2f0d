//! Parses the strict CBOR of authenticators (CTAP 2.1 section 8): definite lengths, unique keys, no trailing bytes.

use serde::Deserialize;
use serde_cbor_2::Value;
use serde_cbor_2::de::{Deserializer, SliceRead};

use crate::accounts::passkey::Rejection;

/// Returns the authenticator data of an attestation object, whose format and attestation statement are ignored.
pub(super) fn authenticator_data_of(object: &[u8]) -> Result<Vec<u8>, Rejection> {
    let (value, length) = parse_strict(object)?;
    let Value::Map(mut members) = value else {
        return Err(Rejection::Malformed);
    };
    let mut member = |name: &str| members.remove(&Value::Text(name.to_owned()));
    match (member("fmt"), member("attStmt"), member("authData")) {
        (Some(Value::Text(_)), Some(Value::Map(_) | Value::Array(_)), Some(Value::Bytes(data)))
            if length == object.len() =>
        {
            Ok(data)
        }
        _ => Err(Rejection::Malformed),
    }
}

/// Returns the first CBOR value of the bytes, and its length in bytes. Rejects a value whose canonical encoding has
/// another length, because a length was indefinite, an integer was not the shortest, or a map key was repeated.
pub(super) fn parse_strict(bytes: &[u8]) -> Result<(Value, usize), Rejection> {
    let mut parser = Deserializer::new(SliceRead::new(bytes));
    let value = Value::deserialize(&mut parser).map_err(|_| Rejection::Malformed)?;
    let length = parser.byte_offset();
    let encoded = serde_cbor_2::to_vec(&value).map_err(|_| Rejection::Malformed)?;
    match encoded.len() == length {
        true => Ok((value, length)),
        false => Err(Rejection::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_strict_encoding_is_accepted() {
        let nested = [vec![0x81; 5000], vec![0xf6]].concat();
        for (bytes, accepted) in [
            (&[0xa1, 0x01, 0x02][..], true),
            // A map with an indefinite length.
            (&[0xbf, 0x01, 0x02, 0xff], false),
            // A map with a repeated key.
            (&[0xa2, 0x01, 0x02, 0x01, 0x03], false),
            // An integer in two bytes that fits one byte.
            (&[0xa1, 0x18, 0x01, 0x02], false),
            // A map without its last value.
            (&[0xa2, 0x01, 0x02], false),
            (&[], false),
            (&nested, false),
        ] {
            assert_eq!(parse_strict(bytes).is_ok(), accepted, "{bytes:02x?}");
        }
    }
}
