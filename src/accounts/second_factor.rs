//! The second factor: codes of an authenticator app, and recovery codes.

pub(crate) mod challenge;
pub(crate) mod code;
pub(crate) mod reset;
pub(crate) mod reset_cancellation;
pub(crate) mod settings;
pub(crate) mod sign_in;
pub(crate) mod totp;
