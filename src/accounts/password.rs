//! The password of an account: its change in the settings, and its reset by mail.

pub(crate) mod change;
pub(crate) mod reset;
