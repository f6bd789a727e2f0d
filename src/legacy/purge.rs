//! The command `account legacy purge` deletes unmigrated legacy accounts, with their mails and mailed links.

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::change;
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
        let batch = change(app, Actor::System, |mut change| async move {
            let list =
                legacy::list_unmigrated(&mut change, after, imported_before, ACCOUNTS_PER_BATCH);
            let found = list.await?;
            for id in &found {
                if let Some(old) = legacy::lock(&mut change, *id).await? {
                    deletion::erasure::delete_legacy(&mut change, &old).await?;
                }
            }
            change.commit::<_, StoreError>(found).await
        });
        let found = batch.await?;
        let Some(last) = found.last() else {
            return match deletion::erasure::purge(app).await {
                true => Ok(deleted),
                false => Err(StoreError::Unavailable(PURGE_INCOMPLETE_MESSAGE.into())),
            };
        };
        after = *last;
        deleted += found.len() as u64;
        report(deleted);
        app.store.yield_to_writers().await;
    }
}
