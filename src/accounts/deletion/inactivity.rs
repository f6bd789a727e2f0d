//! Announces the deletion of inactive accounts (`lifetimes.inactive_account`) by mail, 60 days before the deletion. A
//! sign-in of the owner prevents the deletion.

use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::app::App;
use crate::clock::DAY;
use crate::db::Result;
use crate::mail::{MailKind, OutgoingMail, links};
use crate::store::{account_states, accounts, sessions};

/// The times of the mails, in days before the deletion. The earliest mail announces the deletion.
pub(crate) const REMINDER_DAYS: [i64; 3] = [60, 30, 7];

/// An account whose last sign-in was before this time (milliseconds since 1970 UTC) is inactive. `None` means that
/// `lifetimes.inactive_account` is off.
pub(crate) fn inactivity_threshold(app: &App, now: i64) -> Option<i64> {
    let lifetime = app.config.lifetimes.inactive_account.millis();
    let first = REMINDER_DAYS[0] * DAY;
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
        let due_at = now.saturating_add(REMINDER_DAYS[0] * DAY);
        if !account_states::set_inactive(&mut change, id, since, due_at).await? {
            return change.commit(()).await;
        }
        for days in REMINDER_DAYS {
            let mut reminder = OutgoingMail::to(&account, MailKind::InactiveAccount).at(now);
            reminder.details.effective_at = Some(due_at);
            change.schedule_mail(reminder, due_at - days * DAY).await?;
        }
        change.commit(()).await
    })
    .await
}

/// Cancels the deletion of an inactive account, because `lifetimes.inactive_account` is off now.
pub(crate) async fn cancel_deletion(app: &App, id: Uuid) -> Result<()> {
    change(app, Actor::System, |mut change| async move {
        let now = change.now;
        if accounts::lock(&mut change, id).await?.is_some() {
            account_states::set_active(&mut change, id, now).await?;
            links::withdraw(&mut change, id, MailKind::InactiveAccount).await?;
        }
        change.commit(()).await
    })
    .await
}
