//! What people do with their accounts, without HTTP: one file per flow.

pub(crate) mod devices;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod password_change;
pub(crate) mod password_reset;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
