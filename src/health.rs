//! The readiness of this process, which `/readyz` and the metric `account_database_up` report.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Mutex as Queue;

use crate::clock::Clock;
use crate::db::{Durability, Result, Store, StoreError};
use crate::rng::Rng;
use crate::store::secrets;

mod destruction_clock;

use destruction_clock::DestructionClock;

/// The time between two test writes to the database while writes succeed.
const TEST_INTERVAL_MILLIS: i64 = 10_000;
/// The time between two test writes to the database while writes fail.
const FAILING_TEST_INTERVAL_MILLIS: i64 = 1_000;
/// The size of a test write after a failure. Test writes are larger than any HTTP request's write, so their success
/// means that HTTP requests succeed again.
const TEST_WRITE_BYTES: usize = 96 << 10;
/// The name of the row of `secrets` that test writes change. The row contains no secret.
const TEST_ROW_NAME: &str = "write-test";

#[derive(Default)]
pub struct Health {
    pub destruction_clock: DestructionClock,
    is_stopping: AtomicBool,
    writes_fail: AtomicBool,
    /// The time of the last test write, and its error if it failed.
    last_test: Mutex<Option<(i64, Option<StoreError>)>>,
    test_lock: Queue<()>,
}

impl Health {
    /// Makes the process not ready when its shutdown begins.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Records that an HTTP request failed because the database accepts no writes (disk full, read-only, file moved).
    pub fn record_failed_write(&self, store: &Store) {
        if !self.writes_fail.swap(true, Ordering::Relaxed) {
            let disk = "the database accepts no writes: its disk is full, or it is read-only";
            let reason = store.check_files().map_err(|error| error.to_string());
            tracing::error!("{}", reason.err().as_deref().unwrap_or(disk));
            *self.last_test.lock().expect("no panic while held") = None;
        }
    }

    /// Checks that the database responds and accepts writes. Each check reads, but only one check in ten seconds
    /// writes, or one in a second while writes fail.
    pub async fn check(&self, store: &Store, clock: &Clock, rng: &Rng) -> Result<()> {
        store.ping().await.inspect_err(|error| {
            if matches!(error, StoreError::NotWritable(_)) {
                self.record_failed_write(store);
            }
        })?;
        let Ok(_turn) = self.test_lock.try_lock() else {
            return self.last_result();
        };
        let now = clock.millis();
        let is_failing = self.writes_fail.load(Ordering::Relaxed);
        let interval = if is_failing {
            FAILING_TEST_INTERVAL_MILLIS
        } else {
            TEST_INTERVAL_MILLIS
        };
        let last = self.last_test.lock().expect("no panic while held").clone();
        if let Some((at, error)) = last
            && (now - at).abs() < interval
        {
            return error.map_or(Ok(()), Err);
        }
        let result = test_write(store, rng, is_failing).await;
        match &result {
            // Overload does not make the process unready, because HTTP requests then are slow but succeed.
            Err(StoreError::Unavailable(_) | StoreError::Conflict(_)) => return Ok(()),
            Err(_) => self.record_failed_write(store),
            Ok(()) if is_failing => {
                self.writes_fail.store(false, Ordering::Relaxed);
                tracing::info!("the database accepts writes again");
            }
            Ok(()) => {}
        }
        *self.last_test.lock().expect("no panic while held") = Some((now, result.clone().err()));
        result
    }

    fn last_result(&self) -> Result<()> {
        match &*self.last_test.lock().expect("no panic while held") {
            Some((_, Some(error))) => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

async fn test_write(store: &Store, rng: &Rng, is_failing: bool) -> Result<()> {
    let mut filler = Vec::new();
    if is_failing {
        // The text is random, because PostgreSQL compresses repeated text.
        while filler.len() < TEST_WRITE_BYTES {
            filler.extend(rng.bytes::<1024>());
        }
    }
    let mut tx = store.begin(Durability::ProcessCrash).await?;
    secrets::upsert(&mut tx, TEST_ROW_NAME, &filler).await?;
    tx.commit().await?;
    if is_failing {
        let mut tx = store.begin(Durability::ProcessCrash).await?;
        secrets::upsert(&mut tx, TEST_ROW_NAME, &[]).await?;
        tx.commit().await?;
    }
    Ok(())
}
