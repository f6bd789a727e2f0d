//! Repeats transactions that the database has rolled back because of a conflict, which is a deadlock or a serialization
//! failure (SQLSTATE class 40).

use std::time::Duration;

use tokio::time::Instant;

use super::{Durability, Store, StoreError, Tx};
use crate::rng::Rng;
use crate::time_limit::TimeLimit;

/// The maximum number of attempts for one transaction.
const MAX_ATTEMPTS: u32 = 6;
/// The maximum random pause before the second attempt. The maximum doubles before each further attempt.
const INITIAL_MAX_PAUSE: Duration = Duration::from_millis(20);
/// The time after the start of the first attempt in which the database transaction may be retried. Even if a statement
/// of the last attempt reaches its time limit, the response is sent within five seconds.
const RETRY_DEADLINE: TimeLimit = TimeLimit::from_millis(2300);

/// An error type that can contain a conflict.
pub(crate) trait MayConflict {
    fn is_conflict(&self) -> bool;
}

impl MayConflict for StoreError {
    fn is_conflict(&self) -> bool {
        matches!(self, StoreError::Conflict(_))
    }
}

/// The result of a committed transaction. Only [`Tx::commit_with`] makes this type, so a transaction that forgets to
/// commit does not compile.
pub(crate) struct Committed<T>(T);

impl Tx {
    pub(crate) async fn commit_with<T, E: From<StoreError>>(
        self,
        value: T,
    ) -> Result<Committed<T>, E> {
        self.commit().await?;
        Ok(Committed(value))
    }
}

impl Store {
    /// Runs `work` in a transaction, and repeats `work` in a new transaction as long as there is a conflict. All
    /// effects of `work` outside of the transaction must be safe to repeat.
    pub(crate) async fn transaction<T, E, F>(
        &self,
        rng: &Rng,
        durability: Durability,
        work: impl Fn(Tx) -> F,
    ) -> Result<T, E>
    where
        E: MayConflict + From<StoreError>,
        F: Future<Output = Result<Committed<T>, E>>,
    {
        retry_on_conflict(rng, || async {
            let Committed(value) = work(self.begin(durability).await?).await?;
            Ok(value)
        })
        .await
    }
}

/// Runs `transaction`, and repeats it as long as there is a conflict.
async fn retry_on_conflict<T, E, F>(rng: &Rng, transaction: impl Fn() -> F) -> Result<T, E>
where
    E: MayConflict,
    F: Future<Output = Result<T, E>>,
{
    let started = Instant::now();
    let mut run = 1;
    loop {
        let result = transaction().await;
        if !result.as_ref().is_err_and(MayConflict::is_conflict) {
            return result;
        }
        if run == MAX_ATTEMPTS || started.elapsed() >= RETRY_DEADLINE.get() {
            tracing::warn!("a transaction conflicted with others in each of its runs");
            return result;
        }
        tracing::debug!(
            run,
            "a transaction conflicted with another one and is repeated"
        );
        // The pauses are random, because transactions that restart at the same time conflict again.
        let max_pause = INITIAL_MAX_PAUSE.saturating_mul(1 << (run - 1)).as_millis() as u64;
        let pause = u64::from_le_bytes(rng.bytes()) % max_pause.max(1);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        run += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Repeats a transaction that fails `times` times and then succeeds. Returns the result and the number of attempts.
    async fn run_failing(times: u32, error: StoreError) -> (Result<(), StoreError>, u32) {
        let runs = AtomicU32::new(0);
        let rng = Rng::seeded("conflict");
        let result = retry_on_conflict(&rng, || async {
            match runs.fetch_add(1, Ordering::SeqCst) {
                run if run < times => Err(error.clone()),
                _ => Ok(()),
            }
        });
        (result.await, runs.load(Ordering::SeqCst))
    }

    #[tokio::test]
    async fn only_conflicts_are_repeated_and_not_for_ever() {
        let conflict = StoreError::Conflict("40P01".into());
        let (result, runs) = run_failing(3, conflict.clone()).await;
        assert!(result.is_ok());
        assert_eq!(runs, 4);
        let (result, runs) = run_failing(u32::MAX, conflict).await;
        assert!(result.is_err_and(|error| error.is_conflict()));
        assert_eq!(runs, MAX_ATTEMPTS);
        let (result, runs) = run_failing(3, StoreError::Unavailable("away".into())).await;
        assert!(result.is_err());
        assert_eq!(runs, 1);
    }
}
