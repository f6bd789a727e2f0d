//! The program as operators meet it: started before its database, told to read its settings again, told to stop,
//! and with a log that nobody reads.

mod connections;
mod migrating;
mod refusals;
mod signals;
