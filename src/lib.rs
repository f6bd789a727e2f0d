//! Account: sign in, join, recover, migrate, manage. Start reading at `router.rs`.

pub mod api;
pub mod app;
pub mod causes;
pub mod clock;
pub mod config;
pub mod demo;
pub mod domain;
pub mod error;
pub mod hasher;
pub mod legacy;
pub mod limits;
pub mod logs;
pub mod mail;
pub mod metrics;
pub mod openapi;
pub mod ops;
pub mod rng;
pub mod router;
pub mod serve;
pub mod shell;
pub mod store;
pub mod sweep;
pub mod tls;
#[cfg(feature = "otlp")]
pub mod traces;
pub mod words;
