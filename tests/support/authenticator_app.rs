//! An authenticator app: RFC 6238 without the library of the program, so that the two implementations are independent.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

/// An authenticator app with the secret of its set-up.
pub struct AuthenticatorApp {
    secret: Vec<u8>,
}

impl AuthenticatorApp {
    /// Parses the secret in the form that a person would type.
    pub fn with_secret(base32: &str) -> AuthenticatorApp {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let (mut bits, mut count, mut secret) = (0u32, 0, Vec::new());
        for character in base32.bytes() {
            let value = ALPHABET.iter().position(|known| *known == character);
            bits = (bits << 5) | u32::try_from(value.expect("base32")).unwrap();
            count += 5;
            if count >= 8 {
                count -= 8;
                secret.push(((bits >> count) & 0xff) as u8);
            }
        }
        AuthenticatorApp { secret }
    }

    /// The secret as bytes.
    pub fn secret(&self) -> &[u8] {
        &self.secret
    }

    /// The code at a time, in milliseconds since 1970 UTC.
    pub fn code(&self, millis: i64) -> String {
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.secret).unwrap();
        mac.update(&(millis / 30_000).to_be_bytes());
        let hash = mac.finalize().into_bytes();
        let at = usize::from(hash[19] & 0xf);
        let number = u32::from_be_bytes(hash[at..at + 4].try_into().unwrap()) & 0x7fff_ffff;
        format!("{:06}", number % 1_000_000)
    }

    /// A code that is wrong at this time.
    pub fn wrong_code(&self, millis: i64) -> String {
        let near: Vec<_> = (-2..=2).map(|n| self.code(millis + n * 30_000)).collect();
        let wrong = (0..).map(|n| format!("{n:06}"));
        wrong.into_iter().find(|code| !near.contains(code)).unwrap()
    }
}
