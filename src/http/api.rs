//! The HTTP API of contract 2: one file per flow.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod cookies;
pub(crate) mod devices;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod guard;
pub(crate) mod migration;
pub(crate) mod migration_completion;
pub(crate) mod new_password;
pub(crate) mod origin;
pub(crate) mod password_change;
pub(crate) mod password_reset;
pub(crate) mod request_context;
pub(crate) mod session;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
pub(crate) mod translations;
pub(crate) mod underage;
pub(crate) mod unsubscribe;
