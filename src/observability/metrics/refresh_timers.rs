//! Timers that limit how often scrapes query the database.

/// A timer for work that a scrape repeats only after an interval.
#[derive(Default)]
pub(crate) struct RefreshTimer {
    last_run_at: Option<i64>,
    interval: i64,
}

impl RefreshTimer {
    /// Returns whether the interval since the last run has passed. A clock that was set back ends the interval.
    pub(crate) fn is_due(&self, now: i64) -> bool {
        self.last_run_at
            .is_none_or(|at| (now - at).abs() >= self.interval)
    }

    pub(crate) fn record_run(&mut self, now: i64, interval: i64) {
        (self.last_run_at, self.interval) = (Some(now), interval);
    }
}

#[derive(Default)]
pub(crate) struct RefreshTimers {
    pub ping: RefreshTimer,
    pub count: RefreshTimer,
}
