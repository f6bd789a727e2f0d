//! Account: sign in, join, recover, migrate, manage. Start reading at `http/router.rs`.

pub mod app;
pub mod cli;
pub mod config;
pub mod http;

mod causes;
mod clock;
mod db;
mod demo;
mod domain;
mod error;
mod expiry;
mod hasher;
mod health;
mod i18n;
mod legacy;
mod logs;
mod mail;
mod metrics;
mod rate_limit;
mod rng;
mod store;
mod tls;
#[cfg(feature = "otlp")]
mod traces;

#[doc(hidden)]
pub mod testing;
