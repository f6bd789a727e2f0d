//! How data leaves the program: SMTP, HTTP and TLS as a client, and the recovery of the servers it goes to.

pub(crate) mod http;
pub(crate) mod recovery;
pub(crate) mod smtp;
pub(crate) mod tls;
