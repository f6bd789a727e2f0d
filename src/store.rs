//! The tables: one file each, with the queries on it, and copies of all tables.

pub(crate) mod accounts;
pub(crate) mod backup;
pub(crate) mod copy;
pub(crate) mod devices;
pub(crate) mod legacy;
pub(crate) mod legacy_import;
pub(crate) mod legacy_status;
pub(crate) mod limits;
pub(crate) mod outbox;
pub(crate) mod reservations;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod tokens;
