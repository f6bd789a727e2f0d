//! What handlers extract from a request.

pub(crate) mod client;
pub(crate) mod json_body;
pub(crate) mod link_token;
pub(crate) mod same_origin;
mod session;
