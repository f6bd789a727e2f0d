//! Jobs that run in the background as long as the process.

pub(crate) mod deletion;
pub(crate) mod expiry;
pub(crate) mod key_rotation;
pub(crate) mod scrape;
pub(crate) mod supervisor;
