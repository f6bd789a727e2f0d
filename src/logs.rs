//! Logs: JSON, one event a line, or text for a person at a terminal. What never stands in them:
//! passwords, tokens, cookies, query strings, e-mail addresses (docs/conventions.md).

use std::io::IsTerminal;

use tracing::Subscriber;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;

use crate::config::{Log, LogFormat};

/// Logs to stdout from now on. Called once.
pub fn start(settings: &Log) {
    let as_json = match settings.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stdout().is_terminal(),
    };
    if as_json {
        json(settings, std::io::stdout).init();
    } else {
        tracing_subscriber::registry()
            .with(level(settings))
            .with(tracing_subscriber::fmt::layer().with_target(false))
            .init();
    }
}

/// One JSON object a line, into `out`.
pub fn json<W>(settings: &Log, out: W) -> impl Subscriber + Send + Sync + use<W>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(out);
    tracing_subscriber::registry()
        .with(level(settings))
        .with(layer)
}

fn level(settings: &Log) -> Targets {
    let level: Targets = settings.level.parse().unwrap_or_else(|_| Targets::new());
    // It tells every start that there was nothing to do.
    level.with_target("refinery_core", tracing::Level::WARN)
}
