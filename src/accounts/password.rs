//! The password of an account: its change, its reset, and the checks of the current and of a new password.

pub(crate) mod change;
pub(crate) mod current_password;
pub(crate) mod new_password;
pub(crate) mod reset;
