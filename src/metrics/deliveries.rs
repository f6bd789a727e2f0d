//! Metrics of requests to other services. Endpoints are the configured ones, by host and port.

use prometheus::{IntCounterVec, IntGaugeVec};

use super::MetricFactory;

/// The result of one attempt to deliver a request, or of its time in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryResult {
    Sent,
    Delayed,
    GivenUp,
    /// Too many requests were queued for the endpoint.
    Dropped,
}

impl DeliveryResult {
    const ALL: [DeliveryResult; 4] = [
        DeliveryResult::Sent,
        DeliveryResult::Delayed,
        DeliveryResult::GivenUp,
        DeliveryResult::Dropped,
    ];

    fn as_str(self) -> &'static str {
        match self {
            DeliveryResult::Sent => "sent",
            DeliveryResult::Delayed => "delayed",
            DeliveryResult::GivenUp => "given_up",
            DeliveryResult::Dropped => "dropped",
        }
    }
}

pub(crate) struct DeliveryMetrics {
    results: IntCounterVec,
    waiting: IntGaugeVec,
    oldest_age: IntGaugeVec,
    gone: IntGaugeVec,
}

impl DeliveryMetrics {
    pub(super) fn new(factory: &MetricFactory) -> DeliveryMetrics {
        DeliveryMetrics {
            results: factory.counters(
                "account_deliveries_total",
                "Tries to deliver a request to another service, by what became of them",
                &["endpoint", "result"],
            ),
            waiting: factory.gauges(
                "account_deliveries_waiting",
                "Requests that wait for an endpoint",
                &["endpoint"],
            ),
            oldest_age: factory.gauges(
                "account_deliveries_oldest_age_seconds",
                "Age of the oldest request that waits for an endpoint; 0 when none does",
                &["endpoint"],
            ),
            gone: factory.gauges(
                "account_deliveries_endpoint_gone",
                "Whether the endpoint responded 410 to this process, which sends it nothing more",
                &["endpoint"],
            ),
        }
    }

    /// Reports an endpoint from the start, with the count 0.
    pub(crate) fn init_endpoint(&self, endpoint: &str) {
        for result in DeliveryResult::ALL {
            self.count(endpoint, result, 0);
        }
        self.waiting.with_label_values(&[endpoint]);
        self.oldest_age.with_label_values(&[endpoint]);
        self.gone.with_label_values(&[endpoint]);
    }

    pub(crate) fn count(&self, endpoint: &str, result: DeliveryResult, requests: u64) {
        let labels = [endpoint, result.as_str()];
        self.results.with_label_values(&labels).inc_by(requests);
    }

    /// `oldest_age` in seconds.
    pub(crate) fn set_queue(&self, endpoint: &str, waiting: i64, oldest_age: i64) {
        self.waiting.with_label_values(&[endpoint]).set(waiting);
        self.oldest_age
            .with_label_values(&[endpoint])
            .set(oldest_age);
    }

    pub(crate) fn mark_gone(&self, endpoint: &str) {
        self.gone.with_label_values(&[endpoint]).set(1);
    }
}
