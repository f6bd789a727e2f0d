//! The older system: its password hashes, the import of its accounts, their migration and its statistics.

pub(crate) mod completion;
pub(crate) mod email_change;
pub(crate) mod import;
pub(crate) mod invite;
pub(crate) mod link;
pub(crate) mod migrate_on_sign_in;
pub(crate) mod migration;
pub(crate) mod purge;
pub(crate) mod status;
pub(crate) mod unsubscribe;
mod username;
