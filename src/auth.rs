//! Authentication: passwords, mailed links, devices and sessions.

pub(crate) mod access;
pub(crate) mod account_state;
pub(crate) mod age_refusals;
pub(crate) mod browser_session;
pub(crate) mod change;
pub(crate) mod client;
pub(crate) mod current_password;
pub(crate) mod deletion;
pub(crate) mod device_limit;
pub(crate) mod inactivity;
pub(crate) mod mailed_link;
pub(crate) mod new_password;
pub(crate) mod passkey;
pub(crate) mod reauthentication;
pub(crate) mod removal;
pub(crate) mod second_factor;
pub(crate) mod security_log;
pub(crate) mod session;
pub(crate) mod session_end;
pub(crate) mod session_proof;
pub(crate) mod signed_text;
pub(crate) mod strong_factor;
pub(crate) mod ticket;
pub(crate) mod timing;
pub(crate) mod unverified;
