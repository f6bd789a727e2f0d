//! Work on a whole database: copies and backups.

pub(crate) mod backup;
pub(crate) mod copy;
