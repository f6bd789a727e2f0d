//! A type for URLs with credentials. The setting contains the URL, or the `_file` variant of the setting names a file
//! that contains it (`url_file = "/etc/account/database-url"`). The URL is printed without its credentials.

use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::mask::mask_url;

/// A URL that may contain a password, both as text and parsed.
#[derive(Clone, PartialEq)]
pub struct SecretUrl<T> {
    text: String,
    parsed: T,
}

impl<T> SecretUrl<T> {
    /// Returns the text of the URL with its credentials, which the caller must never print.
    pub fn expose(&self) -> &str {
        &self.text
    }
}

impl<T> Deref for SecretUrl<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.parsed
    }
}

impl<T: FromStr> FromStr for SecretUrl<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        Ok(SecretUrl {
            parsed: text.parse()?,
            text: text.to_owned(),
        })
    }
}

impl<T> fmt::Display for SecretUrl<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mask_url(&self.text))
    }
}

impl<T> fmt::Debug for SecretUrl<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T> Serialize for SecretUrl<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for SecretUrl<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = deserialize_secret(d, "must be an address in quotes")?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Deserializes a secret, which is the text itself, or the content of the file that the `_file` variant of the setting
/// names. `expected` is the error message for a value of a wrong type, because the message of serde would repeat the
/// value.
pub(super) fn deserialize_secret<'de, D: Deserializer<'de>>(
    d: D,
    expected: &'static str,
) -> Result<String, D::Error> {
    use serde::de::Error;
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum SecretSource {
        Text(String),
        /// The value to which `load.rs` rewrites a `<setting>_file`.
        File {
            file: String,
        },
    }
    let written = SecretSource::deserialize(d).map_err(|error| {
        // The error of a missing setting may keep its message: the setting has no value, so the message contains no
        // secret.
        let is_missing = error.to_string().starts_with("missing field");
        match is_missing {
            true => error,
            false => D::Error::custom(expected),
        }
    });
    match written? {
        SecretSource::Text(text) => Ok(text),
        SecretSource::File { file } => read_secret_file(&file).map_err(D::Error::custom),
    }
}

/// Reads a file with one secret. Editors end a file with a line break, which is not part of the secret.
fn read_secret_file(file: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(Path::new(file))
        .map_err(|error| format!("cannot read {file}: {error}"))?;
    let text = text.trim_end_matches(['\n', '\r']);
    match text.is_empty() || text.contains('\n') {
        true => Err(format!("{file} must contain one line, the value itself")),
        false => Ok(text.to_owned()),
    }
}
