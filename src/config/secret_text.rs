//! A type for secrets that are not URLs. The setting contains the secret, or the `_file` variant of the setting names a
//! file that contains it. The secret is parsed when the configuration is loaded, and printed as `***`.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::mask::MASK;
use super::secret_url;

/// A parsed secret. The output of `Debug` and `Serialize` never contains the secret.
#[derive(Clone, PartialEq)]
pub struct SecretText<T>(T);

impl<T> Deref for SecretText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromStr> FromStr for SecretText<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(SecretText)
    }
}

impl<T> fmt::Debug for SecretText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl<T> Serialize for SecretText<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(MASK)
    }
}

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for SecretText<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = secret_url::deserialize_secret(d, "must be a text in quotes")?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
