//! The number of callers that wait for the writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts a caller as waiting until this value is dropped, which also happens if the caller is cancelled.
pub(super) struct WaitingCaller(Arc<AtomicUsize>);

impl WaitingCaller {
    pub(super) fn begin(waiting: &Arc<AtomicUsize>) -> WaitingCaller {
        waiting.fetch_add(1, Ordering::Relaxed);
        WaitingCaller(waiting.clone())
    }
}

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
