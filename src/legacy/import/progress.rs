//! Shows the progress of an import as a bar on a terminal, otherwise as a line every few seconds.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

/// The time between two printed lines of progress.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

pub struct Progress {
    kind: ProgressOutput,
    size: u64,
    started_at: Instant,
    shown_at: Instant,
}

enum ProgressOutput {
    Bar(ProgressBar),
    Plain,
    Silent,
}

impl Progress {
    /// Returns a progress display on stderr.
    pub fn on_stderr() -> Progress {
        Progress::new(match std::io::stderr().is_terminal() {
            true => ProgressOutput::Bar(ProgressBar::hidden()),
            false => ProgressOutput::Plain,
        })
    }

    pub fn silent() -> Progress {
        Progress::new(ProgressOutput::Silent)
    }

    fn new(kind: ProgressOutput) -> Progress {
        let now = Instant::now();
        Progress {
            kind,
            size: 0,
            started_at: now,
            shown_at: now,
        }
    }

    pub(super) fn start(&mut self, bytes: u64) {
        self.size = bytes;
        self.started_at = Instant::now();
        self.shown_at = self.started_at;
        if let ProgressOutput::Bar(bar) = &mut self.kind {
            *bar = ProgressBar::new(bytes);
            let style = ProgressStyle::with_template(
                "{bar:30} {percent:>3} %  {msg}  {elapsed} gone, {eta} left",
            );
            bar.set_style(
                style
                    .expect("a template that is a constant")
                    .progress_chars("█▉▊▋▌▍▎▏ "),
            );
        }
    }

    pub(super) fn report(&mut self, rows: u64, bytes: u64) {
        let rate = rows as f64 / self.started_at.elapsed().as_secs_f64().max(0.001);
        match &self.kind {
            ProgressOutput::Bar(bar) => {
                let rate = HumanCount(rate as u64);
                bar.set_message(format!("{} rows, {rate} a second", HumanCount(rows)));
                bar.set_position(bytes);
            }
            ProgressOutput::Plain if self.shown_at.elapsed() >= LINE_INTERVAL => {
                self.shown_at = Instant::now();
                let done = bytes as f64 / self.size.max(1) as f64;
                let left = self
                    .started_at
                    .elapsed()
                    .mul_f64((1.0 / done.max(0.001) - 1.0).max(0.0));
                // An error means that stderr is closed, but the import continues.
                let _ = writeln!(
                    std::io::stderr(),
                    "account: {rows} rows, {rate:.0} a second, {:.0} %, {} left",
                    done * 100.0,
                    HumanDuration(left),
                );
            }
            ProgressOutput::Plain | ProgressOutput::Silent => {}
        }
    }

    pub(super) fn finish(&self) {
        if let ProgressOutput::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}
