//! Jobs that run in the background while the process runs.

pub mod deletion;
pub mod expiry;
pub mod key_rotation;
pub(crate) mod scrape;
pub(crate) mod supervisor;
