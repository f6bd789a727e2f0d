//! Makes waiting rows of the outbox due again: after a success that follows a failure, and for the commands `account
//! mail retry` and `account webhooks retry`.

use super::schedule::CLAIM_MILLIS;
use crate::app::App;
use crate::config::Duration;
use crate::db::{Durability, Result, Tx};
use crate::mail::MailKind;
use crate::outgoing::recovery::{BATCH_ROWS, ROW_PAUSE_MILLIS};
use crate::store::legacy;
use crate::store::outbox::{self, WaitingRows};

/// The number of given-up mails that one transaction queues again.
const MAILS_PER_BATCH: i64 = 500;

/// Returns the name by which `App::recovery` knows the queue.
pub(super) fn queue_name(rows: WaitingRows<'_>) -> &str {
    match rows {
        WaitingRows::DeferredMails | WaitingRows::AllMails => "mail",
        WaitingRows::RequestsTo(endpoint) => endpoint,
    }
}

/// Makes the next batch of rows due that wait because the mail server or the endpoint failed.
pub(super) async fn make_next_batch_due(app: &App, rows: WaitingRows<'_>) -> Result<()> {
    let (queue, now) = (queue_name(rows), app.clock.millis());
    let Some(batch) = app.recovery.begin_batch(queue, now) else {
        return Ok(());
    };
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let due = make_due(&mut tx, rows, now, now).await?;
    tx.commit().await?;
    app.recovery.end_batch(queue, &batch, due);
    Ok(())
}

/// Makes a batch of waiting rows due, the earliest at the time `from`. Returns the number of rows.
async fn make_due(tx: &mut Tx, rows: WaitingRows<'_>, now: i64, from: i64) -> Result<u64> {
    let waiting_after = now.saturating_add(CLAIM_MILLIS);
    outbox::make_due(tx, rows, waiting_after, from, ROW_PAUSE_MILLIS, BATCH_ROWS).await
}

/// Makes all rows due that wait after a failed attempt, at most 50 per second. Returns the number of rows.
pub(crate) async fn retry_waiting(app: &App, rows: WaitingRows<'_>) -> Result<u64> {
    let now = app.clock.millis();
    let mut total = 0;
    loop {
        let mut tx = app.store.write().await?;
        let from = now.saturating_add(total as i64 * ROW_PAUSE_MILLIS);
        let due = make_due(&mut tx, rows, now, from).await?;
        tx.commit().await?;
        total += due;
        if due < BATCH_ROWS as u64 {
            return Ok(total);
        }
        app.store.yield_to_writers().await;
    }
}

/// Queues the mails again that were given up in the period `within` before now. Returns the number of mails.
pub async fn retry_given_up(app: &App, within: Duration) -> Result<u64> {
    let now = app.clock.millis();
    let since = now.saturating_sub(within.millis());
    let mut total = 0;
    loop {
        let mut tx = app.store.write().await?;
        let revived = outbox::requeue_failed(&mut tx, since, now, MAILS_PER_BATCH).await?;
        for mail in &revived {
            // Without this mark the next `legacy invite` would send the account a second invitation.
            if mail.kind == MailKind::Invitation.as_str() {
                legacy::mark_invited(&mut tx, mail.subject_id, now).await?;
            }
        }
        tx.commit().await?;
        total += revived.len() as u64;
        if revived.len() < MAILS_PER_BATCH as usize {
            return Ok(total);
        }
    }
}
