//! The flows of the OpenID Connect provider (OpenID Connect Core 1.0), without HTTP.

pub(crate) mod authorization;
pub(crate) mod bound_session;
pub(crate) mod claims;
pub(crate) mod client_authentication;
pub(crate) mod error;
pub(crate) mod exchange;
pub(crate) mod hint;
pub(crate) mod issuance;
pub(crate) mod logout;
pub(crate) mod parameters;
pub(crate) mod refresh;
pub(crate) mod request;
pub(crate) mod revocation;
pub(crate) mod userinfo;
