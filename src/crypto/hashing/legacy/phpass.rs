//! The "portable" hashes of phpass (openwall.com/phpass), `$P$` (WordPress and others) and `$H$` (phpBB). One character
//! is the logarithm of the number of rounds, eight characters are the salt, and 22 are the digest. Drupal's `$S$` has
//! the same format with the first 43 characters of a SHA-512 digest (includes/password.inc of Drupal 7).

use md5::Md5;
use sha2::{Digest, Sha512};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::cost::{HashFunction, Rounds};
use super::{HashRefused, HashResult, crypt64};
use crate::domain::secret::hexadecimal;

type Stretch = fn(Rounds, [u8; 8], &[u8]) -> Vec<u8>;

pub(super) fn parse(primitive: HashFunction, rest: &str) -> HashResult {
    let (digest_bytes, digest_length, stretch): (_, _, Stretch) = match primitive {
        HashFunction::Md5 => (16, 22, stretch::<Md5>),
        HashFunction::Sha512 => (64, 43, stretch::<Sha512>),
        HashFunction::Sha1 | HashFunction::Sha256 => return Err(HashRefused::UnknownFormat),
    };
    if rest.len() != 9 + digest_length || !rest.is_ascii() {
        return Err(HashRefused::Malformed);
    }
    let (setting, digest) = rest.split_at(9);
    let Ok::<[u8; 9], _>([log_rounds, salt @ ..]) = setting.as_bytes().try_into() else {
        return Err(HashRefused::Malformed);
    };
    let log_rounds = crypt64::digit_value(log_rounds).ok_or(HashRefused::Malformed)?;
    // Phpass itself limits the logarithm of the rounds to these values.
    if !(7..=30).contains(&log_rounds) || !crypt64::is_digest(digest, digest_length) {
        return Err(HashRefused::Malformed);
    }
    let rounds = Rounds {
        primitive,
        count: 1 << log_rounds,
        fixed: digest_bytes,
        copies: 1,
    };
    rounds.check()?;
    let expected = digest.to_owned();
    Ok(Box::new(move |password| {
        if !rounds.can_afford(password.len()) {
            return false;
        }
        let digest = stretch(rounds, salt, password);
        digest[..expected.len()].ct_eq(expected.as_bytes()).into()
    }))
}

/// Parses a hash of Drupal 7 whose input was not the password but its MD5 digest in hexadecimal, from Drupal 6.
pub(super) fn parse_drupal_md5(rest: &str) -> HashResult {
    let matches = parse(HashFunction::Sha512, rest)?;
    Ok(Box::new(move |password| {
        let digits = Zeroizing::new(hexadecimal(&Md5::digest(password)));
        matches(digits.as_bytes())
    }))
}

fn stretch<D: Digest>(rounds: Rounds, salt: [u8; 8], password: &[u8]) -> Vec<u8> {
    let mut digest = D::new()
        .chain_update(salt)
        .chain_update(password)
        .finalize();
    for _ in 0..rounds.count {
        digest = D::new()
            .chain_update(digest)
            .chain_update(password)
            .finalize();
    }
    crypt64::encode(digest)
}
