//! The second factor: codes of an authenticator app, and recovery codes.

pub(crate) mod challenge;
pub(crate) mod reset;
pub(crate) mod settings;
pub(crate) mod sign_in;
