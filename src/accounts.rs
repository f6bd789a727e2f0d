//! The flows of an account, without HTTP: one file per flow.

pub(crate) mod activity;
pub(crate) mod connected_apps;
pub(crate) mod credential_undo;
pub(crate) mod data_export;
pub(crate) mod deletion;
pub(crate) mod devices;
pub(crate) mod disabling;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod marketing_consent;
pub(crate) mod passkey_sign_in;
pub(crate) mod passkeys;
pub(crate) mod password_change;
pub(crate) mod password_reset;
pub(crate) mod second_factor;
pub(crate) mod second_factor_reset;
pub(crate) mod second_factor_sign_in;
pub(crate) mod security_state;
pub(crate) mod sign_in;
pub(crate) mod sign_up;
