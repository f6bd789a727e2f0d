//! MediaWiki's two oldest hash formats. The format `:A:` continues with the MD5 of the password. The format `:B:salt:`
//! continues with the MD5 of the salt, a hyphen and the password's MD5 in hexadecimal digits.

use md5::{Digest, Md5};
use subtle::ConstantTimeEq;

use super::{HashRefused, HashResult};

pub(super) fn parse_unsalted(rest: &str) -> HashResult {
    let expected = parse_digest(rest)?;
    Ok(Box::new(move |password| {
        Md5::digest(password).ct_eq(&expected).into()
    }))
}

pub(super) fn parse_salted(rest: &str) -> HashResult {
    let (salt, hex) = rest.split_once(':').ok_or(HashRefused::Malformed)?;
    let (salt, expected) = (salt.to_owned(), parse_digest(hex)?);
    Ok(Box::new(move |password| {
        let inner = u128::from_be_bytes(Md5::digest(password).into());
        let outer = Md5::digest(format!("{salt}-{inner:032x}"));
        outer.ct_eq(&expected).into()
    }))
}

fn parse_digest(hex: &str) -> HashResult<[u8; 16]> {
    let valid = hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = valid.then(|| u128::from_str_radix(hex, 16).ok()).flatten();
    number.map(u128::to_be_bytes).ok_or(HashRefused::Malformed)
}
