//! Jobs that run in the background as long as the process.

pub mod deletion;
pub mod expiry;
pub mod key_rotation;
pub(crate) mod scrape;
pub(crate) mod supervisor;
