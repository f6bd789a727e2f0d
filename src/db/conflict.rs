//! Transactions that the database ended because they conflicted with others: deadlocks and serialization
//! failures (SQLSTATE class 40). Nothing of them was kept, so they may be run again.

use std::time::Duration;

use tokio::time::Instant;

use super::StoreError;
use crate::rng::Rng;

/// How often one transaction is run, the first time included.
const RUNS: u32 = 6;
/// The longest pause before the second run; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// No run begins later than this after the first one: with the longest statement the answer is still there
/// within the five seconds of contract 2.
const LAST_BEGIN: Duration = Duration::from_millis(2300);

/// Whether an error says that a transaction may be run again.
pub(crate) trait MayConflict {
    fn is_conflict(&self) -> bool;
}

impl MayConflict for StoreError {
    fn is_conflict(&self) -> bool {
        matches!(self, StoreError::Conflict(_))
    }
}

/// Runs `transaction`, from its `write` to its `commit`, again while it ends in a conflict. Whatever else it
/// does must be harmless when repeated.
pub(crate) async fn repeated<T, E, F>(rng: &Rng, transaction: impl Fn() -> F) -> Result<T, E>
where
    E: MayConflict,
    F: Future<Output = Result<T, E>>,
{
    let begun = Instant::now();
    for run in 1..RUNS {
        match transaction().await {
            Err(error) if error.is_conflict() && begun.elapsed() < LAST_BEGIN => {
                tracing::debug!(
                    run,
                    "a transaction conflicted with another one and is repeated"
                );
            }
            done => return done,
        }
        // Transactions that conflicted once would conflict again if all of them began again at once.
        let longest = FIRST_PAUSE.saturating_mul(1 << (run - 1)).as_millis() as u64;
        let pause = u64::from_le_bytes(rng.bytes()) % longest.max(1);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    transaction().await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Fails so often, then succeeds. Returns the outcome and how often it ran.
    async fn failing(times: u32, error: StoreError) -> (Result<(), StoreError>, u32) {
        let runs = AtomicU32::new(0);
        let rng = Rng::seeded("conflict");
        let done = repeated(&rng, || async {
            match runs.fetch_add(1, Ordering::SeqCst) {
                run if run < times => Err(error.clone()),
                _ => Ok(()),
            }
        });
        (done.await, runs.load(Ordering::SeqCst))
    }

    // finding: E3
    #[tokio::test]
    async fn only_conflicts_are_repeated_and_not_for_ever() {
        let conflict = StoreError::Conflict("40P01".into());
        let (done, runs) = failing(3, conflict.clone()).await;
        assert!(done.is_ok());
        assert_eq!(runs, 4);
        let (done, runs) = failing(u32::MAX, conflict).await;
        assert!(done.is_err_and(|error| error.is_conflict()));
        assert_eq!(runs, RUNS);
        let (done, runs) = failing(3, StoreError::Unavailable("away".into())).await;
        assert!(done.is_err());
        assert_eq!(runs, 1);
    }
}
