//! Reading a request's JSON: type, size, time and shape, each with its own answer.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::app::Shared;
use crate::error::{ApiError, ErrorCode};

/// The body of a request as `T`. Not JSON's type: 415. Too large: 413. No JSON or no object: 400.
/// A missing field or one of the wrong type: 422.
pub struct Body<T>(pub T);

/// A client that needs longer for at most 16 KiB is slow on purpose.
const BODY_TIME: Duration = Duration::from_secs(10);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ErrorCode::UnsupportedMediaType.into());
        }
        let limit = app.config.server.body_limit.0;
        let read = axum::body::to_bytes(request.into_body(), limit);
        let bytes = match tokio::time::timeout(BODY_TIME, read).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) if is_too_large(&error) => return Err(ErrorCode::PayloadTooLarge.into()),
            Ok(Err(_)) | Err(_) => return Err(ErrorCode::BadRequest.into()),
        };
        let map: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&bytes).map_err(|_| ApiError::from(ErrorCode::BadRequest))?;
        T::deserialize(serde_json::Value::Object(map))
            .map(Body)
            .map_err(|_| ApiError::from(ErrorCode::ValidationFailed))
    }
}

fn is_too_large(error: &axum::Error) -> bool {
    use std::error::Error;
    error
        .source()
        .is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}

/// `application/json`, with no parameter but `charset=utf-8` (RFC 8259 11 knows none at all).
pub fn is_json(headers: &HeaderMap) -> bool {
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

/// A field whose absence or wrong type is an error of that field, not of the whole form.
pub fn lenient_text<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::String(text) => Some(text),
        _ => None,
    })
}

pub fn lenient_number<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<i64>, D::Error> {
    Ok(serde_json::Value::deserialize(d)?.as_i64())
}

/// `Some` when the key stands in the body with any value but null; inside it the value, when its type fits.
/// For bodies whose rules depend on which keys they have.
pub fn present_text<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<Option<String>>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(Some(text)),
        _ => Some(None),
    })
}

pub fn present_number<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> Result<Option<Option<i64>>, D::Error> {
    Ok(match serde_json::Value::deserialize(d)? {
        serde_json::Value::Null => None,
        value => Some(value.as_i64()),
    })
}

/// A token from a query, as the confirm routes take it. Two of them are as good as none: whoever
/// reads the first and whoever reads the last would not mean the same one.
#[derive(Debug, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TokenQuery {
    /// The token of the mailed link.
    pub token: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for TokenQuery {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "token");
        let token = match (found.next(), found.next()) {
            (Some((_, only)), None) => Some(only.into_owned()),
            _ => None,
        };
        Ok(TokenQuery { token })
    }
}
