//! Account: sign in, join, recover, migrate, manage. Start reading at `http/router.rs`.

// `cli::output` writes to stdout and stderr: it escapes text of people, and `println!` panics when the reader has closed
// the pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
pub mod cli;
pub mod config;
pub mod http;

mod accounts;
mod auth;
mod causes;
mod clock;
mod db;
mod domain;
mod error;
mod hashing;
mod health;
mod i18n;
mod jobs;
mod legacy;
mod logs;
mod mail;
mod metrics;
mod named_enum;
mod oidc;
mod outbox;
mod outgoing;
mod rate_limit;
mod rng;
mod sealing;
mod signing;
mod store;
mod support;
#[cfg(feature = "otlp")]
mod traces;

#[doc(hidden)]
pub mod testing;
