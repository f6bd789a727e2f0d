//! `account mail retry`: queues mails again that were given up, or makes waiting ones due.

use super::mails;
use crate::app::App;
use crate::config::Duration;
use crate::db::Result;
use crate::mail::{self, MailKind};
use crate::outgoing::recovery::{BATCH_ROWS, ROW_MILLIS};
use crate::store::legacy;
use crate::store::outbox::{self, WaitingMails};

/// The number of mails per transaction.
const BATCH: i64 = 500;

/// Queues the mails again, as new ones, that were given up within `within`. Returns their number.
pub async fn run(app: &App, within: Duration) -> Result<u64> {
    let now = app.clock.millis();
    let since = now.saturating_sub(within.millis());
    let mut total = 0;
    loop {
        let mut tx = app.store.write().await?;
        let revived = outbox::requeue_failed(&mut tx, since, now, BATCH).await?;
        for (kind, subject) in &revived {
            // Otherwise the next `legacy invite` would send a second invitation.
            if kind == MailKind::Invitation.as_str() {
                legacy::mark_invited(&mut tx, *subject, now).await?;
            }
        }
        mail::wake_worker_on_commit(app, &mut tx);
        tx.commit().await?;
        total += revived.len() as u64;
        if revived.len() < BATCH as usize {
            return Ok(total);
        }
    }
}

/// Makes all mails due again that wait after a failed attempt, 50 a second. Returns their number.
pub(crate) async fn retry_waiting(app: &App) -> Result<u64> {
    let now = app.clock.millis();
    let mut total = 0;
    loop {
        let mut tx = app.store.write().await?;
        let from = now.saturating_add(total as i64 * ROW_MILLIS);
        let rows = mails::make_due(&mut tx, WaitingMails::All, now, from).await?;
        mail::wake_worker_on_commit(app, &mut tx);
        tx.commit().await?;
        total += rows;
        if rows < BATCH_ROWS as u64 {
            return Ok(total);
        }
        app.store.yield_to_writers().await;
    }
}
