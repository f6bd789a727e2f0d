//! The result of an attempt: recorded in the table of the row, in the metrics and in the log.

use uuid::Uuid;

use super::{Endpoint, retry, schedule};
use crate::app::App;
use crate::db::{Durability, Result, Tx};
use crate::mail::MailKind;
use crate::metrics::SendResult;
use crate::store::outbox::requests::QueuedRequest;
use crate::store::outbox::{self, OutboxTable, QueuedMail, WaitingRows};
use crate::store::{legacy, sent_mails};

/// The reason of a delay, and of giving up a mail that has waited too long.
pub(super) const UNKNOWN_MAIL: &str = "a kind of mail that this version does not know";

/// A claimed row.
#[derive(Clone, Copy)]
pub(super) enum ClaimedRow<'a> {
    Mail(&'a QueuedMail),
    Request(&'a Endpoint, &'a QueuedRequest),
}

#[derive(Clone)]
pub(super) enum AttemptOutcome {
    Sent,
    /// Captured, because no SMTP server is configured.
    Captured,
    /// Refused for now. The pause is in milliseconds.
    Retry {
        pause: i64,
        reason: String,
    },
    /// Not refused: the configured mail server fails. The pause is in milliseconds.
    Deferred {
        pause: i64,
        reason: String,
    },
    /// Left to a node of a newer version, during a rolling upgrade. It is not an attempt.
    Postponed,
    GivenUp {
        reason: String,
    },
}

impl AttemptOutcome {
    /// `pause` as `schedule.rs` returns it.
    pub(super) fn retry(pause: Option<i64>, reason: String) -> AttemptOutcome {
        match pause {
            Some(pause) => AttemptOutcome::Retry { pause, reason },
            None => AttemptOutcome::GivenUp { reason },
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

    /// Returns the rows that become due after this one was sent.
    fn waiting(self) -> WaitingRows<'a> {
        match self {
            ClaimedRow::Mail(_) => WaitingRows::DeferredMails,
            ClaimedRow::Request(endpoint, _) => WaitingRows::RequestsTo(&endpoint.key),
        }
    }
}

/// Records the outcome in a transaction of its own. A success makes rows due again that wait since a failure.
pub(super) async fn record(app: &App, row: ClaimedRow<'_>, outcome: AttemptOutcome) -> Result<()> {
    let is_sent = matches!(outcome, AttemptOutcome::Sent);
    if is_sent {
        // True even if the transaction fails.
        report(app, row, outcome.clone())();
    }
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    record_in(app, &mut tx, row, outcome).await?;
    tx.commit().await?;
    match is_sent {
        true => retry::make_next_batch_due(app, row.waiting()).await,
        false => Ok(()),
    }
}

/// Records the outcome, and reports it after the commit unless `record` has done so.
pub(super) async fn record_in(
    app: &App,
    tx: &mut Tx,
    row: ClaimedRow<'_>,
    outcome: AttemptOutcome,
) -> Result<()> {
    let ((table, id), now) = (row.table_and_id(), app.clock.millis());
    match &outcome {
        AttemptOutcome::Sent | AttemptOutcome::Captured => {
            if let ClaimedRow::Mail(mail) = row {
                let queued_at = mail.created_at;
                sent_mails::insert(tx, id, mail.subject_id, &mail.kind, queued_at, now).await?;
            }
            outbox::remove(tx, table, id).await?;
        }
        AttemptOutcome::Retry { pause, reason } => {
            outbox::retry(tx, table, id, now.saturating_add(*pause), reason).await?;
        }
        AttemptOutcome::Deferred { pause, reason } => {
            outbox::defer(tx, id, now, now.saturating_add(*pause), reason).await?;
        }
        AttemptOutcome::Postponed => {
            let due_at = now.saturating_add(schedule::NEWER_VERSION_DELAY);
            let reason = matches!(row, ClaimedRow::Mail(_)).then_some(UNKNOWN_MAIL);
            outbox::postpone(tx, table, id, due_at, reason).await?;
        }
        AttemptOutcome::GivenUp { reason } => match row {
            ClaimedRow::Mail(mail) => {
                if mail.kind == MailKind::Invitation.as_str() {
                    // The next `account legacy invite` invites the account again.
                    legacy::unmark_invited(tx, mail.subject_id).await?;
                }
                outbox::give_up(tx, id, now, reason).await?;
            }
            ClaimedRow::Request(..) => outbox::remove(tx, table, id).await?,
        },
    }
    if !matches!(outcome, AttemptOutcome::Sent) {
        tx.on_commit(report(app, row, outcome));
    }
    Ok(())
}

/// Returns the action that counts and logs the outcome.
fn report(
    app: &App,
    row: ClaimedRow<'_>,
    outcome: AttemptOutcome,
) -> Box<dyn FnOnce() + Send + 'static> {
    let metrics = app.metrics.clone();
    let result = match outcome {
        AttemptOutcome::Sent => SendResult::Sent,
        AttemptOutcome::Captured => SendResult::Kept,
        AttemptOutcome::GivenUp { .. } => SendResult::GivenUp,
        _ => SendResult::Delayed,
    };
    match row {
        ClaimedRow::Mail(mail) => {
            let (kind, id) = (mail.kind.clone(), mail.id);
            Box::new(move || {
                metrics.outbox.count_mail(MailKind::label(&kind), result);
                log_mail(&kind, id, outcome);
            })
        }
        ClaimedRow::Request(endpoint, request) => {
            let (label, request) = (endpoint.label.clone(), request.clone());
            Box::new(move || {
                metrics.outbox.count_requests(&label, result, 1);
                log_request(&label, &request, outcome);
            })
        }
    }
}

fn log_mail(kind: &str, id: Uuid, outcome: AttemptOutcome) {
    let delay_reason = match outcome {
        AttemptOutcome::Sent => {
            return tracing::info!(target: "mail", event = "mail_sent", kind, %id);
        }
        AttemptOutcome::Captured => return,
        AttemptOutcome::GivenUp { reason } => {
            return tracing::error!(target: "mail", event = "mail_given_up", kind, %id, reason);
        }
        AttemptOutcome::Postponed => UNKNOWN_MAIL.to_owned(),
        AttemptOutcome::Retry { reason, .. } | AttemptOutcome::Deferred { reason, .. } => reason,
    };
    tracing::warn!(target: "mail", event = "mail_delayed", kind, %id, reason = delay_reason);
}

fn log_request(endpoint: &str, request: &QueuedRequest, outcome: AttemptOutcome) {
    let id = request.id;
    match outcome {
        AttemptOutcome::Sent | AttemptOutcome::Captured => {
            tracing::debug!(target: "delivery", endpoint, %id, "a request was accepted");
        }
        AttemptOutcome::Retry { reason, .. } | AttemptOutcome::Deferred { reason, .. } => {
            tracing::warn!(target: "delivery", endpoint, %id, reason, "a request failed and is tried again");
        }
        AttemptOutcome::Postponed => {
            tracing::warn!(target: "delivery", endpoint, %id, kind = request.kind,
                "a request that this version cannot make was postponed");
        }
        AttemptOutcome::GivenUp { reason } => {
            tracing::error!(target: "delivery", endpoint, %id, reason, "a request was given up");
        }
    }
}
