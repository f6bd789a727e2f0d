//! Operation of the program: start without a database, reload, stop, and a log that no process reads.

mod migrating;
mod moved_files;
mod refusals;
mod signals;
pub mod upgrade;
