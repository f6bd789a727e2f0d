//! Parts of the service around every route: the Host check, the access log and the security headers.

pub mod headers;
pub mod host;
pub mod request_id;
