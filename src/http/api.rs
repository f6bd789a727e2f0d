//! The HTTP API. Each file has the handlers of one flow, and those request and response bodies that the flow's module
//! in `accounts/` does not declare.

pub(crate) mod activity;
pub(crate) mod age_refusals;
pub(crate) mod bodies;
pub(crate) mod config;
pub(crate) mod connected_apps;
pub(crate) mod data_export;
pub(crate) mod deletion;
pub(crate) mod devices;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod forward_auth;
pub(crate) mod link_address;
pub(crate) mod marketing_consent;
pub(crate) mod migration;
pub(crate) mod migration_completion;
pub(crate) mod passkeys;
pub(crate) mod password_change;
pub(crate) mod password_reset;
mod prelude;
pub(crate) mod profile;
pub(crate) mod reauthentication;
pub(crate) mod second_factor;
pub(crate) mod security_state;
pub(crate) mod session;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
pub(crate) mod support;
pub(crate) mod support_actions;
pub(crate) mod translations;
pub(crate) mod undo;
pub(crate) mod unsubscribe;
