//! Commands that back up or copy a whole database.

pub mod backup;
pub mod copy;
