//! Implements the features of accounts, such as sign-in and deletion. The HTTP handlers call these modules.

pub(crate) mod account_state;
pub(crate) mod activity;
pub(crate) mod actor;
pub(crate) mod change;
pub(crate) mod client;
pub(crate) mod connected_apps;
pub(crate) mod credential_undo;
pub(crate) mod current_password;
pub(crate) mod data_export;
pub(crate) mod deletion;
pub(crate) mod email;
pub(crate) mod links;
pub(crate) mod marketing_consent;
pub(crate) mod migration;
pub(crate) mod new_password;
pub(crate) mod passkey;
pub(crate) mod password;
pub(crate) mod second_factor;
pub(crate) mod security_log;
pub(crate) mod security_state;
pub(crate) mod session;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
pub(crate) mod strong_factor;
pub(crate) mod timing;
pub(crate) mod unverified;
