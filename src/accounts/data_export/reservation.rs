//! Limits each account to one export at a time, across all server nodes, and each process to a few exports.

use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::ReservedExport;
use crate::app::SharedApp;
use crate::db::{Durability, Result};
use crate::rate_limit::{LimitName, Subject};

/// The reservation of an account for one running export. Dropping the reservation releases it.
pub(super) struct ReservedExportSlot {
    app: SharedApp,
    _place: OwnedSemaphorePermit,
    account: Uuid,
    /// The time at which the reservation expires, in milliseconds since 1970 UTC.
    ends_at: i64,
    is_released: bool,
}

impl ReservedExportSlot {
    /// The transaction that has made the reservation is committed.
    pub(super) fn new(app: &SharedApp, reserved: ReservedExport) -> ReservedExportSlot {
        ReservedExportSlot {
            app: app.clone(),
            _place: reserved.place,
            account: reserved.account,
            ends_at: reserved.ends_at,
            is_released: false,
        }
    }

    /// Returns whether the reservation has expired, so that another export may have begun.
    pub(super) fn is_over(&self) -> bool {
        self.app.clock.millis() >= self.ends_at
    }

    /// Lets the next export of the account begin.
    pub(super) async fn release(&mut self) {
        self.is_released = true;
        release(&self.app, self.account, self.ends_at).await;
    }
}

impl Drop for ReservedExportSlot {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (false, Ok(runtime)) = (self.is_released, runtime) {
            let (app, account, ends_at) = (self.app.clone(), self.account, self.ends_at);
            runtime.spawn(async move { release(&app, account, ends_at).await });
        }
    }
}

async fn release(app: &SharedApp, account: Uuid, ends_at: i64) {
    let action = LimitName::RunningExport.of(Subject::Account(account));
    let released: Result<()> = async {
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        app.rate_limiter.release(&mut tx, action, ends_at).await?;
        tx.commit().await
    }
    .await;
    if let Err(error) = released {
        tracing::warn!(%error, "the next export of an account waits until the end of this one's time");
    }
}
