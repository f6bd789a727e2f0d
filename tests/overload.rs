//! More than the machine can do, and what stands under it gone: refused at once and honestly, and
//! well again by itself.

mod database_away;
mod descriptors;
mod disk_full;
mod hashing;
mod limiter;
mod panics;
pub mod proxy;
mod writers;
