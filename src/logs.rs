//! Logs: JSON, one event a line, or text for a person at a terminal. What never stands in them:
//! passwords, tokens, cookies, query strings, e-mail addresses (docs/conventions.md).

use std::io::IsTerminal;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

use crate::config::{Log, LogFormat};

/// Logs to stdout from now on. Called once.
pub fn start(settings: &Log) {
    let level: Targets = settings.level.parse().unwrap_or_else(|_| Targets::new());
    // It tells every start that there was nothing to do.
    let level = level.with_target("refinery_core", tracing::Level::WARN);
    let as_json = match settings.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stdout().is_terminal(),
    };
    let registry = tracing_subscriber::registry().with(level);
    if as_json {
        let layer = tracing_subscriber::fmt::layer()
            .json()
            .flatten_event(true)
            .with_span_list(false);
        registry.with(layer).init();
    } else {
        registry
            .with(tracing_subscriber::fmt::layer().with_target(false))
            .init();
    }
}
