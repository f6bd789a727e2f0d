//! Parts of the service around every route: the Host check, the access log and the security headers.

pub(crate) mod headers;
pub(crate) mod host;
pub(crate) mod request_id;
