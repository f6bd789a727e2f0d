//! The email address of an account: its verification, its change, and the mailed links.

pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod mailed_link;
