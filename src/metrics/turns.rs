//! Pauses between the queries for scrapes.

/// Work that scrapes repeat only after a pause, by the app's clock.
#[derive(Default)]
pub(crate) struct Turn {
    at: Option<i64>,
    rest: i64,
}

impl Turn {
    /// Returns whether the pause is over. A clock that was set back ends the pause.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        self.at.is_none_or(|at| (now - at).abs() >= self.rest)
    }

    pub(crate) fn done(&mut self, now: i64, rest: i64) {
        (self.at, self.rest) = (Some(now), rest);
    }
}

#[derive(Default)]
pub(crate) struct Turns {
    pub ping: Turn,
    pub count: Turn,
}
