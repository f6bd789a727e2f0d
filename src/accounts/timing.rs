//! Rounds durations up, so that the time of a response does not reveal whether an account exists.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{ApiResult, ErrorCode};

/// Padded work takes a multiple of this step. On an idle machine the work itself takes less than one step.
const STEP: Duration = Duration::from_millis(50);

/// Pads the duration of work that would otherwise reveal whether an account exists.
pub(crate) async fn with_padded_duration<T>(work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let output = work.await;
    pad(started).await;
    output
}

/// Pads the duration only of errors. `ErrorCode::Busy` is not padded, because it does not depend on an account.
pub(crate) async fn with_padded_duration_on_error<T>(
    work: impl Future<Output = ApiResult<T>>,
) -> ApiResult<T> {
    let started = Instant::now();
    let output = work.await;
    if let Err(error) = &output
        && error.code != ErrorCode::Busy
    {
        pad(started).await;
    }
    output
}

async fn pad(started: Instant) {
    tokio::time::sleep_until(started + padded_duration(started.elapsed())).await;
}

/// Returns the next multiple of [`STEP`]. On a busy machine, where all work takes longer than one step, the multiples
/// still hide a difference of a few milliseconds.
fn padded_duration(elapsed: Duration) -> Duration {
    let steps = elapsed.as_micros().div_ceil(STEP.as_micros()).max(1);
    STEP.saturating_mul(u32::try_from(steps).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_padded_to_the_next_multiple_of_50_ms() {
        for (elapsed, padded) in [
            (0, 50),
            (1, 50),
            (50, 50),
            (51, 100),
            (73, 100),
            (87, 100),
            (240, 250),
        ] {
            let padded = Duration::from_millis(padded);
            assert_eq!(
                padded_duration(Duration::from_millis(elapsed)),
                padded,
                "{elapsed} ms"
            );
        }
        assert_eq!(
            padded_duration(Duration::from_micros(50_001)),
            Duration::from_millis(100)
        );
    }
}
