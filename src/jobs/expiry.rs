//! Deletes expired rows in small batches, so that requests are not delayed.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::accounts::actor::Actor;
use crate::accounts::change::{Change, change_with_durability};
use crate::app::{App, SharedApp};
use crate::clock::DAY;
use crate::config::Lifetimes;
use crate::db::{Durability, Result, StoreError};
use crate::store::expiry::ExpiringTable;
use crate::store::{self, accounts, outbox, sessions, tokens};

/// The target duration of a batch, including its transaction, which blocks other writers, and the checkpoint after it.
/// The number of rows per batch follows from this duration, which is a tenth of the shortest delay that people notice.
const TARGET_BATCH_TIME: Duration = Duration::from_millis(10);
const FIRST_BATCH_ROWS: i64 = 50;
const MAX_BATCH_ROWS: i64 = 1000;
/// The shortest pause between two batches; the pause is never shorter than the last batch.
const BATCH_PAUSE: Duration = Duration::from_millis(10);
/// The retention of queued HTTP requests, which is longer than every retry schedule of `src/outbox`.
const DELIVERY_RETENTION: i64 = 7 * DAY;

pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        match delete_expired(&app, &stop).await {
            Ok(0) => {}
            Ok(rows) => tracing::debug!(rows, "expired rows deleted"),
            Err(_) => {} // `delete_expired` has logged each failure.
        }
    }
}

/// Deletes all expired rows. Returns their number, or the earliest failure after every kind of row was tried.
pub async fn delete_expired(app: &App, stop: &watch::Receiver<bool>) -> Result<u64> {
    let mut removed = Ok(0);
    for kind in Expired::all() {
        match delete_kind(app, kind, stop).await {
            Ok(rows) => removed = removed.map(|sum| sum + rows),
            Err(error) => {
                tracing::warn!(%error, ?kind, "expired rows could not be deleted");
                removed = removed.and(Err(error));
            }
        }
        if *stop.borrow() {
            break;
        }
    }
    removed
}

async fn delete_kind(app: &App, kind: Expired, stop: &watch::Receiver<bool>) -> Result<u64> {
    let clock = &app.health.destruction_clock;
    let now = match kind {
        Expired::Unverified => match clock.now(&app.store, &app.clock).await? {
            Some(now) => now,
            None => return Ok(0),
        },
        _ => app.clock.millis(),
    };
    let mut removed = 0;
    let mut batch = FIRST_BATCH_ROWS;
    loop {
        let started_at = Instant::now();
        // If power loss restores rows, the next run of the job deletes them again.
        let durability = Durability::ProcessCrash;
        let work = |mut change| async move {
            let rows = kind.delete(&mut change, now, batch).await?;
            change.commit::<_, StoreError>(rows).await
        };
        let rows: u64 = change_with_durability(app, Actor::System, durability, work).await?;
        app.store.checkpoint().await?;
        // The duration of a batch decides the size of the next batch.
        let took = started_at.elapsed();
        removed += rows;
        if *stop.borrow() || rows < batch as u64 {
            return Ok(removed);
        }
        batch = next_batch_rows(batch, took);
        tokio::time::sleep(took.max(BATCH_PAUSE)).await;
    }
}

/// Returns the number of rows that fit into `TARGET_BATCH_TIME` at the last batch's speed, but at most twice as many.
fn next_batch_rows(rows: i64, took: Duration) -> i64 {
    let share = TARGET_BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(1e-6);
    let next = (rows as f64 * share.min(2.0)) as i64;
    next.clamp(1, MAX_BATCH_ROWS)
}

#[derive(Debug, Clone, Copy)]
enum Expired {
    Sessions,
    Tokens,
    Unverified,
    /// Queued HTTP requests get that old only if their endpoint was removed or a newer program version queued them.
    Deliveries,
    SigningKeys,
    /// Reserved usernames are deleted after `Unverified`, so that a reserved username becomes free no earlier than the
    /// username of an unverified account. The difference would reveal whether the email address was taken.
    Rows(ExpiringTable),
}

impl Expired {
    fn all() -> impl Iterator<Item = Expired> {
        let others = [
            Expired::Sessions,
            Expired::Tokens,
            Expired::Unverified,
            Expired::Deliveries,
            Expired::SigningKeys,
        ];
        let tables = ExpiringTable::ALL.iter().copied();
        others.into_iter().chain(tables.map(Expired::Rows))
    }

    /// Returns for how many milliseconds a row is kept after the time in the column by which it expires.
    fn retention(self, lifetimes: &Lifetimes) -> i64 {
        match self {
            Expired::Sessions | Expired::Tokens | Expired::SigningKeys => 0,
            Expired::Unverified => lifetimes.unverified_account.millis(),
            Expired::Deliveries => DELIVERY_RETENTION,
            Expired::Rows(table) => table.retention()(lifetimes),
        }
    }

    async fn delete(self, change: &mut Change<'_>, now: i64, limit: i64) -> Result<u64> {
        let app = change.app;
        let before = now - self.retention(&app.config.lifetimes);
        match self {
            Expired::Sessions => {
                let ended = sessions::delete_expired(change, before, limit).await?;
                change.handle_expired(ended).await
            }
            Expired::Tokens => tokens::delete_expired(change, before, limit).await,
            Expired::Unverified => {
                let deleted = accounts::delete_long_unverified(change, before, limit).await?;
                for account in &deleted {
                    change.report_removed_registration(*account).await?;
                }
                Ok(deleted.len() as u64)
            }
            Expired::Deliveries => outbox::requests::delete_expired(change, before, limit).await,
            Expired::SigningKeys => app.signing_keys.delete_expired(change, &app.config).await,
            Expired::Rows(table) => store::expiry::delete(change, table, before, limit).await,
        }
    }
}
