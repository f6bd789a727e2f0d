//! Deletes accounts permanently (docs/decisions/deletion.md).

use std::time::Duration;

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::prelude::*;
use crate::db::Result;
use crate::domain::email;
use crate::domain::webhook_event::EventType;
use crate::rate_limit::CounterOwner;
use crate::store::accounts;
use crate::store::legacy::{self, LegacyAccount};
use crate::store::{deleted_accounts, devices};

const MAX_PURGE_ATTEMPTS: u32 = 10;
/// The pause between two attempts to purge. Most database readers finish within a few milliseconds.
const PURGE_RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Removes the remains of deleted rows from the files of the database (`Store::purge`), after the commit of the
/// deletion. Tries again while a database reader prevents the purge. Returns whether the purge succeeded.
pub async fn purge(app: &App) -> bool {
    for run in 1..=MAX_PURGE_ATTEMPTS {
        match app.store.erase_deleted_rows().await {
            Ok(true) => return true,
            Ok(false) if run < MAX_PURGE_ATTEMPTS => tokio::time::sleep(PURGE_RETRY_INTERVAL).await,
            Ok(false) => {
                tracing::warn!(
                    "the WAL of the database was not emptied after deletions: a reader is active"
                );
            }
            Err(error) => {
                tracing::warn!(%error, "the WAL of the database could not be emptied after deletions");
                return false;
            }
        }
    }
    false
}

/// Deletes the account if its deletion is due at this time (milliseconds since 1970 UTC). Returns false if it is not
/// due, for example after a cancellation.
pub(crate) async fn delete_due(app: &App, id: Uuid, now: i64) -> Result<bool> {
    change(app, Actor::System, |mut change| async move {
        let account = accounts::lock(&mut change, id).await?;
        let Some(account) = account.filter(|account| account.is_deletion_due(now)) else {
            return change.commit(false).await;
        };
        delete_now(&mut change, &account).await?;
        change.commit(true).await
    })
    .await
}

/// Deletes an account, whose row is locked, with all its data (docs/decisions/deletion.md). The caller commits, and
/// calls [`purge`] after the last deletion.
pub(crate) async fn delete_now(change: &mut Change<'_>, account: &Account) -> Result<()> {
    let app = change.app;
    let now = change.now;
    let hold = app.username_hold(account, now);
    let id = account.id;
    let cookies = devices::cookie_hashes(change, id).await?;
    // The sessions are ended first, because the removal of the account would delete them without a report.
    change.end_sessions(id).await?;
    deleted_accounts::remove(change, account, &hold, now).await?;
    match account.verified {
        true => change.queue_webhooks(EventType::Deleted, id, &[]).await?,
        false => change.report_removed_registration(id).await?,
    }
    let owner = CounterOwner {
        account: id,
        email_key: &email::lookup_key(&account.email),
        devices: &cookies,
    };
    app.rate_limiter.clear_owner(change, &owner).await?;
    change.on_commit(
        move || tracing::info!(target: "security", event = "account_deleted", account = %id),
    );
    Ok(())
}

/// Deletes a legacy account, whose row is locked, and its mails and links. The caller commits, and calls [`purge`].
pub(crate) async fn delete_legacy(change: &mut Change<'_>, old: &LegacyAccount) -> Result<()> {
    legacy::remove(change, old.id).await?;
    let owner = CounterOwner {
        account: old.id,
        email_key: &email::lookup_key(&old.email),
        devices: &[],
    };
    change.app.rate_limiter.clear_owner(change, &owner).await
}
