//! Background jobs.

pub(crate) mod deletion;
pub(crate) mod expiry;
pub(crate) mod key_rotation;
pub(crate) mod scrape;
pub(crate) mod supervisor;
