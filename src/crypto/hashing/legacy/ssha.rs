//! The format `{SSHA}` of LDAP directories (OpenLDAP), which is the base64 of a digest and the salt. The digest is the
//! SHA-1 of password and salt.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::GeneralPurpose;
use sha1::{Digest, Sha1};
use subtle::ConstantTimeEq;

use super::phc::LENIENT_BASE64;
use super::{HashRefused, HashResult};

const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT_BASE64);
const DIGEST_BYTES: usize = 20;
/// The permitted lengths of a salt in bytes. Directories write 4 to 16 bytes.
const SALT_BYTES: std::ops::RangeInclusive<usize> = 1..=64;

pub(super) fn parse(rest: &str) -> HashResult {
    let bytes = BASE64.decode(rest).map_err(|_| HashRefused::Malformed)?;
    let (expected, salt) = bytes
        .split_first_chunk::<DIGEST_BYTES>()
        .ok_or(HashRefused::Malformed)?;
    if !SALT_BYTES.contains(&salt.len()) {
        return Err(HashRefused::Malformed);
    }
    let (expected, salt) = (*expected, salt.to_vec());
    Ok(Box::new(move |password| {
        let digest = Sha1::new()
            .chain_update(password)
            .chain_update(&salt)
            .finalize();
        digest.ct_eq(&expected).into()
    }))
}
