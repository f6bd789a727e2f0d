//! Removes what has expired, a little at a time, so that no request waits for it.

use std::time::Duration;

use tokio::sync::watch;

use crate::app::{App, Shared};
use crate::store::{Result, accounts, devices, limits, outbox, sessions, tokens};

/// Rows a transaction: short enough that other writers do not notice.
const BATCH: i64 = 500;
const PAUSE: Duration = Duration::from_millis(20);
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
    let unverified = now - app.config.lifetimes.unverified_account.millis();
    let mut removed = 0;
    loop {
        let mut tx = app.store.write().await?;
        let rows = sessions::sweep(&mut tx, now, BATCH).await?
            + tokens::sweep(&mut tx, now, BATCH).await?
            + limits::sweep(&mut tx, now, BATCH).await?
            + accounts::sweep_unverified(&mut tx, unverified, BATCH).await?
            + devices::sweep(&mut tx, now - DEVICE_FORGOTTEN, BATCH).await?
            + outbox::sweep_kept(&mut tx, now - KEPT_MAIL_KEPT, BATCH).await?
            + outbox::sweep_failed(&mut tx, now - FAILED_MAIL_KEPT, BATCH).await?;
        tx.commit().await?;
        removed += rows;
        if rows == 0 || *stop.borrow() {
            return Ok(removed);
        }
        tokio::time::sleep(PAUSE).await;
    }
}
