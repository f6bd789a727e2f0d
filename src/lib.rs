//! Account: sign in, join, recover, migrate, manage. Start reading at `router.rs`.

pub mod app;
pub mod cli;
pub mod config;
pub mod router;

mod api;
mod causes;
mod clock;
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
mod middleware;
mod openapi;
mod ops;
mod pages;
mod rate_limit;
mod rng;
mod serve;
mod store;
mod tls;
#[cfg(feature = "otlp")]
mod traces;

#[doc(hidden)]
pub mod testing;
