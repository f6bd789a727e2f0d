//! PBKDF2 (RFC 8018) in its four notations: PHC `$pbkdf2-sha256$i=29000,l=32$salt$hash`, passlib
//! `$pbkdf2-sha256$29000$salt$hash`, MediaWiki `:pbkdf2:sha512:30000:64:salt:hash` and Django
//! `pbkdf2_sha256$1000000$salt$hash`.

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

use crate::crypto::hashing::legacy::cost::{self, HashFunction};
use crate::crypto::hashing::legacy::phc::{self, PhcString};
use crate::crypto::hashing::legacy::{HashRefused, Scheme};

pub(super) struct Pbkdf2Hash {
    prf: Prf,
    rounds: u32,
    salt: Vec<u8>,
    expected: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Prf {
    Sha1,
    Sha256,
    Sha512,
}

impl Pbkdf2Hash {
    pub(super) fn parse(scheme: Scheme, rest: &str) -> Result<Pbkdf2Hash, HashRefused> {
        let prf = match scheme {
            Scheme::Pbkdf2Sha1 => Prf::Sha1,
            Scheme::Pbkdf2Sha256 => Prf::Sha256,
            _ => Prf::Sha512,
        };
        let phc = PhcString::parse(rest)?;
        if phc.version.is_some() {
            return Err(HashRefused::Malformed);
        }
        let rounds = if phc.params.contains('=') {
            let [rounds, length] = phc.parse_numbers(["i", "l"])?;
            if length.is_some_and(|length| length != phc.digest.len() as u64) {
                return Err(HashRefused::Malformed);
            }
            rounds.ok_or(HashRefused::Malformed)?
        } else {
            phc::parse_decimal(phc.params)?
        };
        Self::new(prf, rounds, phc.salt, phc.digest)
    }

    pub(super) fn parse_mediawiki(rest: &str) -> Result<Pbkdf2Hash, HashRefused> {
        let fields: Vec<&str> = rest.split(':').collect();
        let [algorithm, rounds, length, salt, digest] = fields[..] else {
            return Err(HashRefused::Malformed);
        };
        // PHP supports more hash algorithms, but real installations use only SHA-1, SHA-256 and SHA-512.
        let prf = match algorithm {
            "sha1" => Prf::Sha1,
            "sha256" => Prf::Sha256,
            "sha512" => Prf::Sha512,
            _ => return Err(HashRefused::UnknownFormat),
        };
        let digest = phc::decode_digest(digest)?;
        if phc::parse_decimal(length)? != digest.len() as u64 {
            return Err(HashRefused::Malformed);
        }
        Self::new(
            prf,
            phc::parse_decimal(rounds)?,
            phc::decode_bytes(salt)?,
            digest,
        )
    }

    /// Parses Django's notation, in which the salt is a text that is used without decoding.
    pub(super) fn parse_django(rest: &str) -> Result<Pbkdf2Hash, HashRefused> {
        let fields: Vec<&str> = rest.split('$').collect();
        let [rounds, salt, digest] = fields[..] else {
            return Err(HashRefused::Malformed);
        };
        Self::new(
            Prf::Sha256,
            phc::parse_decimal(rounds)?,
            salt.as_bytes().to_vec(),
            phc::decode_digest(digest)?,
        )
    }

    fn new(
        prf: Prf,
        rounds: u64,
        salt: Vec<u8>,
        expected: Vec<u8>,
    ) -> Result<Pbkdf2Hash, HashRefused> {
        let (primitive, digest_length) = match prf {
            Prf::Sha1 => (HashFunction::Sha1, 20),
            Prf::Sha256 => (HashFunction::Sha256, 32),
            Prf::Sha512 => (HashFunction::Sha512, 64),
        };
        // Each output block of PBKDF2 costs all rounds again. A round has two compressions, because it is an HMAC.
        let blocks = expected.len().div_ceil(digest_length) as u64;
        cost::check_bound(primitive.can_afford(rounds.saturating_mul(blocks).saturating_mul(2)))?;
        let rounds = u32::try_from(rounds).map_err(|_| HashRefused::TooCostly)?;
        if rounds == 0 {
            return Err(HashRefused::Malformed);
        }
        Ok(Pbkdf2Hash {
            prf,
            rounds,
            salt,
            expected,
        })
    }

    pub(super) fn matches(&self, password: &[u8]) -> bool {
        let mut computed = vec![0; self.expected.len()];
        match self.prf {
            Prf::Sha1 => pbkdf2_hmac::<Sha1>(password, &self.salt, self.rounds, &mut computed),
            Prf::Sha256 => pbkdf2_hmac::<Sha256>(password, &self.salt, self.rounds, &mut computed),
            Prf::Sha512 => pbkdf2_hmac::<Sha512>(password, &self.salt, self.rounds, &mut computed),
        }
        computed.ct_eq(&self.expected).into()
    }
}
