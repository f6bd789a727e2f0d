//! MediaWiki's two oldest hash formats. The format `:A:` continues with the MD5 of the password. The format `:B:salt:`
//! continues with the MD5 of the salt, a hyphen and the password's MD5 in hexadecimal digits.

use md5::{Digest, Md5};
use subtle::ConstantTimeEq;

use crate::crypto::hashing::legacy::HashRefused;

pub(super) struct Md5Hash {
    salt: Option<String>,
    expected: [u8; 16],
}

impl Md5Hash {
    pub(super) fn parse_plain(rest: &str) -> Result<Md5Hash, HashRefused> {
        Ok(Md5Hash {
            salt: None,
            expected: parse_digest(rest)?,
        })
    }

    pub(super) fn parse_salted(rest: &str) -> Result<Md5Hash, HashRefused> {
        let (salt, hex) = rest.split_once(':').ok_or(HashRefused::Malformed)?;
        Ok(Md5Hash {
            salt: Some(salt.to_owned()),
            expected: parse_digest(hex)?,
        })
    }

    pub(super) fn matches(&self, password: &[u8]) -> bool {
        let mut computed: [u8; 16] = Md5::digest(password).into();
        if let Some(salt) = &self.salt {
            let hex = format!("{:032x}", u128::from_be_bytes(computed));
            computed = Md5::digest(format!("{salt}-{hex}")).into();
        }
        computed.ct_eq(&self.expected).into()
    }
}

fn parse_digest(hex: &str) -> Result<[u8; 16], HashRefused> {
    let valid = hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = valid.then(|| u128::from_str_radix(hex, 16).ok()).flatten();
    number.map(u128::to_be_bytes).ok_or(HashRefused::Malformed)
}
