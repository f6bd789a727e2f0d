//! Passwords and their rules, which are checked in the order in which the screens list them.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use crate::domain::field_rule::FieldRule;

/// A password in Unicode normal form C, so that the same typed letters give the same bytes on every system (NIST SP
/// 800-63B 3.1.1.2). The password is not trimmed, and is wiped from memory when dropped.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

/// The maximum length of a password. Longer passwords are refused before they are hashed.
pub(crate) const MAX_CHARS: usize = 128;

/// The rule for the minimum length of a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthPolicy {
    /// The minimum length for registration, password reset and settings.
    Default,
    /// The minimum length for migration.
    Migration,
}

impl LengthPolicy {
    fn check(self, password: &Password) -> Result<(), FieldRule> {
        let (min_chars, too_short) = match self {
            LengthPolicy::Default => (6, FieldRule::PasswordTooShort),
            LengthPolicy::Migration => (8, FieldRule::PasswordTooShortMigration),
        };
        match password.0.chars().count() < min_chars {
            true => Err(too_short),
            false => Ok(()),
        }
    }
}

impl Password {
    /// Returns a password to verify, or `None` if it is longer than `MAX_CHARS`. The rules for new passwords do not
    /// apply.
    pub fn from_input(text: &str) -> Option<Password> {
        // A character decomposes into at most eighteen code points (UAX 15).
        if text.len() > MAX_CHARS * 4 * 18 {
            return None;
        }
        let composed = normalise(text);
        let fits = composed.chars().count() <= MAX_CHARS;
        fits.then_some(Password(composed))
    }

    /// Returns a new password after the checks of minimum length, upper-case letter, lower-case letter, digit and
    /// maximum length, in this order.
    pub fn new(text: &str, policy: LengthPolicy) -> Result<Password, FieldRule> {
        let password = Password(normalise(text));
        let chars = || password.0.chars();
        policy.check(&password)?;
        if !chars().any(char::is_uppercase) {
            Err(FieldRule::PasswordUppercase)
        } else if !chars().any(char::is_lowercase) {
            Err(FieldRule::PasswordLowercase)
        } else if !chars().any(|c| c.is_ascii_digit()) {
            Err(FieldRule::PasswordDigit)
        } else if chars().count() > MAX_CHARS {
            Err(FieldRule::PasswordTooLong)
        } else {
            Ok(password)
        }
    }

    /// Returns a new password after a check of its length alone, for the last step of a migration.
    pub fn with_length_check(text: &str, policy: LengthPolicy) -> Result<Password, FieldRule> {
        let password = Password(normalise(text));
        policy.check(&password)?;
        match password.0.chars().count() > MAX_CHARS {
            true => Err(FieldRule::PasswordTooLong),
            false => Ok(password),
        }
    }

    /// Returns whether the typed confirmation equals the password in normal form C, because encodings can differ.
    pub fn is_confirmed_by(&self, text: &str) -> bool {
        Password::from_input(text).is_some_and(|other| other.as_bytes() == self.as_bytes())
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the normal form C of a text, which is at most three times as long in UTF-8 (UAX 15). The buffer therefore
/// never grows, which would leave a copy in memory that is not wiped.
fn normalise(text: &str) -> Zeroizing<String> {
    let mut composed = Zeroizing::new(String::with_capacity(text.len() * 3));
    composed.extend(text.nfc());
    composed
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composed_and_decomposed_are_the_same_password() {
        let composed = Password::from_input("P\u{e4}ss1").unwrap();
        let decomposed = Password::from_input("Pa\u{308}ss1").unwrap();
        assert_eq!(composed.as_bytes(), decomposed.as_bytes());
        assert_ne!(Password::from_input(" Pass1").unwrap().as_bytes(), b"Pass1");
    }

    #[test]
    fn the_buffer_of_a_password_never_grows() {
        // The code points U+1D160 and U+0390 are the examples of the longest expansions in UAX 15.
        for text in ["\u{1d160}", "\u{390}", "\u{fb2c}", "Aa1"] {
            let text = text.repeat(40);
            assert_eq!(normalise(&text).capacity(), text.len() * 3, "{text}");
        }
    }

    #[test]
    fn the_upper_bound_counts_characters() {
        let long = |n: usize| format!("Aa1{}", "😀".repeat(n - 3));
        assert!(Password::new(&long(128), LengthPolicy::Default).is_ok());
        assert_eq!(
            Password::new(&long(129), LengthPolicy::Default).unwrap_err(),
            FieldRule::PasswordTooLong
        );
    }
}
