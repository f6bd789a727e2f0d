//! Accounts that are not in use (`lifetimes.inactive_account`): announced by mail, and deleted 60 days later unless
//! the owner signs in.

use uuid::Uuid;

use crate::app::App;
use crate::db::Result;
use crate::db::conflict::repeated;
use crate::mail::{self, Kind, OutgoingMail};
use crate::store::{account_states, accounts, sessions};

const DAY: i64 = 24 * 3_600_000;
/// The first of the reminders, in days before the deletion, is the announcement.
pub(crate) const REMINDERS: [i64; 3] = [60, 30, 7];

/// The time since which an account has had no sign-in when it is announced. None: the setting is off.
pub(crate) fn limit(app: &App, now: i64) -> Option<i64> {
    let lifetime = app.config.lifetimes.inactive_account.millis();
    let first = REMINDERS[0] * DAY;
    (lifetime > 0).then(|| now.saturating_sub(lifetime.saturating_sub(first)))
}

/// Sets the time of the deletion and schedules the reminders, whatever the last sign-in was: no owner gets less than 60
/// days. An account with a live session counts from now.
pub(crate) async fn announce(app: &App, id: Uuid, since: i64) -> Result<()> {
    repeated(&app.rng, || async {
        let mut tx = app.store.write().await?;
        let now = app.clock.millis();
        let Some(account) = accounts::locked(&mut tx, id).await? else {
            return Ok(());
        };
        if sessions::has_live(&mut tx, id, now).await? {
            account_states::set_active(&mut tx, id, now).await?;
            return tx.commit().await;
        }
        let due_at = now.saturating_add(REMINDERS[0] * DAY);
        if !account_states::set_inactive(&mut tx, id, since, due_at).await? {
            return Ok(());
        }
        for days in REMINDERS {
            let mut reminder = OutgoingMail::to(&account, Kind::InactiveAccount).at(now);
            reminder.details.effective_at = Some(due_at);
            mail::schedule(app, &mut tx, reminder, due_at - days * DAY).await?;
        }
        tx.commit().await
    })
    .await
}

/// Takes the announcement back, because the setting is off now.
pub(crate) async fn revoke(app: &App, id: Uuid) -> Result<()> {
    repeated(&app.rng, || async {
        let mut tx = app.store.write().await?;
        if accounts::locked(&mut tx, id).await?.is_some() {
            account_states::set_active(&mut tx, id, app.clock.millis()).await?;
            mail::withdraw(&mut tx, id, Kind::InactiveAccount).await?;
        }
        tx.commit().await
    })
    .await
}
