//! The password of an account: change, reset, and the checks of the current and of a new one.

pub(crate) mod change;
pub(crate) mod current_password;
pub(crate) mod new_password;
pub(crate) mod reset;
