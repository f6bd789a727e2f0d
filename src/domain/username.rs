//! Usernames: 1 to 32 ASCII letters and digits, which are unique regardless of case.

use crate::domain::field_rule::FieldRule;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Username(String);

pub(crate) const MAX_CHARS: usize = 32;

impl Username {
    pub(crate) fn parse(text: &str) -> Result<Username, FieldRule> {
        if text.is_empty() {
            Err(FieldRule::MissingField)
        } else if !text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            Err(FieldRule::UsernameCharacters)
        } else if text.len() > MAX_CHARS {
            Err(FieldRule::UsernameTooLong)
        } else {
            Ok(Username(text.to_owned()))
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}
