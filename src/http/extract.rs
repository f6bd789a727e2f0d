//! Extractors for handlers.

pub(crate) mod api_query;
mod body;
pub(crate) mod client;
pub(crate) mod form_body;
pub(crate) mod forwarded;
pub(crate) mod json_body;
pub(crate) mod link_token;
pub(crate) mod path_id;
pub(crate) mod same_origin;
mod session;
pub(crate) mod site_passkeys;
pub(crate) mod support_agent;
