//! How a person proves an identity: passwords, mailed links, devices and sessions.

pub(crate) mod age_refusals;
pub(crate) mod client;
pub(crate) mod device_limit;
pub(crate) mod mailed_link;
pub(crate) mod new_password;
pub(crate) mod session;
pub(crate) mod timing;
