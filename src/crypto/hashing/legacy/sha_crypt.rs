//! `$5$` and `$6$` of crypt(3): `[rounds=N$]salt$hash` (Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512").

use sha_crypt::{Params, sha256_crypt, sha512_crypt};
use subtle::ConstantTimeEq;

use super::cost::{HashFunction, Rounds};
use super::{HashRefused, HashResult, crypt64, has_nul, phc};

const MAX_SALT_BYTES: usize = 16;
const DEFAULT_ROUNDS: u64 = 5000;

pub(super) fn parse(primitive: HashFunction, rest: &str) -> HashResult {
    let (digest_bytes, digest_characters) = match primitive {
        HashFunction::Sha256 => (32, 43),
        HashFunction::Sha512 => (64, 86),
        HashFunction::Md5 | HashFunction::Sha1 => return Err(HashRefused::UnknownFormat),
    };
    let fields: Vec<&str> = rest.split('$').collect();
    let (count, salt, digest) = match fields[..] {
        [salt, digest] => (DEFAULT_ROUNDS, salt, digest),
        [rounds, salt, digest] => {
            let rounds = rounds
                .strip_prefix("rounds=")
                .ok_or(HashRefused::Malformed)?;
            (phc::parse_decimal(rounds)?, salt, digest)
        }
        _ => return Err(HashRefused::Malformed),
    };
    if salt.len() > MAX_SALT_BYTES || !crypt64::is_digest(digest, digest_characters) {
        return Err(HashRefused::Malformed);
    }
    let fixed = digest_bytes + salt.len() as u64;
    let rounds = Rounds {
        primitive,
        count,
        fixed,
        copies: 2,
    };
    rounds.check()?;
    // crypt(3) raises a number of rounds under 1000 to 1000, so a stored hash never has fewer rounds.
    let params = u32::try_from(count)
        .ok()
        .and_then(|count| Params::new(count).ok());
    let params = params.ok_or(HashRefused::Malformed)?;
    let (salt, expected) = (salt.to_owned(), digest.to_owned());
    Ok(Box::new(move |password| {
        if has_nul(password) || !rounds.can_afford(password.len()) {
            return false;
        }
        let salt = salt.as_bytes();
        let computed = if primitive == HashFunction::Sha256 {
            let digest = sha256_crypt(password, salt, params);
            let groups = (0..10).flat_map(|i| rotate_group([i + 20, i + 10, i], i));
            crypt64::encode(groups.chain([30, 31]).map(|index| digest[index]))
        } else {
            let digest = sha512_crypt(password, salt, params);
            let groups = (0..21).flat_map(|i| rotate_group([i + 42, i + 21, i], 2 * i));
            crypt64::encode(groups.chain([63]).map(|index| digest[index]))
        };
        computed.ct_eq(expected.as_bytes()).into()
    }))
}

/// Rotates a group of byte indexes. The SHA schemes write a digest in groups of one byte of each third, and rotate each
/// group by one more place than the previous: to the left in SHA-256, to the right (twice to the left) in SHA-512.
fn rotate_group(mut group: [usize; 3], places: usize) -> [usize; 3] {
    group.rotate_left(places % 3);
    group
}
