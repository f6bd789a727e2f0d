//! Announces the deletion of inactive accounts (`lifetimes.inactive_account`) by mail, 60 days before the deletion. A
//! sign-in of the owner prevents the deletion.

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::accounts::pending::{self, Cause, Wait};
use crate::app::App;
use crate::clock::DAY;
use crate::db::Result;
use crate::store::pending_acts::Act;
use crate::store::{account_states, accounts, sessions};

/// The days between the announcement and the deletion. `accounts/pending/rules.rs` has the times of the mails.
const ANNOUNCEMENT_DAYS: i64 = 60;

/// An account whose last sign-in was before this time (milliseconds since 1970 UTC) is inactive. `None` means that
/// `lifetimes.inactive_account` is off.
pub(crate) fn inactivity_threshold(app: &App, now: i64) -> Option<i64> {
    let lifetime = app.config.lifetimes.inactive_account.millis();
    let first = ANNOUNCEMENT_DAYS * DAY;
    (lifetime > 0).then(|| now.saturating_sub(lifetime.saturating_sub(first)))
}

/// Schedules the deletion of an account without a sign-in after `since`, and its reminders. The deletion is always 60
/// days from `now`. An account with a live session counts as active from now, and is not deleted.
pub(crate) async fn schedule_deletion(app: &App, id: Uuid, since: i64, now: i64) -> Result<()> {
    change(app, Actor::System, |mut change| async move {
        let Some(account) = accounts::lock(&mut change, id).await? else {
            return change.commit(()).await;
        };
        if sessions::has_live(&mut change, id, now).await? {
            account_states::set_active(&mut change, id, now).await?;
            return change.commit(()).await;
        }
        let is_inactive = account_states::is_inactive(&mut change, id, since).await?;
        if is_inactive && account.inactive_due_at.is_none() {
            let wait = Wait {
                due_at: now.saturating_add(ANNOUNCEMENT_DAYS * DAY),
                ends_at: None,
                email: None,
            };
            pending::begin(&mut change, &account, Act::Inactivity, wait).await?;
        }
        change.commit(()).await
    })
    .await
}

/// Cancels the deletion of an inactive account, because `lifetimes.inactive_account` is off now.
pub(crate) async fn cancel_deletion(app: &App, id: Uuid) -> Result<()> {
    change(app, Actor::System, |mut change| async move {
        if let Some(account) = accounts::lock(&mut change, id).await? {
            pending::stop_by(&mut change, &account, Cause::SettingOff).await?;
        }
        change.commit(()).await
    })
    .await
}
