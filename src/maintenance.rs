//! Commands that work on a whole database, which they copy or back up.

pub(crate) mod backup;
pub(crate) mod copy;
