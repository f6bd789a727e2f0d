//! The HTTP API of contract 2: one file per flow.

pub mod answer;
pub mod body;
pub mod config;
pub mod cookies;
pub mod devices;
pub mod email_change;
pub mod email_verification;
pub mod guard;
pub mod migration;
pub mod migration_completion;
pub mod new_password;
pub mod origin;
pub mod password_change;
pub mod password_reset;
pub mod request_context;
pub mod session;
pub mod sign_in;
pub mod sign_up;
pub mod translations;
pub mod underage;
pub mod unsubscribe;
