//! Metrics of the queue for password hashes.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::Maker;

/// In seconds.
const WAIT_BUCKETS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0];
const HASH_BUCKETS: [f64; 9] = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0];

#[derive(Clone)]
pub struct HashQueue {
    pub threads: IntGauge,
    pub running: IntGauge,
    /// Set at each scrape from the hasher's own count.
    pub waiting: IntGauge,
    pub wait: Histogram,
    pub duration: Histogram,
    pub refused: IntCounter,
}

impl HashQueue {
    pub(super) fn new(make: &Maker) -> HashQueue {
        HashQueue {
            threads: make.gauge("account_hash_threads", "Password hashes at once, at most"),
            running: make.gauge("account_hash_running", "Password hashes under way"),
            waiting: make.gauge(
                "account_hash_waiting",
                "Password hashes that wait for a thread",
            ),
            wait: make.histogram(
                "account_hash_wait_seconds",
                "How long password hashes waited for a thread",
                &WAIT_BUCKETS,
            ),
            duration: make.histogram(
                "account_hash_duration_seconds",
                "How long password hashes took, the wait not counted",
                &HASH_BUCKETS,
            ),
            refused: make.counter(
                "account_hash_refused_total",
                "Password hashes refused because the queue was too long",
            ),
        }
    }
}
