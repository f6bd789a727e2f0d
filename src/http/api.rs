//! The HTTP API of contract 2: one file per flow, with its bodies and its handlers.

pub(crate) mod activity;
pub(crate) mod age_refusals;
pub(crate) mod config;
pub(crate) mod credential_undo;
pub(crate) mod data_export;
pub(crate) mod deletion;
pub(crate) mod devices;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod forward_auth;
pub(crate) mod marketing_consent;
pub(crate) mod migration;
pub(crate) mod migration_completion;
pub(crate) mod passkeys;
pub(crate) mod password_change;
pub(crate) mod password_reset;
pub(crate) mod reauthentication;
pub(crate) mod second_factor;
pub(crate) mod security_state;
pub(crate) mod session;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
pub(crate) mod support;
pub(crate) mod support_actions;
pub(crate) mod translations;
pub(crate) mod unsubscribe;
