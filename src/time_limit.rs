//! Time limits of waits for the processor, the disk and the database, which a busy machine can exceed without a fault.

use std::time::Duration;

/// A time limit on a machine that has nothing else to do. Tests on a busy machine multiply the limit
/// ([`slowness`]), and release builds never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit(Duration);

impl TimeLimit {
    pub const fn new(on_idle_machine: Duration) -> TimeLimit {
        TimeLimit(on_idle_machine)
    }

    pub const fn from_millis(on_idle_machine: u64) -> TimeLimit {
        TimeLimit(Duration::from_millis(on_idle_machine))
    }

    pub const fn from_secs(on_idle_machine: u64) -> TimeLimit {
        TimeLimit(Duration::from_secs(on_idle_machine))
    }

    pub fn get(self) -> Duration {
        self.0.saturating_mul(slowness())
    }
}

/// Returns the factor of all time limits, which `scripts/slowness.sh` finds for the tests.
///
/// # Panics
/// If `ACCOUNT_TEST_SLOW` is no whole number from 1 to 1000.
#[cfg(debug_assertions)]
pub fn slowness() -> u32 {
    static SLOWNESS: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        let Some(text) = std::env::var_os("ACCOUNT_TEST_SLOW") else {
            return 1;
        };
        let factor = text.to_str().and_then(|text| text.parse().ok());
        let factor = factor.filter(|factor| (1..=1000).contains(factor));
        factor.expect("ACCOUNT_TEST_SLOW is a whole number from 1 to 1000")
    });
    *SLOWNESS
}

#[cfg(not(debug_assertions))]
pub const fn slowness() -> u32 {
    1
}
