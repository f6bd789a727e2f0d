//! Reads the JSON body of an HTTP request.

use axum::body::HttpBody;
use axum::extract::{FromRequest, OptionalFromRequest};
use serde::de::DeserializeOwned;

use super::body::{self, BodyError};
use crate::http::prelude::*;

/// The body of an HTTP request as `T`. The response is 415 if the body is not JSON, 413 if it is too large, 400 if it
/// cannot be parsed or is not an object, and 422 if a field is missing or has the wrong type.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        if !is_json(request.headers()) {
            return Err(ErrorCode::UnsupportedMediaType.into());
        }
        let bytes = body::read(request.into_body())
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

/// Returns `None` for a request without a body. The response to a body without a content type is 415.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Option<Self>> {
        if request.body().is_end_stream() && !request.headers().contains_key(CONTENT_TYPE) {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state)
            .await
            .map(Some)
    }
}

/// Returns whether the content type is `application/json`. The only permitted parameter is `charset=utf-8`, although
/// RFC 8259 section 11 defines no parameter.
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
