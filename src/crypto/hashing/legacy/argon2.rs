//! The format `$argon2id$v=19$m=65536,t=3,p=4$salt$hash` (RFC 9106), and the same for `argon2i` and `argon2d`. A hash
//! without `v` has version 16.

use argon2::{Algorithm, Argon2, MIN_SALT_LEN, Params, Version};
use subtle::ConstantTimeEq;

use super::phc::PhcString;
use super::{HashRefused, HashResult, cost};

/// Parses the rest of an Argon2 hash of Django, which begins with the variant of Argon2, such as `argon2id$`.
pub(super) fn parse_django(rest: &str) -> HashResult {
    let (name, rest) = rest.split_once('$').ok_or(HashRefused::Malformed)?;
    parse(name.parse().map_err(|_| HashRefused::UnknownFormat)?, rest)
}

pub(super) fn parse(algorithm: Algorithm, rest: &str) -> HashResult {
    let phc = PhcString::parse(rest)?;
    let version = match phc.version {
        Some("19") => Version::V0x13,
        Some("16") | None => Version::V0x10,
        Some(_) => return Err(HashRefused::UnknownFormat),
    };
    let [Some(memory), Some(passes), Some(lanes)] = phc.parse_numbers(["m", "t", "p"])? else {
        return Err(HashRefused::Malformed);
    };
    cost::check_argon2(memory, passes)?;
    if phc.salt.len() < MIN_SALT_LEN {
        return Err(HashRefused::Malformed);
    }
    let number = |value: u64| u32::try_from(value).map_err(|_| HashRefused::Malformed);
    let params = Params::new(
        number(memory)?,
        number(passes)?,
        number(lanes)?,
        Some(phc.digest.len()),
    )
    .map_err(|_| HashRefused::Malformed)?;
    let hasher = Argon2::new(algorithm, version, params);
    Ok(Box::new(move |password| {
        let mut computed = vec![0; phc.digest.len()];
        // The computation fails only for a password of 4 GiB, because the parameters are checked above.
        hasher
            .hash_password_into(password, &phc.salt, &mut computed)
            .is_ok()
            && computed.ct_eq(&phc.digest).into()
    }))
}
