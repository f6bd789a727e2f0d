//! The tables: one file each, with the queries on it, and copies of all tables.

pub(crate) mod account_states;
pub(crate) mod accounts;
pub(crate) mod backup;
pub(crate) mod consents;
pub(crate) mod copy;
pub(crate) mod credentials;
pub(crate) mod deleted_accounts;
pub(crate) mod deliveries;
pub(crate) mod devices;
pub(crate) mod legacy;
pub(crate) mod legacy_import;
pub(crate) mod legacy_status;
pub(crate) mod limits;
pub(crate) mod outbox;
pub(crate) mod recovery_codes;
pub(crate) mod reservations;
pub(crate) mod sealed;
pub(crate) mod sealer;
pub(crate) mod second_factor_resets;
pub(crate) mod secrets;
pub(crate) mod security_events;
pub(crate) mod sessions;
pub(crate) mod sign_in_challenges;
pub(crate) mod tokens;
pub(crate) mod totp;
