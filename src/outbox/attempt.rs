//! Records the outcome of an attempt to send a row of the outbox, in the row's table, in the metrics and in the log.

use uuid::Uuid;

use super::{Endpoint, retry};
use crate::app::App;
use crate::db::{Durability, Result, Tx};
use crate::mail::MailKind;
use crate::observability::metrics::SendResult;
use crate::store::outbox::requests::QueuedRequest;
use crate::store::outbox::{self, DelayCause, OutboxTable, QueuedMail, WaitingRows};
use crate::store::{legacy, sent_mails};

/// A row of the outbox that this worker has claimed.
#[derive(Clone, Copy)]
pub(super) enum ClaimedRow<'a> {
    Mail(&'a QueuedMail),
    Request(&'a Endpoint, &'a QueuedRequest),
}

#[derive(Clone)]
pub(super) enum AttemptOutcome {
    Sent,
    /// The mail is captured, because no SMTP server is configured.
    Captured,
    /// The row is sent again after `pause` milliseconds.
    Delayed {
        cause: DelayCause,
        pause: i64,
        reason: Option<String>,
    },
    GivenUp {
        reason: String,
    },
}

impl AttemptOutcome {
    /// Returns the outcome of a failed attempt. `pause` is a result of `schedule.rs`; with `None` the row is given up.
    pub(super) fn failed(cause: DelayCause, pause: Option<i64>, reason: String) -> AttemptOutcome {
        match pause {
            None => AttemptOutcome::GivenUp { reason },
            Some(pause) => AttemptOutcome::Delayed {
                cause,
                pause,
                reason: Some(reason),
            },
        }
    }
}

impl<'a> ClaimedRow<'a> {
    fn table_and_id(self) -> (OutboxTable, Uuid) {
        match self {
            ClaimedRow::Mail(mail) => (OutboxTable::Mails, mail.id),
            ClaimedRow::Request(_, request) => (OutboxTable::Requests, request.id),
        }
    }

    /// Returns which rows become due after this row was sent.
    fn waiting_rows(self) -> WaitingRows<'a> {
        match self {
            ClaimedRow::Mail(_) => WaitingRows::DeferredMails,
            ClaimedRow::Request(endpoint, _) => WaitingRows::RequestsTo(&endpoint.key),
        }
    }
}

/// Records the outcome in a separate transaction. After a success, rows that wait for the same server become due.
pub(super) async fn record(app: &App, row: ClaimedRow<'_>, outcome: AttemptOutcome) -> Result<()> {
    let is_sent = matches!(outcome, AttemptOutcome::Sent);
    if is_sent {
        // The row was sent even if the transaction fails, so the success is reported before the transaction.
        report(app, row, outcome.clone())();
    }
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    record_in(app, &mut tx, row, outcome).await?;
    tx.commit().await?;
    match is_sent {
        true => retry::make_next_batch_due(app, row.waiting_rows()).await,
        false => Ok(()),
    }
}

/// Records the outcome in the caller's transaction, and reports it after the commit unless `record` has done so.
pub(super) async fn record_in(
    app: &App,
    tx: &mut Tx,
    row: ClaimedRow<'_>,
    outcome: AttemptOutcome,
) -> Result<()> {
    use AttemptOutcome::{Captured, Delayed, GivenUp, Sent};
    let (key, now) = (row.table_and_id(), app.clock.millis());
    match (&outcome, row) {
        (Sent | Captured, ClaimedRow::Mail(mail)) => {
            let (subject, queued_at) = (mail.subject_id, mail.created_at);
            sent_mails::insert(tx, mail.id, subject, &mail.kind, queued_at, now).await?;
            outbox::remove(tx, key).await?;
        }
        (GivenUp { reason }, ClaimedRow::Mail(mail)) => {
            if mail.kind == MailKind::Invitation.as_str() {
                // The next `account legacy invite` invites the account again.
                legacy::unmark_invited(tx, mail.subject_id).await?;
            }
            outbox::give_up(tx, mail.id, now, reason).await?;
        }
        (Sent | Captured | GivenUp { .. }, ClaimedRow::Request(..)) => {
            outbox::remove(tx, key).await?;
        }
        (
            Delayed {
                cause,
                pause,
                reason,
            },
            _,
        ) => {
            outbox::delay(tx, key, now, *pause, *cause, reason.as_deref()).await?;
        }
    }
    if !matches!(outcome, Sent) {
        tx.on_commit(report(app, row, outcome));
    }
    Ok(())
}

/// Returns the function that counts the outcome in the metrics and logs it.
fn report(app: &App, row: ClaimedRow<'_>, outcome: AttemptOutcome) -> Box<dyn FnOnce() + Send> {
    let metrics = app.metrics.clone();
    let (result, reason) = match outcome {
        AttemptOutcome::Sent => (SendResult::Sent, None),
        AttemptOutcome::Captured => (SendResult::Captured, None),
        AttemptOutcome::Delayed { reason, .. } => (SendResult::Delayed, reason),
        AttemptOutcome::GivenUp { reason } => (SendResult::GivenUp, Some(reason)),
    };
    match row {
        ClaimedRow::Mail(mail) => {
            let (kind, id) = (mail.kind.clone(), mail.id);
            Box::new(move || {
                metrics.outbox.count_mail(MailKind::label(&kind), result);
                match result {
                    SendResult::Sent => {
                        tracing::info!(target: "mail", event = "mail_sent", kind, %id);
                    }
                    SendResult::Delayed => {
                        tracing::warn!(target: "mail", event = "mail_delayed", kind, %id, reason);
                    }
                    SendResult::GivenUp => {
                        tracing::error!(target: "mail", event = "mail_given_up", kind, %id, reason);
                    }
                    SendResult::Captured | SendResult::Dropped => {}
                }
            })
        }
        ClaimedRow::Request(endpoint, QueuedRequest { id, kind, .. }) => {
            let (endpoint, id, kind) = (endpoint.label.clone(), *id, kind.clone());
            Box::new(move || {
                metrics.outbox.count_requests(&endpoint, result, 1);
                match (result, reason) {
                    (SendResult::Delayed, None) => {
                        tracing::warn!(target: "delivery", endpoint, %id, kind, "a request that this version cannot make was postponed");
                    }
                    (SendResult::Delayed, Some(reason)) => {
                        tracing::warn!(target: "delivery", endpoint, %id, reason, "a request failed and is tried again");
                    }
                    (SendResult::GivenUp, reason) => {
                        tracing::error!(target: "delivery", endpoint, %id, reason, "a request was given up");
                    }
                    _ => {
                        tracing::debug!(target: "delivery", endpoint, %id, "a request was accepted");
                    }
                }
            })
        }
    }
}
