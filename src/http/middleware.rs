//! Middleware of all routes: the `Host` check, the cross-site check, the access log and the security headers.

pub(crate) mod headers;
pub(crate) mod host;
pub(crate) mod request_id;
pub(crate) mod same_origin;
#[cfg(feature = "otlp")]
pub(crate) mod traces;
