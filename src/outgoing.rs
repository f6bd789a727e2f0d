//! Sends data as a client of SMTP and HTTP servers, over TLS, and tracks when failed servers have recovered.

pub(crate) mod http;
pub(crate) mod recovery;
pub(crate) mod smtp;
pub(crate) mod tls;
