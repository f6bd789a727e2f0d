//! Commands that work on a whole database, which they copy or back up.

pub mod backup;
pub mod copy;
