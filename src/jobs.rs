//! Work beside requests.

pub(crate) mod deletion;
pub(crate) mod expiry;
pub(crate) mod scrape;
pub(crate) mod supervisor;
