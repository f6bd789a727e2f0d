//! Shows the progress of an import as a bar on a terminal, otherwise as a line every few seconds.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

/// The time between two printed lines of progress.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

pub struct Progress {
    /// The bar counts the bytes of the file, also while it is hidden.
    pub(super) bar: ProgressBar,
    /// The time of the last printed line, or `None` if the import prints nothing.
    shown_at: Option<Instant>,
}

impl Progress {
    /// Returns a progress display on stderr.
    pub fn on_stderr() -> Progress {
        let style = ProgressStyle::with_template(
            "{bar:30} {percent:>3} %  {msg}  {elapsed} gone, {eta} left",
        );
        let style = style.expect("a template that is a constant");
        Progress {
            bar: ProgressBar::no_length().with_style(style.progress_chars("█▉▊▋▌▍▎▏ ")),
            shown_at: Some(Instant::now()),
        }
    }

    pub fn silent() -> Progress {
        Progress {
            bar: ProgressBar::hidden(),
            shown_at: None,
        }
    }

    pub(super) fn report(&mut self, rows: u64) {
        let bar = &self.bar;
        let rate = rows as f64 / bar.elapsed().as_secs_f64().max(0.001);
        let (total, per_second) = (HumanCount(rows), HumanCount(rate as u64));
        bar.set_message(format!("{total} rows, {per_second} a second"));
        // The bar hides itself if stderr is no terminal.
        if let Some(shown_at) = &mut self.shown_at
            && bar.is_hidden()
            && shown_at.elapsed() >= LINE_INTERVAL
        {
            *shown_at = Instant::now();
            // The length of a pipe is unknown.
            let left = bar.length().map(|size| {
                let percent = bar.position() as f64 / size.max(1) as f64 * 100.0;
                format!(", {percent:.0} %, {} left", HumanDuration(bar.eta()))
            });
            let left = left.unwrap_or_default();
            // An error means that stderr is closed, but the import continues.
            let _ = writeln!(
                std::io::stderr(),
                "account: {rows} rows, {rate:.0} a second{left}"
            );
        }
    }
}
