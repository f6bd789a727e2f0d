//! Overload and missing resources: requests are refused at once with the right status, and the process recovers without
//! a restart.

mod database_away;
mod descriptors;
mod disk_full;
mod hashing;
mod limiter;
mod panics;
pub mod proxy;
mod writers;
