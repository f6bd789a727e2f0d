//! The email address of an account: its verification and its change.

pub(crate) mod email_change;
pub(crate) mod email_verification;
