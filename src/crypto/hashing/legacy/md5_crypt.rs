//! The format `$1$salt$hash`, which is the MD5 scheme of crypt(3) from FreeBSD and always has a thousand rounds.

use md5::{Digest, Md5};
use subtle::ConstantTimeEq;

use super::cost::{HashFunction, Rounds};
use super::{HashRefused, HashResult, crypt64, has_nul};

const MAX_SALT_BYTES: usize = 8;
const ROUNDS: Rounds = Rounds {
    primitive: HashFunction::Md5,
    count: 1000,
    fixed: 24,
    copies: 2,
};

pub(super) fn parse(rest: &str) -> HashResult {
    let (salt, digest) = rest.split_once('$').ok_or(HashRefused::Malformed)?;
    if salt.len() > MAX_SALT_BYTES || !crypt64::is_digest(digest, 22) {
        return Err(HashRefused::Malformed);
    }
    let (salt, expected) = (salt.to_owned(), digest.to_owned());
    Ok(Box::new(move |password| {
        if has_nul(password) || !ROUNDS.can_afford(password.len()) {
            return false;
        }
        let salt = salt.as_bytes();
        let mut digest = first_digest(password, salt);
        for round in 0..ROUNDS.count {
            let mut md5 = Md5::new();
            md5.update(if round % 2 == 1 {
                password
            } else {
                &digest[..]
            });
            if round % 3 != 0 {
                md5.update(salt);
            }
            if round % 7 != 0 {
                md5.update(password);
            }
            md5.update(if round % 2 == 1 {
                &digest[..]
            } else {
                password
            });
            digest = md5.finalize().into();
        }
        crypt64::encode(DIGEST_ORDER.map(|index| digest[index]))
            .ct_eq(expected.as_bytes())
            .into()
    }))
}

/// The order in which md5-crypt writes the bytes of the digest.
const DIGEST_ORDER: [usize; 16] = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11];

fn first_digest(password: &[u8], salt: &[u8]) -> [u8; 16] {
    let inner = Md5::new()
        .chain_update(password)
        .chain_update(salt)
        .chain_update(password)
        .finalize();
    let mut md5 = Md5::new()
        .chain_update(password)
        .chain_update("$1$")
        .chain_update(salt);
    for start in (0..password.len()).step_by(inner.len()) {
        md5.update(&inner[..inner.len().min(password.len() - start)]);
    }
    // Each bit of the password's length adds a NUL or the first character of the password. A mistake of the original
    // implementation has thus become part of the format.
    let mut length = password.len();
    while length > 0 {
        md5.update(if length % 2 == 1 {
            &[0]
        } else {
            &password[..1]
        });
        length /= 2;
    }
    md5.finalize().into()
}
