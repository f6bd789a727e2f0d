//! Hostile input: fields, tokens, paths, hosts and bytes made to confuse.

mod cookies;
mod fields;
mod hosts;
mod paths;
mod slow;
mod smtp;
mod sql;
mod tokens;
mod wire;
