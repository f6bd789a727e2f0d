//! Records which queues have failed, so that their waiting rows become due again soon after the receiver recovers.

use std::collections::HashMap;
use std::sync::Mutex;

/// The maximum number of rows of a retry batch. With the pause between rows, 50 rows become due per second.
pub(crate) const BATCH_ROWS: i64 = 500;
const BATCH_MILLIS: i64 = BATCH_ROWS * ROW_PAUSE_MILLIS;
/// The pause between two rows of a batch.
pub(crate) const ROW_PAUSE_MILLIS: i64 = 20;

/// The state of each queue that this process has used, by the name of the queue.
#[derive(Default)]
pub(crate) struct Recovery(Mutex<HashMap<String, QueueState>>);

struct QueueState {
    /// The earliest time of the next batch (milliseconds since 1970 UTC), or `None` if no row has failed since the last
    /// batch.
    next_batch: Option<i64>,
    failures: u64,
}

/// Every queue begins as a failed queue, because rows of an earlier process may be waiting.
const NEW_QUEUE_STATE: QueueState = QueueState {
    next_batch: Some(0),
    failures: 0,
};

/// A batch of waiting rows that become due again.
pub(crate) struct RetryBatch {
    failures: u64,
}

impl Recovery {
    /// Records that the receiver of the queue's rows has failed.
    pub(crate) fn record_failure(&self, queue: &str) {
        self.with_queue(queue, |state| {
            state.failures += 1;
            state.next_batch.get_or_insert(0);
        });
    }

    /// Begins a batch of retries after a delivery has succeeded. Returns `None` if no row of the queue can be
    /// waiting, or if the pause since the last batch is not over.
    pub(crate) fn begin_batch(&self, queue: &str, now: i64) -> Option<RetryBatch> {
        self.with_queue(queue, |state| {
            state.next_batch.filter(|at| *at <= now)?;
            state.next_batch = Some(now.saturating_add(BATCH_MILLIS));
            let failures = state.failures;
            Some(RetryBatch { failures })
        })
    }

    /// Ends a batch with the number of its rows. If the batch was not full, no more rows are waiting, except after a
    /// new failure.
    pub(crate) fn end_batch(&self, queue: &str, batch: &RetryBatch, rows: u64) {
        self.with_queue(queue, |state| {
            if rows < BATCH_ROWS as u64 && state.failures == batch.failures {
                state.next_batch = None;
            }
        });
    }

    fn with_queue<T>(&self, queue: &str, act: impl FnOnce(&mut QueueState) -> T) -> T {
        let mut queues = self.0.lock().expect("no panic while held");
        if let Some(state) = queues.get_mut(queue) {
            return act(state);
        }
        act(queues.entry(queue.to_owned()).or_insert(NEW_QUEUE_STATE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_a_batch_begins_at_most_every_ten_seconds_until_the_queue_is_empty() {
        let recovery = Recovery::default();
        let first = recovery.begin_batch("mail", 1_000).unwrap();
        recovery.end_batch("mail", &first, BATCH_ROWS as u64);
        assert!(recovery.begin_batch("mail", 10_999).is_none());
        let second = recovery.begin_batch("mail", 11_000).unwrap();
        recovery.end_batch("mail", &second, 7);
        assert!(recovery.begin_batch("mail", 99_000).is_none());
        recovery.record_failure("mail");
        let third = recovery.begin_batch("mail", 99_000).unwrap();
        recovery.record_failure("mail");
        recovery.end_batch("mail", &third, 0);
        assert!(recovery.begin_batch("mail", 100_000).is_none());
        assert!(recovery.begin_batch("mail", 109_000).is_some());
        assert!(recovery.begin_batch("other", 0).is_some());
    }
}
