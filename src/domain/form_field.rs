//! Deserializes the fields of forms. A missing field or a field of the wrong type does not invalidate the whole body.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::secret::SecretInput;

/// Deserializes a text. A value of another type becomes the empty text.
pub(crate) fn deserialize_text<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    Ok(deserialize_nullable_text(d)?.unwrap_or_default())
}

/// Deserializes a password or token. A value of another type becomes the empty text, which is invalid.
pub(crate) fn deserialize_secret<'de, D: Deserializer<'de>>(d: D) -> Result<SecretInput, D::Error> {
    Ok(SecretInput::from(deserialize_text(d)?))
}

/// Deserializes a password or token, or `None` if the value is not a text.
pub(crate) fn deserialize_secret_or_none<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<SecretInput>, D::Error> {
    Ok(match Value::deserialize(d)? {
        Value::String(text) => Some(SecretInput::from(text)),
        _ => None,
    })
}

pub(crate) fn deserialize_number_or_none<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<i64>, D::Error> {
    Ok(Value::deserialize(d)?.as_i64())
}

/// Deserializes a text for a body whose rules depend on which members are present. Returns `None` for null. A value of
/// another type becomes the empty text.
pub(crate) fn deserialize_nullable_text<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(d)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        _ => Some(String::new()),
    })
}

/// Deserializes a number as `deserialize_nullable_text` does a text. Returns `Some(None)` for a value of another type.
pub(crate) fn deserialize_nullable_number<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<Option<i64>>, D::Error> {
    Ok(match Value::deserialize(d)? {
        Value::Null => None,
        value => Some(value.as_i64()),
    })
}
