//! The older system: its hash formats, the import of its accounts, and how far they have come.

pub mod hash;
pub mod import;
pub mod invite;
pub mod migrate_on_sign_in;
pub mod migration;
pub mod status;
mod username;
