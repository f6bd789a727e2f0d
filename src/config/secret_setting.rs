//! A type for settings that contain a secret. The setting contains the value, or the `_file` variant of the setting names
//! a file that contains it (`url_file = "/etc/account/database-url"`). The value is parsed when the settings are loaded.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::mask::{MASK, mask_url};
use super::secret_file::deserialize_secret;

/// A value that may contain a secret, and what is printed of it: a URL without its credentials, or only `***`.
#[derive(Clone, PartialEq)]
pub struct SecretSetting<T> {
    parsed: T,
    shown: String,
}

impl<T> Deref for SecretSetting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.parsed
    }
}

impl<T: FromStr> FromStr for SecretSetting<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        Ok(SecretSetting {
            parsed: text.parse()?,
            shown: match text.contains("://") {
                true => mask_url(text),
                false => MASK.to_owned(),
            },
        })
    }
}

impl<T> fmt::Display for SecretSetting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl<T> fmt::Debug for SecretSetting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T> Serialize for SecretSetting<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for SecretSetting<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = deserialize_secret(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
