//! Removes what has expired, a little at a time, so that no request waits for it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::{App, Shared};
use crate::store::{
    Durability, Result, Tx, accounts, devices, limits, outbox, reservations, sessions, tokens,
};

/// How long a batch may take, its transaction, which holds the writer, and the copy of its log; the number of its
/// rows follows from it. A tenth of what somebody who waits for it may notice.
const BATCH_TIME: Duration = Duration::from_millis(10);
const FIRST_BATCH: i64 = 50;
const LARGEST_BATCH: i64 = 1000;
/// Between two batches; never shorter than the last one took.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a mail that was given up stays for the operator to see.
const FAILED_MAIL_KEPT: i64 = 14 * DAY;
const KEPT_MAIL_KEPT: i64 = 14 * DAY;
/// As long as its cookie lives at most (api/cookies.rs).
const DEVICE_FORGOTTEN: i64 = 400 * DAY;
const DAY: i64 = 24 * 3_600_000;

pub async fn run(app: Shared, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        match sweep(&app, &stop).await {
            Ok(0) => {}
            Ok(rows) => tracing::debug!(rows, "swept"),
            Err(error) => tracing::warn!(%error, "the sweep waits for the database"),
        }
    }
}

/// Removes everything that has expired by now. Returns how many rows.
pub async fn sweep(app: &App, stop: &watch::Receiver<bool>) -> Result<u64> {
    let now = app.clock.millis();
    let mut removed = 0;
    for what in Expired::ALL {
        let mut batch = FIRST_BATCH;
        loop {
            // What a power cut brings back is removed again.
            let mut tx = app.store.begin(Durability::ProcessCrash).await?;
            let begun = Instant::now();
            let rows = what.remove(&mut tx, app, now, batch).await?;
            tx.commit().await?;
            app.store.checkpoint().await?;
            removed += rows;
            if *stop.borrow() {
                return Ok(removed);
            }
            if rows < batch as u64 {
                break;
            }
            let took = begun.elapsed();
            batch = next_batch(batch, took);
            tokio::time::sleep(took.max(PAUSE)).await;
        }
    }
    Ok(removed)
}

/// As many rows as the batch time holds, by what the last batch took; at most twice as many.
fn next_batch(rows: i64, took: Duration) -> i64 {
    let share = BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(1e-6);
    let next = (rows as f64 * share.min(2.0)) as i64;
    next.clamp(1, LARGEST_BATCH)
}

#[derive(Debug, Clone, Copy)]
enum Expired {
    Sessions,
    Tokens,
    Limits,
    Unverified,
    /// After the accounts: until then the reservation alone decides, for free and taken addresses alike.
    Reservations,
    Devices,
    KeptMail,
    FailedMail,
}

impl Expired {
    const ALL: [Expired; 8] = [
        Expired::Sessions,
        Expired::Tokens,
        Expired::Limits,
        Expired::Unverified,
        Expired::Reservations,
        Expired::Devices,
        Expired::KeptMail,
        Expired::FailedMail,
    ];

    /// Removes at most so many rows of one kind.
    async fn remove(self, tx: &mut Tx, app: &App, now: i64, most: i64) -> Result<u64> {
        let unverified = app.config.lifetimes.unverified_account.millis();
        match self {
            Expired::Sessions => sessions::sweep(tx, now, most).await,
            Expired::Tokens => tokens::sweep(tx, now, most).await,
            Expired::Limits => limits::sweep(tx, now, most).await,
            Expired::Unverified => accounts::sweep_unverified(tx, now - unverified, most).await,
            Expired::Reservations => reservations::sweep(tx, now - unverified, most).await,
            Expired::Devices => devices::sweep(tx, now - DEVICE_FORGOTTEN, most).await,
            Expired::KeptMail => outbox::sweep_kept(tx, now - KEPT_MAIL_KEPT, most).await,
            Expired::FailedMail => outbox::sweep_failed(tx, now - FAILED_MAIL_KEPT, most).await,
        }
    }
}
