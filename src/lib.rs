//! Account: sign in, join, recover, migrate, manage. Start reading at `router.rs`.

pub mod api;
pub mod app;
pub mod causes;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo;
pub mod domain;
pub mod error;
pub mod expiry;
pub mod hasher;
pub mod health;
pub mod i18n;
pub mod legacy;
pub mod logs;

pub mod mail;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod ops;
pub mod pages;
pub mod rate_limit;
pub mod rng;
pub mod router;
pub mod serve;
pub mod store;
pub mod tls;
#[cfg(feature = "otlp")]
pub mod traces;
