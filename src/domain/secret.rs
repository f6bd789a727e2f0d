//! One-time and long-lived secrets, such as session ids, mailed tokens and device cookies. A secret has 256 random bits
//! (OWASP ASVS 5.0 7.2.3) and is shown once; the database stores its SHA-256 digest. A fast hash is enough, because 256
//! random bits cannot be guessed.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::rng::Rng;

/// A secret as 43 characters of base64url. `Debug` does not print the secret, and dropping wipes it from memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

/// A password or token as a client sent it. The type has no `Debug`, so that a body with such a value cannot be
/// printed. Dropping wipes the value from memory, but not the buffers of the connection and of the JSON parser.
#[derive(Default, Deserialize)]
#[serde(from = "String")]
pub(crate) struct SecretInput(Zeroizing<String>);

/// The SHA-256 digest of a secret, which the database stores.
pub(crate) type SecretHash = [u8; 32];

/// Formats bytes as hexadecimal digits in lower case.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Secret {
    /// The length of every secret.
    pub const CHARS: usize = 43;

    pub fn generate(rng: &Rng) -> Secret {
        let bytes = Zeroizing::new(rng.bytes::<32>());
        Secret(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Parses the secret in a cookie or a mailed link. Returns `None` if the text cannot be a secret of this program.
    pub fn parse(text: &str) -> Option<Secret> {
        let mut bytes = Zeroizing::new([0; Secret::CHARS]);
        let is_canonical =
            text.len() == Secret::CHARS && URL_SAFE_NO_PAD.decode_slice(text, &mut *bytes).is_ok();
        is_canonical.then(|| Secret(Zeroizing::new(text.to_owned())))
    }

    pub fn hash(&self) -> SecretHash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the characters of the secret for the response or mail that contains the secret.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl SecretInput {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for SecretInput {
    fn from(text: String) -> SecretInput {
        SecretInput(Zeroizing::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_secrets_never_repeat_and_fill_every_position() {
        let mut seen = std::collections::HashSet::new();
        let mut counts = vec![[0u32; 128]; Secret::CHARS - 1];
        for _ in 0..10_000 {
            let secret = Secret::generate(&Rng::System);
            for (at, byte) in secret.0.bytes().take(Secret::CHARS - 1).enumerate() {
                counts[at][usize::from(byte)] += 1;
            }
            assert!(Secret::parse(&secret.0).is_some());
            assert!(seen.insert(secret.expose().to_owned()));
        }
        for position in counts {
            let expected = 10_000.0 / 64.0;
            let used: Vec<u32> = position.into_iter().filter(|n| *n > 0).collect();
            assert_eq!(used.len(), 64);
            let chi: f64 = used
                .iter()
                .map(|n| (f64::from(*n) - expected).powi(2) / expected)
                .sum();
            // With 63 degrees of freedom, a chi-square value above 140 occurs once in ten million test executions.
            assert!(chi < 140.0, "chi-square {chi}");
        }
    }

    #[test]
    fn a_text_that_is_no_secret_of_ours_is_refused() {
        for text in [
            "",
            "a",
            &"a".repeat(42),
            &"a".repeat(44),
            &"ä".repeat(22),
            &"=".repeat(43),
        ] {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }
}
