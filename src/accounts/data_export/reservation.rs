//! Limits each account to one export at a time, across all server nodes, and each process to a few exports.

use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::app::SharedApp;
use crate::db::{Durability, Result};

/// The reservation of an account for one running export.
pub(crate) struct ReservedExport {
    /// The place among the exports of this process, whose archives share the memory.
    _place: OwnedSemaphorePermit,
    pub(super) account: Uuid,
    /// The time from which another export of the account may begin, in milliseconds since 1970 UTC.
    ends_at: i64,
    /// Dropping the reservation of an export that has begun releases it.
    begun: Option<SharedApp>,
}

/// Reserves the account for an export, in the caller's transaction. Returns 429 while another export of it runs, and
/// 503 while too many exports run in this process; the caller's count of the export then rolls back.
pub(crate) async fn reserve_export(
    change: &mut Change<'_>,
    account: Uuid,
) -> ApiResult<ReservedExport> {
    let exports = change.app.exports.clone();
    let place = exports.try_acquire_owned().map_err(|_| ErrorCode::Busy)?;
    let action = LimitName::RunningExport.of(Subject::Account(account));
    let now = change.now;
    let ends_at = change.app.rate_limiter.reserve(change, action, now).await?;
    Ok(ReservedExport {
        _place: place,
        account,
        ends_at,
        begun: None,
    })
}

impl ReservedExport {
    /// The transaction that has made the reservation is committed.
    pub(super) fn begin(mut self, app: &SharedApp) -> ReservedExport {
        self.begun = Some(app.clone());
        self
    }

    /// Returns whether the reservation has expired, so that another export may have begun.
    pub(super) fn is_over(&self) -> bool {
        let app = self.begun.as_ref();
        app.is_some_and(|app| app.clock.millis() >= self.ends_at)
    }

    /// Lets the next export of the account begin.
    pub(super) async fn release(&mut self) {
        if let Some(app) = self.begun.take() {
            release(app, self.account, self.ends_at).await;
        }
    }
}

impl Drop for ReservedExport {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(app), Ok(runtime)) = (self.begun.take(), runtime) {
            runtime.spawn(release(app, self.account, self.ends_at));
        }
    }
}

async fn release(app: SharedApp, account: Uuid, ends_at: i64) {
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
