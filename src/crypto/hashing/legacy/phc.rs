//! The PHC string format (github.com/P-H-C/phc-string-format) as real exports use it. The name of the algorithm
//! precedes `[v=version$]params$salt$hash`.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{HashRefused, HashResult};

/// The lengths of digests that real systems store. A password could match a digest below the PHC minimum by chance.
const DIGEST_BYTES: std::ops::RangeInclusive<usize> = 10..=128;

/// Systems differ in the padding of base64 and in the unused low bits of the last character, which do not change the
/// decoded bytes.
pub(super) const LENIENT_BASE64: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT_BASE64);

pub(super) struct PhcString<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) params: &'a str,
    pub(super) salt: Vec<u8>,
    pub(super) digest: Vec<u8>,
}

impl<'a> PhcString<'a> {
    pub(super) fn parse(rest: &'a str) -> HashResult<PhcString<'a>> {
        let fields: Vec<&str> = rest.split('$').collect();
        let (version, params, salt, digest) = match fields[..] {
            [params, salt, digest] => (None, params, salt, digest),
            [version, params, salt, digest] => {
                let version = version.strip_prefix("v=").ok_or(HashRefused::Malformed)?;
                (Some(version), params, salt, digest)
            }
            _ => return Err(HashRefused::Malformed),
        };
        Ok(PhcString {
            version,
            params,
            salt: decode_bytes(salt)?,
            digest: self::decode_digest(digest)?,
        })
    }

    /// Returns the values of exactly these parameters, in any order and each at most once. An additional parameter is
    /// refused, because it would change the hash in an unknown way.
    pub(super) fn parse_numbers<const N: usize>(
        &self,
        names: [&str; N],
    ) -> HashResult<[Option<u64>; N]> {
        let mut values = [None; N];
        for part in self.params.split(',') {
            let (name, value) = part.split_once('=').ok_or(HashRefused::Malformed)?;
            let index = names.iter().position(|known| *known == name);
            let slot = &mut values[index.ok_or(HashRefused::UnknownFormat)?];
            if slot.replace(parse_decimal(value)?).is_some() {
                return Err(HashRefused::Malformed);
            }
        }
        Ok(values)
    }
}

/// Parses a number of decimal digits. A number that overflows is refused as too expensive, whatever its meaning.
pub(super) fn parse_decimal(text: &str) -> HashResult<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(HashRefused::Malformed);
    }
    text.parse().map_err(|_| HashRefused::TooCostly)
}

/// Decodes base64 with or without padding. Passlib writes '.' instead of '+'.
pub(super) fn decode_bytes(text: &str) -> HashResult<Vec<u8>> {
    BASE64
        .decode(text.replace('.', "+"))
        .map_err(|_| HashRefused::Malformed)
}

/// Decodes the stored digest and checks its length.
pub(super) fn decode_digest(text: &str) -> HashResult<Vec<u8>> {
    let digest = decode_bytes(text)?;
    if DIGEST_BYTES.contains(&digest.len()) {
        Ok(digest)
    } else {
        Err(HashRefused::Malformed)
    }
}
