//! The command `account legacy purge` deletes unmigrated legacy accounts, with their mails and mailed links.

use uuid::Uuid;

use crate::accounts::deletion;
use crate::app::App;
use crate::db::{Result, StoreError};
use crate::store::legacy;

/// The number of accounts in one transaction, which is so low that other writers are not delayed noticeably.
const ACCOUNTS_PER_BATCH: usize = 200;

/// The error message if a reader of the database prevents the purge.
const PURGE_INCOMPLETE_MESSAGE: &str =
    "the accounts are deleted, but the file still contains remains of their rows";

/// Deletes the unmigrated accounts that were imported before a time, in milliseconds since 1970 UTC. Returns the number
/// of deleted accounts, and calls `report` with the total after each batch. The purge can be stopped and repeated.
/// Returns `Unavailable` if deleted rows remain in the database file; the next call purges them.
pub async fn run(app: &App, imported_before: i64, mut report: impl FnMut(u64)) -> Result<u64> {
    let (mut after, mut deleted) = (Uuid::nil(), 0);
    loop {
        let mut tx = app.store.write().await?;
        let found =
            legacy::list_unmigrated(&mut tx, after, imported_before, ACCOUNTS_PER_BATCH).await?;
        let Some(last) = found.last() else {
            drop(tx);
            return match deletion::erasure::purge(app).await {
                true => Ok(deleted),
                false => Err(StoreError::Unavailable(PURGE_INCOMPLETE_MESSAGE.into())),
            };
        };
        after = *last;
        for id in &found {
            legacy::remove(&mut tx, *id).await?;
        }
        tx.commit().await?;
        deleted += found.len() as u64;
        report(deleted);
        app.store.yield_to_writers().await;
    }
}
