//! Sends the rows of one queue, several at a time.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::watch;

use crate::db::Result;

/// Defines how the rows of a queue are claimed and sent.
pub(super) trait Queue: Sync {
    type Row: Send;
    /// The maximum number of rows that are sent at the same time.
    const MAX_PARALLEL: usize;

    /// Claims at most `free` due rows for this worker.
    fn claim(&self, free: usize) -> impl Future<Output = Result<Claim<Self::Row>>> + Send;

    /// Makes one attempt to send the row, and records the outcome.
    fn attempt(&self, row: Self::Row) -> impl Future<Output = Result<()>> + Send;
}

pub(super) struct Claim<R> {
    pub rows: Vec<R>,
    /// Whether more rows may be due than were claimed, because too few slots were free.
    pub has_more: bool,
}

/// Sends up to `MAX_PARALLEL` due rows at once, so that a slow row delays no other row. Returns the number of attempts.
pub(super) async fn send_due<Q: Queue>(
    queue: &Q,
    poll_interval: Duration,
    wakeup: &mut watch::Receiver<()>,
    stop: &watch::Receiver<bool>,
) -> Result<usize> {
    // Claims and attempts are polled together, because a claim that waits for the database writer would otherwise stop
    // the attempt that holds the writer.
    let (mut claims, mut attempts) = (FuturesUnordered::new(), FuturesUnordered::new());
    let (mut tried, mut may_be_more) = (0, true);
    // Whether rows are due but none may use a free slot, so that another claim is useless until an attempt ends.
    let mut needs_slot = false;
    let mut outcome = Ok(());
    loop {
        let free = Q::MAX_PARALLEL - attempts.len();
        let can_claim = free > 0 && claims.is_empty() && outcome.is_ok();
        if may_be_more && can_claim && !*stop.borrow() {
            may_be_more = false;
            claims.push(queue.claim(free));
        }
        if claims.is_empty() && attempts.is_empty() {
            return outcome.map(|()| tried);
        }
        tokio::select! {
            Some(claim) = claims.next() => match claim {
                Err(error) => outcome = Err(error),
                Ok(claim) => {
                    needs_slot = claim.has_more && claim.rows.is_empty();
                    may_be_more |= claim.has_more && !needs_slot;
                    tried += claim.rows.len();
                    attempts.extend(claim.rows.into_iter().map(|row| queue.attempt(row)));
                }
            },
            Some(done) = attempts.next() => {
                outcome = outcome.and(done);
                may_be_more |= needs_slot;
            }
            _ = wakeup.changed() => may_be_more = true,
            () = tokio::time::sleep(poll_interval) => may_be_more = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    /// A queue with eight bulk rows, which leave two slots free that no further row may use.
    struct BulkQueue {
        claims: AtomicUsize,
        answers: Semaphore,
    }

    impl Queue for BulkQueue {
        type Row = ();
        const MAX_PARALLEL: usize = 10;

        async fn claim(&self, free: usize) -> Result<Claim<()>> {
            self.claims.fetch_add(1, Ordering::Relaxed);
            // The claim yields, as it would at a database, so that another task may run meanwhile.
            tokio::task::yield_now().await;
            Ok(Claim {
                rows: vec![(); free.saturating_sub(2)],
                has_more: true,
            })
        }

        async fn attempt(&self, (): ()) -> Result<()> {
            self.answers.acquire().await.unwrap().forget();
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_claim_is_not_repeated_before_a_slot_is_free() {
        let queue = BulkQueue {
            claims: AtomicUsize::new(0),
            answers: Semaphore::new(0),
        };
        let (stopping, stop) = watch::channel(false);
        let (_waking, mut wakeup) = watch::channel(());
        let claims = || queue.claims.load(Ordering::Relaxed);
        let checks = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(claims(), 2, "one for the rows, one that finds no slot");
            queue.answers.add_permits(1);
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(claims(), 4, "the same after a slot is free");
            stopping.send_replace(true);
            queue.answers.add_permits(100);
        };
        let hour = Duration::from_secs(3600);
        let (sent, ()) = tokio::join!(send_due(&queue, hour, &mut wakeup, &stop), checks);
        assert_eq!(sent.unwrap(), 9);
    }
}
