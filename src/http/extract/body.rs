//! Reads the bytes of a request's body.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::LengthLimitError;

/// The time limit for receiving a body. A body has only a few KiB, so a client that takes longer is slow on purpose.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of a body. The longest form needs less than 1 KiB.
pub(crate) const BODY_LIMIT: usize = 16 << 10;

pub(super) enum BodyError {
    TooLarge,
    /// The connection failed before the end of the body.
    Incomplete,
    TimedOut,
}

/// Returns the whole body if it has at most [`BODY_LIMIT`] bytes.
pub(super) async fn read(body: Body) -> Result<Bytes, BodyError> {
    match tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, BODY_LIMIT)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_too_large(&error) => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Incomplete),
        Err(_) => Err(BodyError::TimedOut),
    }
}

fn is_too_large(error: &axum::Error) -> bool {
    error
        .source()
        .is_some_and(|source| source.is::<LengthLimitError>())
}
