//! The clock as a parameter: production uses the system clock, and tests set the time by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

pub(crate) const HOUR: i64 = 3_600_000;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Formats a time in milliseconds since 1970 UTC as RFC 3339 text in UTC, to the second.
pub fn rfc3339(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MIN);
    let seconds = Timestamp::from_second(time.as_second()).unwrap_or(Timestamp::MIN);
    seconds.to_string()
}

/// Serialises an optional time in milliseconds since 1970 UTC in the format of `rfc3339`.
pub(crate) fn serialize_time<S: Serializer>(
    millis: &(impl Into<Option<i64>> + Copy),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    (*millis).into().map(rfc3339).serialize(serializer)
}

fn from_millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).expect("a time within range")
}

#[derive(Debug, Clone)]
pub enum Clock {
    System,
    /// A time that a test sets, in milliseconds since 1970 UTC.
    Manual(Arc<AtomicI64>),
    /// The system clock of a machine that is wrong by this many milliseconds, in a test.
    Wrong(i64),
}

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "only this function reads the system clock"
    )]
    pub fn now(&self) -> Timestamp {
        match self {
            Clock::System => Timestamp::now(),
            Clock::Manual(at) => from_millis(at.load(Ordering::SeqCst)),
            Clock::Wrong(by) => from_millis(Timestamp::now().as_millisecond() + by),
        }
    }

    /// Returns the time in milliseconds since 1970 UTC, as the database stores times.
    pub fn millis(&self) -> i64 {
        self.now().as_millisecond()
    }

    /// Returns the date in UTC, from which ages are computed.
    pub(crate) fn today(&self) -> Date {
        self.now().to_zoned_datetime(TimeZone::UTC).date()
    }
}
