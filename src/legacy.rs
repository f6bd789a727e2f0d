//! The older system: its password hashes, the import of its accounts, their migration and its
//! statistics.

pub(crate) mod hash;
pub(crate) mod import;
pub(crate) mod invite;
pub(crate) mod migrate_on_sign_in;
pub(crate) mod migration;
pub(crate) mod status;
mod username;
