//! The metrics of the program, for `/metrics` on `server.ops_listen`.
//!
//! Labels are names from lists of this program (routes, limits, kinds of mail), so their number is bounded. No email
//! address, IP address, account, token or path becomes a label. Names and units follow
//! <https://prometheus.io/docs/practices/naming/>.

use std::sync::Arc;
use std::time::Duration;

use prometheus::core::Collector;
use prometheus::{
    Counter, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge,
    IntGaugeVec, Opts, Registry, TextEncoder,
};
use tokio::sync::Mutex;

/// Declares a struct of metrics, and its function `new`, which creates the metrics. The arguments of a metric are its
/// name, its help, and its labels or buckets.
macro_rules! metrics {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[$doc:meta])*
                $field_visibility:vis $field:ident: $type:ty = $make:ident($($argument:expr),*);
            )*
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name { $($(#[$doc])* $field_visibility $field: $type,)* }

        impl $name {
            pub(super) fn new(factory: &MetricFactory) -> $name {
                $name { $($field: factory.$make($($argument),*),)* }
            }
        }
    };
}

mod outbox;
mod process;
mod queue;
mod refresh_timers;
mod state;

use outbox::OutboxMetrics;
pub(crate) use outbox::SendResult;
use process::ProcessMetrics;
pub(crate) use queue::HashMetrics;
use refresh_timers::RefreshTimers;
use state::StateGauges;

/// Counts one in a gauge until this value is dropped.
pub(crate) struct GaugeGuard(IntGauge);

impl GaugeGuard {
    pub(crate) fn new(gauge: &IntGauge) -> GaugeGuard {
        gauge.inc();
        GaugeGuard(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The buckets for the duration of HTTP requests in seconds, from the duration of a session check to the longest delay
/// that people accept.
const REQUEST_BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    pub limits: IntCounterVec,
    pub hashing: HashMetrics,
    pub(crate) outbox: OutboxMetrics,
    pub(crate) process: ProcessMetrics,
    /// The number of open connections to `server.listen`.
    pub connections: IntGauge,
    pub(crate) state: StateGauges,
    /// The timers of queries for metrics. A scrape locks the timers while it queries the database.
    pub(crate) refresh_timers: Arc<Mutex<RefreshTimers>>,
}

impl Metrics {
    /// Creates all metrics. `started_at` is in milliseconds since 1970 UTC.
    pub fn new(database: &'static str, started_at: i64) -> Metrics {
        let factory = MetricFactory(Registry::new());
        let help = "Always 1; version and kind of database are its labels";
        let build = factory.gauges("account_build_info", help, &["version", "database"]);
        let labels = [env!("CARGO_PKG_VERSION"), database];
        build.with_label_values(&labels).set(1);
        let help = "When this process started, seconds since 1970 UTC";
        let start_time = factory.gauge("process_start_time_seconds", help);
        start_time.set(started_at / 1000);
        factory.register(Ok(crate::observability::logs::DROPPED_LINES.clone()));
        Metrics {
            requests: factory.counters(
                "account_http_requests_total",
                "Requests answered, by route and status",
                &["method", "route", "status"],
            ),
            durations: factory.histograms(
                "account_http_request_duration_seconds",
                "From a request's head to its answer's",
                &["method", "route"],
                &REQUEST_BUCKETS,
            ),
            limits: factory.counters(
                "account_limits_hit_total",
                "Tries that a limit refused, by the limit's name",
                &["limit"],
            ),
            hashing: HashMetrics::new(&factory),
            outbox: OutboxMetrics::new(&factory),
            process: ProcessMetrics::new(&factory),
            connections: factory.gauge(
                "account_http_connections",
                "Open connections to server.listen, at most 10000",
            ),
            state: StateGauges::new(&factory),
            refresh_timers: Arc::default(),
            registry: factory.0,
        }
    }

    /// Counts an HTTP request. `route` is the pattern of the router, or `None` if no route matched.
    pub fn count_request(&self, method: &str, route: Option<&str>, status: &str, took: Duration) {
        let (method, route) = (known_method(method), route.unwrap_or("none"));
        self.requests
            .with_label_values(&[method, route, status])
            .inc();
        self.durations
            .with_label_values(&[method, route])
            .observe(took.as_secs_f64());
    }

    /// Returns all metrics in Prometheus' text format 0.0.4.
    pub fn encode(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

/// Returns the label of a method. All methods without a route share one label, because the client chooses the method.
fn known_method(method: &str) -> &'static str {
    const KNOWN_METHODS: [&str; 5] = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"];
    let known = KNOWN_METHODS.into_iter().find(|known| *known == method);
    known.unwrap_or("other")
}

/// Creates metrics, and registers each of them once. Only an invalid name can fail, and every test that starts the app
/// would detect an invalid name.
struct MetricFactory(Registry);

impl MetricFactory {
    fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.register(IntCounter::new(name, help))
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.register(IntCounterVec::new(Opts::new(name, help), labels))
    }

    fn float_counter(&self, name: &str, help: &str) -> Counter {
        self.register(Counter::new(name, help))
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.register(IntGauge::new(name, help))
    }

    fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.register(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.register(Histogram::with_opts(options))
    }

    fn histograms(&self, name: &str, help: &str, labels: &[&str], buckets: &[f64]) -> HistogramVec {
        let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
        self.register(HistogramVec::new(options, labels))
    }

    fn register<T: Collector + Clone + 'static>(&self, metric: prometheus::Result<T>) -> T {
        let made = metric.expect("a name, labels and buckets that are constants");
        let registration = self.0.register(Box::new(made.clone()));
        registration.expect("a name that no other metric has");
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_makes_up_adds_no_series() {
        let metrics = Metrics::new("sqlite", 0);
        for word in ["BREW", "PROPFIND", "x".repeat(500).as_str()] {
            metrics.count_request(word, None, "404", Duration::ZERO);
        }
        let text = metrics.encode().expect("text");
        let line = "account_http_requests_total{method=\"other\",route=\"none\",status=\"404\"} 3";
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("BREW"));
    }
}
