//! Metrics of mails, and of HTTP requests to endpoints of other services. An endpoint's label is its host and port.

use prometheus::{IntCounterVec, IntGaugeVec};

use super::MetricFactory;
use crate::named_enum::named_enum;

named_enum! {
    /// The result of one attempt to send a row of the outbox, or the reason why the row was not sent.
    pub(crate) enum SendResult {
        Sent = "sent";
        /// The mail was captured, because no SMTP server is configured.
        Captured = "kept";
        Delayed = "delayed";
        GivenUp = "given_up";
        /// The row was dropped, because too many rows were queued for the endpoint.
        Dropped = "dropped";
    }
}

impl SendResult {
    const MAIL_RESULTS: [SendResult; 4] =
        [Self::Sent, Self::Captured, Self::Delayed, Self::GivenUp];
    const REQUEST_RESULTS: [SendResult; 4] =
        [Self::Sent, Self::Delayed, Self::GivenUp, Self::Dropped];
}

metrics! {
    pub(crate) struct OutboxMetrics {
        mails: IntCounterVec = counters("account_mails_total",
            "Tries to send a mail, by what became of them", &["kind", "result"]);
        requests: IntCounterVec = counters("account_deliveries_total",
            "Tries to deliver a request to another service, by what became of them", &["endpoint", "result"]);
        waiting: IntGaugeVec = gauges("account_deliveries_waiting",
            "Requests that wait for an endpoint", &["endpoint"]);
        oldest_age: IntGaugeVec = gauges("account_deliveries_oldest_age_seconds",
            "Age of the oldest request that waits for an endpoint; 0 when none does", &["endpoint"]);
        gone: IntGaugeVec = gauges("account_deliveries_endpoint_gone",
            "Whether the endpoint responded 410 to this process, which sends it nothing more", &["endpoint"]);
    }
}

impl OutboxMetrics {
    /// Sets the counts of mails of these kinds to 0, so that `/metrics` reports them from the start.
    pub(crate) fn init_mails(&self, kinds: impl Iterator<Item = &'static str>) {
        for kind in kinds {
            for result in SendResult::MAIL_RESULTS {
                self.mails.with_label_values(&[kind, result.as_str()]);
            }
        }
    }

    /// Sets the counts of an endpoint to 0, so that `/metrics` reports them from the start.
    pub(crate) fn init_endpoint(&self, endpoint: &str) {
        for result in SendResult::REQUEST_RESULTS {
            self.count_requests(endpoint, result, 0);
        }
        for gauge in [&self.waiting, &self.oldest_age, &self.gone] {
            gauge.with_label_values(&[endpoint]);
        }
    }

    pub(crate) fn count_mail(&self, kind: &'static str, result: SendResult) {
        self.mails.with_label_values(&[kind, result.as_str()]).inc();
    }

    pub(crate) fn count_requests(&self, endpoint: &str, result: SendResult, requests: u64) {
        let labels = [endpoint, result.as_str()];
        self.requests.with_label_values(&labels).inc_by(requests);
    }

    /// Sets the gauges of an endpoint's queue. `oldest_age` is in seconds.
    pub(crate) fn set_queue(&self, endpoint: &str, waiting: i64, oldest_age: i64) {
        let labels = [endpoint];
        self.waiting.with_label_values(&labels).set(waiting);
        self.oldest_age.with_label_values(&labels).set(oldest_age);
    }

    pub(crate) fn mark_gone(&self, endpoint: &str) {
        self.gone.with_label_values(&[endpoint]).set(1);
    }
}
