//! Captures mails instead of sending them, if no SMTP server is configured.

use super::attempt::{AttemptOutcome, ClaimedRow, record_in};
use super::claimed_mail;
use crate::app::App;
use crate::db::{Durability, Result, Tx};
use crate::mail::compose;
use crate::store::outbox::{self, Priority, QueuedMail};

/// The number of mails per transaction, which is so low that other writers wait only a few milliseconds.
const MAILS_PER_BATCH: i64 = 20;

/// Captures all due mails. Returns the number of captured mails.
pub(super) async fn capture_due(app: &App) -> Result<usize> {
    let mut captured = 0;
    loop {
        // The commit need not survive power loss, because the worker then captures the same mails again.
        let mut tx = app.store.begin(Durability::Deferred).await?;
        let now = app.clock.millis();
        let due = outbox::claim(&mut tx, now, now, MAILS_PER_BATCH, Priority::Bulk).await?;
        for mail in &due {
            if let Some(outcome) = capture_mail(app, &mut tx, mail).await? {
                record_in(app, &mut tx, ClaimedRow::Mail(mail), outcome).await?;
            }
        }
        tx.commit().await?;
        captured += due.len();
        if due.len() < MAILS_PER_BATCH as usize {
            return Ok(captured);
        }
    }
}

/// Captures one mail. Returns `None` if the mail is no longer queued.
async fn capture_mail(app: &App, tx: &mut Tx, mail: &QueuedMail) -> Result<Option<AttemptOutcome>> {
    let (kind, details) = match claimed_mail::parse(mail, app.clock.millis()) {
        Ok(parsed) => parsed,
        Err(outcome) => return Ok(Some(outcome)),
    };
    if !claimed_mail::lock_queued(tx, mail).await? {
        return Ok(None);
    }
    let composed = compose::compose_mail(app, tx, mail, kind, &details).await?;
    outbox::store_captured(tx, &composed.content).await?;
    Ok(Some(AttemptOutcome::Captured))
}
