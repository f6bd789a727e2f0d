//! The format `$2b$12$` and 53 characters: 22 characters of salt, and 31 of digest. Some systems hash the password
//! first, because bcrypt reads only 72 bytes: WordPress since 6.8 (`$wp$2y$`, wp-includes/pluggable.php) and Django
//! (`bcrypt_sha256$$2b$`, with an older library `$2a$`, django/contrib/auth/hashers.py).

use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha384};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::phc::{self, LENIENT_BASE64};
use super::{HashRefused, HashResult, cost, has_nul};
use crate::domain::secret::hexadecimal;

/// The base64 alphabet of bcrypt. All implementations ignore the low bits of the last character, because some systems
/// left garbage in these bits.
const BASE64: GeneralPurpose = GeneralPurpose::new(&BCRYPT, LENIENT_BASE64);

/// The number of password bytes that bcrypt reads, including the closing NUL if there is room.
const MAX_KEY_BYTES: usize = 72;

/// The hash that a system computes from the password before bcrypt.
pub(super) enum Prehash {
    None,
    /// WordPress encodes an HMAC-SHA384 with the key `wp-sha384` as base64.
    WordPress,
    /// Django writes the SHA-256 digest in hexadecimal digits.
    Django,
}

pub(super) fn parse(prehash: Prehash, rest: &str) -> HashResult {
    let (log_rounds, body) = rest.split_once('$').ok_or(HashRefused::Malformed)?;
    if log_rounds.len() != 2 || body.len() != 53 || !body.is_ascii() {
        return Err(HashRefused::Malformed);
    }
    let cost = cost::check_bcrypt(phc::parse_decimal(log_rounds)?)?;
    let (salt, digest) = body.split_at(22);
    let (salt, expected) = (decode(salt)?, decode::<23>(digest)?);
    // Compares only the first 72 bytes of the password, as the legacy system did.
    let matches_key = move |password: &[u8]| -> bool {
        let mut key = Zeroizing::new([0; MAX_KEY_BYTES]);
        let used_bytes = password.len().min(MAX_KEY_BYTES);
        key[..used_bytes].copy_from_slice(&password[..used_bytes]);
        let key = &key[..(used_bytes + 1).min(MAX_KEY_BYTES)];
        bcrypt::bcrypt(cost, salt, key)[..expected.len()]
            .ct_eq(&expected)
            .into()
    };
    Ok(Box::new(move |password| match prehash {
        Prehash::WordPress => {
            let mut mac = Hmac::<Sha384>::new_from_slice(b"wp-sha384")
                .expect("HMAC takes a key of any length");
            mac.update(password);
            let digest = Zeroizing::new(STANDARD.encode(mac.finalize().into_bytes()));
            matches_key(digest.as_bytes())
        }
        Prehash::Django => {
            let digits = Zeroizing::new(hexadecimal(&Sha256::digest(password)));
            matches_key(digits.as_bytes())
        }
        Prehash::None => !has_nul(password) && matches_key(password),
    }))
}

fn decode<const N: usize>(text: &str) -> HashResult<[u8; N]> {
    let bytes = BASE64.decode(text).map_err(|_| HashRefused::Malformed)?;
    bytes.try_into().map_err(|_| HashRefused::Malformed)
}
