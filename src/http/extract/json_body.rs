//! The JSON body of a request: checks of type, size, time and shape, each with its own error.

use axum::extract::{FromRef, FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::body::{self, BodyError};
use crate::app::SharedApp;
use crate::domain::secret::SecretInput;
use crate::error::{ApiError, ErrorCode};

/// The body of a request as `T`. 415 if it is not JSON, 413 if it is too large, 400 if it cannot be parsed or is not an
/// object, 422 if a field is missing or has the wrong type.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T>
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ErrorCode::UnsupportedMediaType.into());
        }
        let limit = SharedApp::from_ref(state).config.server.body_limit.0;
        let bytes = body::read(request.into_body(), limit)
            .await
            .map_err(|error| match error {
                BodyError::TooLarge => ErrorCode::PayloadTooLarge,
                BodyError::Incomplete | BodyError::TimedOut => ErrorCode::BadRequest,
            })?;
        let map: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&bytes).map_err(|_| ApiError::from(ErrorCode::BadRequest))?;
        T::deserialize(serde_json::Value::Object(map))
            .map(JsonBody)
            .map_err(|_| ApiError::from(ErrorCode::ValidationFailed))
    }
}

/// Returns whether the type is `application/json`, with no parameter except `charset=utf-8` (RFC 8259 section 11
/// defines no parameter).
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return false;
    };
    let Ok(text) = only.to_str() else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    kind.eq_ignore_ascii_case("application/json")
        && parts.all(|p| {
            p.eq_ignore_ascii_case("charset=utf-8") || p.eq_ignore_ascii_case("charset=\"utf-8\"")
        })
}

/// Like [`lenient_text`], for a password or token.
pub(crate) fn lenient_secret<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<SecretInput>, D::Error> {
    Ok(lenient_text(d)?.map(SecretInput::from))
}

/// Deserializes text leniently: an absent or mistyped value is an error of that field, not of the whole form.
pub(crate) fn lenient_text<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    })
}

pub(crate) fn lenient_number<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<i64>, D::Error> {
    Ok(serde_json::Value::deserialize(d)?.as_i64())
}

/// `Some` if the key is present with any value except null. The inner value is `None` if its type does not fit. For
/// bodies whose rules depend on the keys that are present.
pub(crate) fn nullable_text<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<Option<String>>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(Some(text)),
        _ => Some(None),
    })
}

pub(crate) fn nullable_number<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<Option<i64>>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::Null => None,
        value => Some(value.as_i64()),
    })
}
