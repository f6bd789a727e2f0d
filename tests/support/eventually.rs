//! The only place where tests wait: for a condition, which is polled, or for a future, each with a time limit.

use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use account::testing::time_limit::TimeLimit;
use tokio::signal::unix::{SignalKind, signal};

/// Longer than any awaited condition takes.
const DEADLINE: TimeLimit = TimeLimit::from_secs(30);
const POLL: Duration = Duration::from_millis(5);

/// What the test waits for.
static AWAITED: Mutex<String> = Mutex::new(String::new());

/// Polls until the condition holds.
///
/// # Panics
/// After 30 seconds, with the name of the condition.
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    eventually_some(what, async || condition().await.then_some(())).await;
}

/// Polls until there is a value, and returns it.
///
/// # Panics
/// After 30 seconds, with the name of the value.
pub async fn eventually_some<T>(what: &str, value: impl AsyncFnMut() -> Option<T>) -> T {
    report_when_killed(what);
    let found = poll_for(DEADLINE.get(), value).await;
    found.unwrap_or_else(|| panic!("never: {what}"))
}

/// Polls until there is a value or the time is over.
pub async fn poll_for<T>(time: Duration, mut value: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    while started.elapsed() < time {
        if let Some(value) = value().await {
            return Some(value);
        }
        tokio::time::sleep(POLL).await;
    }
    None
}

/// Awaits a future, and returns its output.
///
/// # Panics
/// If the future takes longer than the limit, with the name of what it waits for.
pub async fn within<T>(limit: TimeLimit, what: &str, future: impl Future<Output = T>) -> T {
    report_when_killed(what);
    let (started, limit) = (Instant::now(), limit.get());
    let output = tokio::time::timeout(limit, future).await;
    let took = started.elapsed();
    // A future that blocks its thread ends after the limit without a time-out.
    let output = output.ok().filter(|_| took < limit);
    output.unwrap_or_else(|| panic!("{what}: not within {limit:?}, but after {took:?} or never"))
}

/// Makes the test print what it waits for if the runner kills it because it takes too long.
pub fn report_when_killed(what: &str) {
    static HANDLER: Once = Once::new();
    what.clone_into(&mut AWAITED.lock().unwrap());
    HANDLER.call_once(|| {
        std::thread::spawn(|| {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_io().build().unwrap().block_on(async {
                signal(SignalKind::terminate()).unwrap().recv().await;
                eprintln!("killed while it waited for: {}", AWAITED.lock().unwrap());
                std::process::exit(143);
            });
        });
    });
}
