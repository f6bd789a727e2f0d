//! Hostile input: malformed fields, tokens, paths, hosts and bytes.

mod cookies;
mod fields;
mod hosts;
mod paths;
mod slow;
mod smtp;
mod sql;
mod tokens;
mod wire;
