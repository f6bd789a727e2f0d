//! Inactive accounts (`lifetimes.inactive_account`): announced by mail, and deleted 60 days later unless the owner
//! signs in.

use uuid::Uuid;

use crate::app::App;
use crate::clock::DAY;
use crate::db::Result;
use crate::db::conflict::retry_on_conflict;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::{account_states, accounts, sessions};

/// The times of the mails, in days before the deletion. The first is the announcement.
pub(crate) const REMINDERS: [i64; 3] = [60, 30, 7];

/// Returns the time before which the last sign-in makes an account inactive. None: the setting is off.
pub(crate) fn inactive_before(app: &App, now: i64) -> Option<i64> {
    let lifetime = app.config.lifetimes.inactive_account.millis();
    let first = REMINDERS[0] * DAY;
    (lifetime > 0).then(|| now.saturating_sub(lifetime.saturating_sub(first)))
}

/// Sets the time of the deletion and schedules the reminders. Every owner gets at least 60 days, whatever the time of
/// the last sign-in. For an account with a live session the time counts from now.
pub(crate) async fn announce_deletion(app: &App, id: Uuid, since: i64) -> Result<()> {
    retry_on_conflict(&app.rng, || async {
        let mut tx = app.store.write().await?;
        let now = app.clock.millis();
        let Some(account) = accounts::lock(&mut tx, id).await? else {
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
            let mut reminder = OutgoingMail::to(&account, MailKind::InactiveAccount).at(now);
            reminder.details.effective_at = Some(due_at);
            mail::schedule(app, &mut tx, reminder, due_at - days * DAY).await?;
        }
        tx.commit().await
    })
    .await
}

/// Cancels the deletion, because the setting is off now.
pub(crate) async fn cancel_deletion(app: &App, id: Uuid) -> Result<()> {
    retry_on_conflict(&app.rng, || async {
        let mut tx = app.store.write().await?;
        if accounts::lock(&mut tx, id).await?.is_some() {
            account_states::set_active(&mut tx, id, app.clock.millis()).await?;
            mail::withdraw(&mut tx, id, MailKind::InactiveAccount).await?;
        }
        tx.commit().await
    })
    .await
}
