//! Metrics of requests to other services. Endpoints are the configured ones, by host and port.

use prometheus::{IntCounterVec, IntGaugeVec};

use super::Maker;

/// The result of one attempt to deliver a request, or of its time in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivered {
    Sent,
    Delayed,
    GivenUp,
    /// Too many requests were queued for the endpoint.
    Dropped,
}

impl Delivered {
    const ALL: [Delivered; 4] = [
        Delivered::Sent,
        Delivered::Delayed,
        Delivered::GivenUp,
        Delivered::Dropped,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Delivered::Sent => "sent",
            Delivered::Delayed => "delayed",
            Delivered::GivenUp => "given_up",
            Delivered::Dropped => "dropped",
        }
    }
}

pub(crate) struct Deliveries {
    results: IntCounterVec,
    waiting: IntGaugeVec,
    oldest_age: IntGaugeVec,
    gone: IntGaugeVec,
}

impl Deliveries {
    pub(super) fn new(make: &Maker) -> Deliveries {
        Deliveries {
            results: make.counters(
                "account_deliveries_total",
                "Tries to deliver a request to another service, by what became of them",
                &["endpoint", "result"],
            ),
            waiting: make.gauges(
                "account_deliveries_waiting",
                "Requests that wait for an endpoint",
                &["endpoint"],
            ),
            oldest_age: make.gauges(
                "account_deliveries_oldest_age_seconds",
                "Age of the oldest request that waits for an endpoint; 0 when none does",
                &["endpoint"],
            ),
            gone: make.gauges(
                "account_deliveries_endpoint_gone",
                "Whether the endpoint responded 410 to this process, which sends it nothing more",
                &["endpoint"],
            ),
        }
    }

    /// Reports an endpoint from the start, with the count 0.
    pub(crate) fn show(&self, endpoint: &str) {
        for result in Delivered::ALL {
            self.count(endpoint, result, 0);
        }
        self.waiting.with_label_values(&[endpoint]);
        self.oldest_age.with_label_values(&[endpoint]);
        self.gone.with_label_values(&[endpoint]);
    }

    pub(crate) fn count(&self, endpoint: &str, result: Delivered, requests: u64) {
        let labels = [endpoint, result.as_str()];
        self.results.with_label_values(&labels).inc_by(requests);
    }

    /// `oldest_age` in seconds.
    pub(crate) fn set_depth(&self, endpoint: &str, waiting: i64, oldest_age: i64) {
        self.waiting.with_label_values(&[endpoint]).set(waiting);
        self.oldest_age
            .with_label_values(&[endpoint])
            .set(oldest_age);
    }

    pub(crate) fn end(&self, endpoint: &str) {
        self.gone.with_label_values(&[endpoint]).set(1);
    }
}
