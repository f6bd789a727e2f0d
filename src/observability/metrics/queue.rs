//! Metrics of the queue for password hashes.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::MetricFactory;

/// The buckets for the time that a password hash waits in the queue, in seconds.
const WAIT_BUCKETS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0];
const HASH_BUCKETS: [f64; 9] = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0];

metrics! {
    #[derive(Clone)]
    pub struct HashMetrics {
        pub threads: IntGauge = gauge("account_hash_threads", "Password hashes at once, at most");
        pub running: IntGauge = gauge("account_hash_running", "Password hashes under way");
        /// The number of waiting jobs, which each scrape reads from the hasher.
        pub waiting: IntGauge = gauge("account_hash_waiting",
            "Password hashes that wait for a thread");
        pub wait: Histogram = histogram("account_hash_wait_seconds",
            "How long password hashes waited for a thread", &WAIT_BUCKETS);
        pub duration: Histogram = histogram("account_hash_duration_seconds",
            "How long password hashes took, the wait not counted", &HASH_BUCKETS);
        pub refused: IntCounter = counter("account_hash_refused_total",
            "Password hashes refused because the queue was too long");
    }
}
