//! The older system: its password hashes, the import of its accounts, their migration and its
//! statistics.

pub mod hash;
pub mod import;
pub mod invite;
pub mod migrate_on_sign_in;
pub mod migration;
pub mod status;
mod username;
