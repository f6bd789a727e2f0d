//! Work on a whole database, which is copied or backed up.

pub(crate) mod backup;
pub(crate) mod copy;
