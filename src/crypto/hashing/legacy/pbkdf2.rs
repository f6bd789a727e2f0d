//! PBKDF2 (RFC 8018) in its four notations: PHC `$pbkdf2-sha256$i=29000,l=32$salt$hash`, passlib
//! `$pbkdf2-sha256$29000$salt$hash`, MediaWiki `:pbkdf2:sha512:30000:64:salt:hash` and Django
//! `pbkdf2_sha256$1000000$salt$hash`.

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq;

use super::cost::{self, HashFunction};
use super::phc::{self, PhcString};
use super::{HashRefused, HashResult};

type Derivation = fn(&[u8], &[u8], u32, &mut [u8]);

pub(super) fn parse(prf: HashFunction, rest: &str) -> HashResult {
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
    verifier(prf, rounds, phc.salt, phc.digest)
}

pub(super) fn parse_mediawiki(rest: &str) -> HashResult {
    let fields: Vec<&str> = rest.split(':').collect();
    let [algorithm, rounds, length, salt, digest] = fields[..] else {
        return Err(HashRefused::Malformed);
    };
    // PHP supports more hash algorithms, but real installations use only SHA-1, SHA-256 and SHA-512.
    let prf = match algorithm {
        "sha1" => HashFunction::Sha1,
        "sha256" => HashFunction::Sha256,
        "sha512" => HashFunction::Sha512,
        _ => return Err(HashRefused::UnknownFormat),
    };
    let digest = phc::decode_digest(digest)?;
    if phc::parse_decimal(length)? != digest.len() as u64 {
        return Err(HashRefused::Malformed);
    }
    verifier(
        prf,
        phc::parse_decimal(rounds)?,
        phc::decode_bytes(salt)?,
        digest,
    )
}

/// Parses Django's notation, in which the salt is a text that is used without decoding.
pub(super) fn parse_django(rest: &str) -> HashResult {
    let fields: Vec<&str> = rest.split('$').collect();
    let [rounds, salt, digest] = fields[..] else {
        return Err(HashRefused::Malformed);
    };
    verifier(
        HashFunction::Sha256,
        phc::parse_decimal(rounds)?,
        salt.as_bytes().to_vec(),
        phc::decode_digest(digest)?,
    )
}

fn verifier(prf: HashFunction, rounds: u64, salt: Vec<u8>, expected: Vec<u8>) -> HashResult {
    let (digest_bytes, derive): (usize, Derivation) = match prf {
        HashFunction::Sha1 => (20, pbkdf2_hmac::<Sha1>),
        HashFunction::Sha256 => (32, pbkdf2_hmac::<Sha256>),
        HashFunction::Sha512 => (64, pbkdf2_hmac::<Sha512>),
        HashFunction::Md5 => return Err(HashRefused::UnknownFormat),
    };
    // Each output block of PBKDF2 costs all rounds again. A round has two compressions, because it is an HMAC.
    let blocks = expected.len().div_ceil(digest_bytes) as u64;
    cost::check_bound(prf.can_afford(rounds.saturating_mul(blocks).saturating_mul(2)))?;
    let rounds = u32::try_from(rounds).map_err(|_| HashRefused::TooCostly)?;
    if rounds == 0 {
        return Err(HashRefused::Malformed);
    }
    Ok(Box::new(move |password| {
        let mut computed = vec![0; expected.len()];
        derive(password, &salt, rounds, &mut computed);
        computed.ct_eq(&expected).into()
    }))
}
