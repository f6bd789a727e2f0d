//! The account site: sign-in, registration, recovery, migration and settings. Start reading at `http/router.rs`.

// Only `cli::output` writes to stdout and stderr, because it escapes untrusted text, and because `println!` panics if
// the reader has closed the pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
pub mod cli;
pub mod config;
pub mod http;

mod accounts;
mod clock;
mod crypto;
mod db;
mod domain;
mod error;
mod health;
mod i18n;
mod jobs;
mod legacy;
mod mail;
mod maintenance;
mod named_enum;
mod observability;
mod oidc;
mod outbox;
mod outgoing;
mod rate_limit;
mod rng;
mod store;
mod support;
mod time_limit;

#[doc(hidden)]
pub mod testing;
