//! The only place where tests wait: a condition is polled until it holds, with a deadline.

use std::time::{Duration, Instant};

/// Longer than any awaited condition takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

/// Polls until the condition holds.
///
/// # Panics
/// After 30 seconds, with the name of the condition.
pub(crate) async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    eventually_some(what, async || condition().await.then_some(())).await;
}

/// Polls until there is a value, and returns it.
///
/// # Panics
/// After 30 seconds, with the name of the value.
pub(crate) async fn eventually_some<T>(what: &str, value: impl AsyncFnMut() -> Option<T>) -> T {
    let found = poll_for(DEADLINE, value).await;
    found.unwrap_or_else(|| panic!("never: {what}"))
}

/// Polls until there is a value or the time is over.
pub(crate) async fn poll_for<T>(
    time: Duration,
    mut value: impl AsyncFnMut() -> Option<T>,
) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < time {
        if let Some(value) = value().await {
            return Some(value);
        }
        tokio::time::sleep(POLL).await;
    }
    None
}
