//! `$2b$12$` and 53 characters: 22 of salt, 31 of digest.

use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::GeneralPurpose;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::phc::{self, LENIENT};
use super::{HashRefused, cost};

/// Lenient about the low bits of the last character: some writers left dirt there, and every
/// implementation ignores it.
const BASE64: GeneralPurpose = GeneralPurpose::new(&BCRYPT, LENIENT);

/// What bcrypt reads of a password, in bytes, the closing NUL included where there is room.
const KEY_LENGTH: usize = 72;

pub(super) struct BcryptHash {
    cost: u32,
    salt: [u8; 16],
    expected: [u8; 23],
}

impl BcryptHash {
    pub(super) fn parse(rest: &str) -> Result<BcryptHash, HashRefused> {
        let (log_rounds, body) = rest.split_once('$').ok_or(HashRefused::Malformed)?;
        if log_rounds.len() != 2 || body.len() != 53 || !body.is_ascii() {
            return Err(HashRefused::Malformed);
        }
        let cost = cost::bcrypt(phc::decimal(log_rounds)?)?;
        let (salt, digest) = body.split_at(22);
        Ok(BcryptHash {
            cost,
            salt: decode(salt)?,
            expected: decode(digest)?,
        })
    }

    /// `password` holds no NUL. What goes beyond 72 bytes never counted for the old system.
    pub(super) fn matches(&self, password: &[u8]) -> bool {
        let mut key = Zeroizing::new([0; KEY_LENGTH]);
        let used = password.len().min(KEY_LENGTH);
        key[..used].copy_from_slice(&password[..used]);
        let key = &key[..(used + 1).min(KEY_LENGTH)];
        bcrypt::bcrypt(self.cost, self.salt, key)[..self.expected.len()]
            .ct_eq(&self.expected)
            .into()
    }
}

fn decode<const N: usize>(text: &str) -> Result<[u8; N], HashRefused> {
    let bytes = BASE64.decode(text).map_err(|_| HashRefused::Malformed)?;
    bytes.try_into().map_err(|_| HashRefused::Malformed)
}
