//! The address of an account: its verification, its change, and the links that are mailed to it.

pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod mailed_link;
