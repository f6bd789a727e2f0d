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

use crate::crypto::hashing::legacy::phc::{self, LENIENT_BASE64};
use crate::crypto::hashing::legacy::{HashRefused, Scheme, cost};

/// The base64 alphabet of bcrypt. All implementations ignore the low bits of the last character, because some systems
/// left garbage in these bits.
const BASE64: GeneralPurpose = GeneralPurpose::new(&BCRYPT, LENIENT_BASE64);

/// The number of password bytes that bcrypt reads, including the closing NUL if there is room.
const MAX_KEY_BYTES: usize = 72;

/// The hash function that a system applies to the password before bcrypt.
#[derive(Debug, Clone, Copy)]
enum Prehash {
    Nothing,
    /// WordPress encodes an HMAC-SHA384 with the key `wp-sha384` as base64.
    WordPress,
    /// Django writes the SHA-256 digest in hexadecimal digits.
    Django,
}

pub(super) struct BcryptHash {
    prehash: Prehash,
    cost: u32,
    salt: [u8; 16],
    expected: [u8; 23],
}

impl BcryptHash {
    pub(super) fn parse(scheme: Scheme, rest: &str) -> Result<BcryptHash, HashRefused> {
        let prehash = match scheme {
            Scheme::WordPressBcrypt => Prehash::WordPress,
            Scheme::DjangoBcryptSha256 => Prehash::Django,
            _ => Prehash::Nothing,
        };
        let (log_rounds, body) = rest.split_once('$').ok_or(HashRefused::Malformed)?;
        if log_rounds.len() != 2 || body.len() != 53 || !body.is_ascii() {
            return Err(HashRefused::Malformed);
        }
        let cost = cost::check_bcrypt(phc::parse_decimal(log_rounds)?)?;
        let (salt, digest) = body.split_at(22);
        Ok(BcryptHash {
            prehash,
            cost,
            salt: decode(salt)?,
            expected: decode(digest)?,
        })
    }

    /// Compares only the first 72 bytes of the password, as the legacy system did.
    pub(super) fn matches(&self, password: &[u8]) -> bool {
        match self.prehash {
            Prehash::Nothing => {
                !crate::crypto::hashing::legacy::has_nul(password) && self.matches_key(password)
            }
            Prehash::WordPress => {
                let mut mac = Hmac::<Sha384>::new_from_slice(b"wp-sha384")
                    .expect("HMAC takes a key of any length");
                mac.update(password);
                let digest = Zeroizing::new(STANDARD.encode(mac.finalize().into_bytes()));
                self.matches_key(digest.as_bytes())
            }
            Prehash::Django => {
                let digest = Sha256::digest(password);
                let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                self.matches_key(Zeroizing::new(digits).as_bytes())
            }
        }
    }

    fn matches_key(&self, password: &[u8]) -> bool {
        let mut key = Zeroizing::new([0; MAX_KEY_BYTES]);
        let used_bytes = password.len().min(MAX_KEY_BYTES);
        key[..used_bytes].copy_from_slice(&password[..used_bytes]);
        let key = &key[..(used_bytes + 1).min(MAX_KEY_BYTES)];
        bcrypt::bcrypt(self.cost, self.salt, key)[..self.expected.len()]
            .ct_eq(&self.expected)
            .into()
    }
}

fn decode<const N: usize>(text: &str) -> Result<[u8; N], HashRefused> {
    let bytes = BASE64.decode(text).map_err(|_| HashRefused::Malformed)?;
    bytes.try_into().map_err(|_| HashRefused::Malformed)
}
