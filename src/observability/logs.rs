//! Logs: one JSON event in each line, or text for a terminal. Passwords, tokens, cookies, query strings and email
//! addresses are never logged (CONTRIBUTING.md).

use std::io::IsTerminal;
use std::sync::OnceLock;

use tracing::Subscriber;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry, reload};

use crate::config::{Log, LogFormat};

mod lines;

pub use lines::DROPPED_LINES;
use lines::LogWriter;

/// The log that `start` has started.
static RUNNING_LOG: OnceLock<RunningLog> = OnceLock::new();

struct RunningLog {
    level: reload::Handle<Targets, Registry>,
    lines: LogWriter,
}

/// Starts logging to stdout, including panics. Must be called only once.
pub fn start(settings: &Log) -> std::io::Result<()> {
    let as_json = match settings.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !std::io::stdout().is_terminal(),
    };
    let lines = LogWriter::start(std::io::stdout())?;
    let (filter, level) = reload::Layer::new(level_filter(settings));
    let registry = tracing_subscriber::registry().with(filter);
    if as_json {
        registry.with(json_layer(lines.clone())).init();
    } else {
        let layer = tracing_subscriber::fmt::layer().with_target(false);
        registry
            .with(
                layer
                    .with_writer(lines.clone())
                    .with_ansi(std::io::stdout().is_terminal()),
            )
            .init();
    }
    log_panics();
    RUNNING_LOG.get_or_init(|| RunningLog { level, lines });
    Ok(())
}

pub fn set_level(settings: &Log) {
    if let Some(started) = RUNNING_LOG.get()
        && let Err(error) = started.level.reload(level_filter(settings))
    {
        tracing::error!(%error, "log.level could not be changed");
    }
}

/// Writes the queued lines before the process ends. Gives up if the reader of stdout stalls.
pub fn flush() {
    if let Some(started) = RUNNING_LOG.get() {
        started.lines.flush();
    }
}

/// Logs a panic of any thread as an event instead of text on stderr (OWASP ASVS 5.0 16.5.4). The location is always
/// logged, but the message only if it is a literal, because a formatted message may repeat input.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        let literal = panic.payload().downcast_ref::<&'static str>();
        tracing::error!(location, message = literal.copied().unwrap_or("panicked"));
    }));
}

/// Returns a subscriber that writes one JSON object per line to `out`.
pub fn json<W>(settings: &Log, out: W) -> impl Subscriber + Send + Sync + use<W>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    tracing_subscriber::registry()
        .with(level_filter(settings))
        .with(json_layer(out))
}

fn json_layer<S, W>(out: W) -> impl Layer<S> + Send + Sync
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(out)
}

fn level_filter(settings: &Log) -> Targets {
    let level: Targets = settings.level.parse().unwrap_or_else(|_| Targets::new());
    // The migrations library logs at every start that no migration is pending, and the database driver repeats
    // PostgreSQL's notices.
    level
        .with_target("refinery_core", tracing::Level::WARN)
        .with_target("tokio_postgres", tracing::Level::WARN)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic while held").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    // security: FI-12
    #[test]
    fn a_panic_is_an_event_with_its_location_and_without_formatted_input() {
        let lines = Lines::default();
        let out = lines.clone();
        let subscriber = json(&crate::config::Config::default().log, move || out.clone());
        log_panics();
        tracing::subscriber::with_default(subscriber, || {
            std::panic::catch_unwind(|| panic!("a literal message")).unwrap_err();
            let typed = "typed-by-a-visitor";
            std::panic::catch_unwind(|| panic!("cannot use {typed}")).unwrap_err();
        });
        drop(std::panic::take_hook());
        let written = lines.0.lock().unwrap().clone();
        let written = String::from_utf8(written).unwrap();
        let events: Vec<serde_json::Value> = written
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(events.len(), 2, "{written}");
        for event in &events {
            assert_eq!(event["level"], "ERROR");
            let location = event["location"].as_str().unwrap();
            assert!(
                location.starts_with("src/observability/logs.rs:"),
                "{location}"
            );
        }
        assert_eq!(events[0]["message"], "a literal message");
        assert_eq!(events[1]["message"], "panicked");
        assert!(!written.contains("typed-by-a-visitor"), "{written}");
    }
}
