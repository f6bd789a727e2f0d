//! Sends data as a client of SMTP and HTTP servers, over TLS, and tracks whether these servers have recovered from
//! failures.

pub(crate) mod http;
pub(crate) mod recovery;
pub(crate) mod smtp;
pub(crate) mod tls;
