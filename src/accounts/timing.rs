//! Sets minimum durations, so that the time of a response does not reveal whether an account exists.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{ApiError, ErrorCode};

/// The minimum duration of padded work, which takes less time without padding, even on a busy machine.
const MIN_DURATION: Duration = Duration::from_millis(50);

/// Pads the duration of work that would otherwise reveal whether an account exists.
pub(crate) async fn with_min_duration<T>(work: impl Future<Output = T>) -> T {
    let (output, ()) = tokio::join!(work, tokio::time::sleep(MIN_DURATION));
    output
}

/// Pads the duration only of errors, like `with_min_duration`. `Busy` is not padded, because it reveals nothing.
pub(crate) async fn with_min_duration_on_error<T>(
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let started = Instant::now();
    let output = work.await;
    if let Err(error) = &output
        && error.code != ErrorCode::Busy
    {
        tokio::time::sleep_until(started + MIN_DURATION).await;
    }
    output
}
