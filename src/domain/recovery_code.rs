//! Recovery codes, which are 80 random bits in Crockford's base32, `XXXX-XXXX-XXXX-XXXX`. The database stores the
//! SHA-256 digests of the codes. A fast hash is enough for 80 random bits behind a rate limit.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::domain::secret::SecretHash;
use crate::domain::visible_text;
use crate::rng::Rng;

/// Crockford's alphabet. The letters I, L and O are missing because they look like digits, and U because it would form
/// offensive words.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARS: usize = 16;
const GROUP_CHARS: usize = 4;

/// A recovery code in its normal form of sixteen characters without hyphens. The type does not implement `Debug`, so
/// that no code is printed by mistake.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RecoveryCode(Zeroizing<[u8; CODE_CHARS]>);

impl RecoveryCode {
    pub(crate) fn generate(rng: &Rng) -> RecoveryCode {
        // Five of the eight bits of each byte select a character, so every character is equally likely.
        let bytes = Zeroizing::new(rng.bytes::<CODE_CHARS>());
        RecoveryCode(Zeroizing::new(
            bytes.map(|byte| ALPHABET[usize::from(byte % 32)]),
        ))
    }

    /// Parses a recovery code as typed. Ignores case, separators and invisible characters, and reads I, L and O as the
    /// digits that they look like.
    pub(crate) fn parse(typed: &str) -> Option<RecoveryCode> {
        let mut code = Zeroizing::new([0; CODE_CHARS]);
        let mut length = 0;
        let bare = Zeroizing::new(visible_text::normalize_code(typed));
        for character in bare.chars() {
            let normalised = match character.to_ascii_uppercase() {
                'I' | 'L' => b'1',
                'O' => b'0',
                other => u8::try_from(other).ok()?,
            };
            if !ALPHABET.contains(&normalised) {
                return None;
            }
            *code.get_mut(length)? = normalised;
            length += 1;
        }
        (length == CODE_CHARS).then_some(RecoveryCode(code))
    }

    pub(crate) fn hash(&self) -> SecretHash {
        Sha256::digest(*self.0).into()
    }

    /// Returns the recovery code with hyphens, for the only response that shows it.
    pub(crate) fn expose(&self) -> String {
        let groups = self.0.chunks(GROUP_CHARS).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(typed: &str) -> Option<String> {
        RecoveryCode::parse(typed).map(|code| code.expose())
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let expected = Some("01AB-CDEF-0123-WXYZ".to_owned());
        for typed in [
            "01AB-CDEF-0123-WXYZ",
            "01abcdef0123wxyz",
            " 01ab cdef 0123 wxyz ",
            "O1AB-CDEF-OI23-WXYZ",
            "olab-cdef-ol23-wxyz",
            "01AB\u{a0}CDEF\u{a0}0123\u{a0}WXYZ\t",
            "01AB–CDEF—0123‐WXYZ\u{200b}",
            "０１ＡＢ－ＣＤＥＦ－０１２３－ＷＸＹＺ",
            "2) 01AB-CDEF-0123-WXYZ",
            "10: 01AB-CDEF-0123-WXYZ",
        ] {
            assert_eq!(normalised(typed), expected, "{typed}");
        }
        for wrong in [
            "", "123456", "01AB-CDEF-0123-WXY", "01AB-CDEF-0123-WXYZ0", "01AB-CDEF-0123-WXYU",
            "01AB-CDEF-0123-WXYé", "01AB_CDEF_0123_WXYZ",
        ] {
            assert_eq!(normalised(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn codes_differ_and_read_back() {
        let rng = Rng::seeded("recovery codes");
        let codes: Vec<_> = (0..1000).map(|_| RecoveryCode::generate(&rng)).collect();
        let hashes: std::collections::HashSet<_> = codes.iter().map(RecoveryCode::hash).collect();
        assert_eq!(hashes.len(), codes.len());
        for code in &codes {
            let text = code.expose();
            assert_eq!(text.len(), CODE_CHARS + 3);
            assert!(RecoveryCode::parse(&text).is_some_and(|read| read == *code));
        }
    }
}
