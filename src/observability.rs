//! Observability: logs, traces, metrics, and the causes of an error.

pub(crate) mod causes;
pub mod logs;
pub(crate) mod metrics;
#[cfg(feature = "otlp")]
pub(crate) mod traces;
