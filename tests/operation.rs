//! Operation of the program: start without a database, reload, stop, and an unread log.

mod connections;
mod migrating;
mod refusals;
mod signals;
mod upgrade;
