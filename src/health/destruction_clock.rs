//! The time by which jobs destroy accounts for good. A machine with a wrong clock would destroy them for all nodes, so
//! the time of PostgreSQL's server counts. On SQLite the time of this machine counts after a check.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::clock::{Clock, DAY, HOUR};
use crate::db::{Durability, Result, Store};
use crate::store::secrets;

/// The largest difference in milliseconds between the clock of a node and the clock of PostgreSQL's server.
const MAX_DIFFERENCE_MILLIS: i64 = 5 * 60_000;
/// The largest difference in milliseconds between the clock of this machine and the last sweep on SQLite.
const MAX_SWEEP_GAP_MILLIS: i64 = DAY;
/// The running time after which a clock is believed on SQLite: wrong clocks are corrected soon after a start.
const CORRECTION_TIME: Duration = Duration::from_secs(3600);
/// The name of the row of `secrets` with the time of the last sweep on SQLite. The row contains no secret.
const LAST_SWEEP: &str = "last-sweep";

#[derive(Default)]
pub struct DestructionClock {
    /// The time since which the clock of this machine is doubted.
    doubted_since: Mutex<Option<Instant>>,
}

impl DestructionClock {
    /// Returns the time in milliseconds since 1970 UTC, or `None` while the clock of this machine is doubted, so that
    /// nothing may be destroyed.
    pub async fn now(&self, store: &Store, clock: &Clock) -> Result<Option<i64>> {
        let own = clock.millis();
        if matches!(clock, Clock::Manual(_)) {
            return Ok(Some(own));
        }
        match store {
            Store::Postgres(_) => {
                let server = store.read().await?.clock_millis().await?;
                let is_right = own.abs_diff(server) <= MAX_DIFFERENCE_MILLIS.unsigned_abs();
                self.doubt(!is_right, "the clock of the database server");
                Ok(is_right.then_some(server))
            }
            Store::Sqlite(_) => {
                let last = self.last_sweep(store).await?;
                let gap = last.map_or(0, |last| own.abs_diff(last));
                let is_near = gap <= MAX_SWEEP_GAP_MILLIS.unsigned_abs();
                let doubted_for = self.doubt(!is_near, "the last sweep of the database");
                if !is_near && doubted_for < CORRECTION_TIME {
                    return Ok(None);
                }
                if last.is_none() || gap > HOUR.unsigned_abs() {
                    self.set_last_sweep(store, own).await?;
                }
                Ok(Some(own))
            }
        }
    }

    /// Begins or ends the doubt. Returns its duration.
    fn doubt(&self, is_doubtful: bool, reference: &str) -> Duration {
        let mut since = self.doubted_since.lock().expect("no panic while held");
        if !is_doubtful {
            *since = None;
        } else if since.is_none() {
            *since = Some(Instant::now());
            tracing::error!(
                "the clock of this machine differs from {reference}: no account is deleted until it is right"
            );
        }
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    async fn last_sweep(&self, store: &Store) -> Result<Option<i64>> {
        let value = secrets::find(&mut store.read().await?, LAST_SWEEP).await?;
        let bytes = value.and_then(|value| value.try_into().ok());
        Ok(bytes.map(i64::from_be_bytes))
    }

    async fn set_last_sweep(&self, store: &Store, at: i64) -> Result<()> {
        let mut tx = store.begin(Durability::ProcessCrash).await?;
        secrets::upsert(&mut tx, LAST_SWEEP, &at.to_be_bytes()).await?;
        tx.commit().await
    }
}
