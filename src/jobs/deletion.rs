//! Deletes the accounts whose deletion is due, each in a transaction of its own, so that no request waits for long.

use std::time::Duration;

use tokio::sync::watch;

use crate::app::{App, Shared};
use crate::auth::deletion;
use crate::db::Result;
use crate::store::account_states;

/// Accounts that one query finds.
const BATCH: i64 = 50;
/// The pause between two accounts, in which other writers have their turn.
const PAUSE: Duration = Duration::from_millis(10);

pub async fn run(app: Shared, mut stop: watch::Receiver<bool>) {
    // A process that was killed after a deletion has left the purge to the next one.
    let mut must_purge = true;
    while !*stop.borrow() {
        if must_purge {
            must_purge = !purged(&app).await;
        }
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        match delete_due(&app, &stop).await {
            Ok(deleted) => must_purge |= deleted > 0,
            Err(error) => {
                must_purge = true;
                tracing::warn!(%error, "accounts could not be deleted");
            }
        }
    }
}

/// Deletes all accounts whose deletion is due. Returns their number.
pub async fn delete_due(app: &App, stop: &watch::Receiver<bool>) -> Result<u64> {
    let mut deleted = 0;
    loop {
        let mut tx = app.store.read().await?;
        let due = account_states::due_deletions(&mut tx, app.clock.millis(), BATCH).await?;
        drop(tx);
        if due.is_empty() {
            return Ok(deleted);
        }
        for id in due {
            if *stop.borrow() {
                return Ok(deleted);
            }
            deleted += u64::from(deletion::delete_due(app, id).await?);
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Whether nothing of a deleted account is left in the files of the database.
pub async fn purged(app: &App) -> bool {
    match app.store.purge().await {
        Ok(is_done) => is_done,
        Err(error) => {
            tracing::warn!(%error, "the WAL of the database could not be emptied after deletions");
            false
        }
    }
}
