//! The "portable" hashes of phpass, `$P$` (WordPress and others) and `$H$` (phpBB): one character
//! for the logarithm of the rounds, eight of salt, 22 of digest (openwall.com/phpass).

use md5::{Digest, Md5};
use subtle::ConstantTimeEq;

use super::cost::{Primitive, Rounds};
use super::{HashRefused, crypt64};

pub(super) struct PhpassHash {
    rounds: Rounds,
    salt: [u8; 8],
    expected: String,
}

impl PhpassHash {
    pub(super) fn parse(rest: &str) -> Result<PhpassHash, HashRefused> {
        if rest.len() != 31 || !rest.is_ascii() {
            return Err(HashRefused::Malformed);
        }
        let (setting, digest) = rest.split_at(9);
        let Ok::<[u8; 9], _>([log_rounds, salt @ ..]) = setting.as_bytes().try_into() else {
            return Err(HashRefused::Malformed);
        };
        let log_rounds = crypt64::value(log_rounds).ok_or(HashRefused::Malformed)?;
        // The bounds of phpass itself.
        if !(7..=30).contains(&log_rounds) || !crypt64::is_digest(digest, 22) {
            return Err(HashRefused::Malformed);
        }
        let rounds = Rounds {
            primitive: Primitive::Md5,
            count: 1 << log_rounds,
            fixed: 16,
            copies: 1,
        };
        rounds.check()?;
        Ok(PhpassHash {
            rounds,
            salt,
            expected: digest.to_owned(),
        })
    }

    pub(super) fn matches(&self, password: &[u8]) -> bool {
        if !self.rounds.affords(password.len()) {
            return false;
        }
        let mut digest = Md5::new()
            .chain_update(self.salt)
            .chain_update(password)
            .finalize();
        for _ in 0..self.rounds.count {
            digest = Md5::new()
                .chain_update(digest)
                .chain_update(password)
                .finalize();
        }
        crypt64::encode(digest)
            .ct_eq(self.expected.as_bytes())
            .into()
    }
}
