//! Deletes the accounts whose deletion is due, each in its own transaction, so that requests are not delayed for long.

use std::time::Duration;

use tokio::sync::watch;
use uuid::Uuid;

use crate::accounts::deletion::{self, inactivity};
use crate::app::{App, SharedApp};
use crate::db::{Result, StoreError};
use crate::store::pending_acts::{self, Act};
use crate::store::{account_states, deleted_accounts};

const ACCOUNTS_PER_BATCH: i64 = 50;
/// The number of accounts with an unknown last sign-in that one statement updates.
const ACCOUNTS_PER_UPDATE: i64 = 200;
/// The pause between two accounts, in which other writers can run.
const ACCOUNT_PAUSE: Duration = Duration::from_millis(10);

pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    // An earlier process may have deleted accounts without a purge. If the query fails, a needless purge does no harm.
    let mut must_purge = has_deleted_accounts(&app).await.unwrap_or(true);
    while !*stop.borrow() {
        if must_purge {
            must_purge = !deletion::erasure::purge(&app).await;
        }
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        if let Err(error) = announce_inactive(&app, &stop).await {
            tracing::warn!(%error, "accounts that are not in use could not be announced");
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

/// Announces the deletion of inactive accounts, or cancels it if `lifetimes.inactive_account` is off.
pub async fn announce_inactive(app: &App, stop: &watch::Receiver<bool>) -> Result<()> {
    let clock = &app.health.destruction_clock;
    let Some(now) = clock.now(&app.store, &app.clock).await? else {
        return Ok(());
    };
    let inactive_since = inactivity::inactivity_threshold(app, now);
    let mut skipped = SkippedAccounts::default();
    while !*stop.borrow() {
        // The search only reads, because most searches find no account and a read blocks no writer.
        let mut tx = app.store.read().await?;
        let limit = skipped.query_limit();
        let (accounts, has_uncounted) = match inactive_since {
            Some(since) => (
                account_states::list_inactive(&mut tx, since, limit).await?,
                account_states::is_any_last_sign_in_unknown(&mut tx).await?,
            ),
            None => (
                pending_acts::list_due(&mut tx, Act::Inactivity, i64::MAX, limit).await?,
                false,
            ),
        };
        drop(tx);
        let accounts = skipped.without_skipped(accounts);
        if accounts.is_empty() && !has_uncounted {
            return Ok(());
        }
        if has_uncounted {
            let mut tx = app.store.write().await?;
            account_states::init_last_sign_in(&mut tx, now, ACCOUNTS_PER_UPDATE).await?;
            tx.commit().await?;
        }
        for id in accounts {
            if *stop.borrow() {
                return Ok(());
            }
            let outcome = match inactive_since {
                Some(since) => inactivity::schedule_deletion(app, id, since, now).await,
                None => inactivity::cancel_deletion(app, id).await,
            };
            if let Err(error) = outcome {
                skipped.add(id, &error);
            }
        }
        tokio::time::sleep(ACCOUNT_PAUSE).await;
    }
    Ok(())
}

/// Deletes all accounts whose deletion is due. Returns the number of deleted accounts.
pub async fn delete_due(app: &App, stop: &watch::Receiver<bool>) -> Result<u64> {
    let mut deleted = 0;
    let mut skipped = SkippedAccounts::default();
    loop {
        let clock = &app.health.destruction_clock;
        let Some(now) = clock.now(&app.store, &app.clock).await? else {
            return Ok(deleted);
        };
        let mut tx = app.store.read().await?;
        let limit = skipped.query_limit();
        let mut due = pending_acts::list_due(&mut tx, Act::Deletion, now, limit).await?;
        due.extend(pending_acts::list_due(&mut tx, Act::Inactivity, now, limit).await?);
        drop(tx);
        let due = skipped.without_skipped(due);
        if due.is_empty() {
            return Ok(deleted);
        }
        for id in due {
            if *stop.borrow() {
                return Ok(deleted);
            }
            match deletion::erasure::delete_due(app, id, now).await {
                Ok(is_deleted) => deleted += u64::from(is_deleted),
                Err(error) => skipped.add(id, &error),
            }
            tokio::time::sleep(ACCOUNT_PAUSE).await;
        }
    }
}

/// The accounts that a run of the job could not process. The run continues with the remaining accounts, and the next
/// run tries the skipped accounts again.
#[derive(Default)]
struct SkippedAccounts(Vec<Uuid>);

impl SkippedAccounts {
    fn add(&mut self, id: Uuid, error: &StoreError) {
        tracing::warn!(%error, account = %id, "the account is skipped until the next run");
        self.0.push(id);
    }

    /// Returns the limit for a query that may also return the skipped accounts: the size of a batch plus their number.
    fn query_limit(&self) -> i64 {
        ACCOUNTS_PER_BATCH + self.0.len() as i64
    }

    /// Returns the accounts that are not skipped.
    fn without_skipped(&self, mut accounts: Vec<Uuid>) -> Vec<Uuid> {
        accounts.retain(|id| !self.0.contains(id));
        accounts
    }
}

async fn has_deleted_accounts(app: &App) -> Result<bool> {
    deleted_accounts::has_any(&mut app.store.read().await?).await
}
