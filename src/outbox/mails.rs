//! Sends the queued mails of the outbox.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;

use super::attempt::{AttemptOutcome, ClaimedRow, record};
use super::schedule::CLAIM_MILLIS;
use super::worker::{self, Claim, Queue};
use super::{capture, claimed_mail, retry, schedule};
use crate::app::App;
use crate::db::{Durability, Result, Tx};
use crate::mail::{MailKind, compose};
use crate::outgoing::smtp::{Connections, SendError, Verdict};
use crate::store::legacy;
use crate::store::outbox::{self, DelayCause, Priority, QueuedMail, WaitingRows};

/// The number of parallel attempts that are never bulk mails, so that a mail whose recipient waits is not delayed.
const RESERVED_SLOTS: usize = 2;

/// Sends all due mails, or captures them if no SMTP server is configured. Returns the number of attempts.
pub(super) async fn send_due(
    app: &App,
    wakeup: &mut watch::Receiver<()>,
    stop: &watch::Receiver<bool>,
) -> Result<usize> {
    let _sending = app.mailer.sending.lock().await;
    let Some(server) = &app.mailer.server else {
        return capture::capture_due(app).await;
    };
    let queue = MailQueue {
        app,
        connections: Connections::new(server),
        bulk: AtomicUsize::new(0),
    };
    let done = worker::send_due(&queue, app.config.mail.poll_interval.0, wakeup, stop).await;
    queue.connections.close().await;
    done
}

struct MailQueue<'a> {
    app: &'a App,
    connections: Connections<'a>,
    /// The number of bulk mails that are being sent at the moment.
    bulk: AtomicUsize,
}

impl Queue for MailQueue<'_> {
    type Row = QueuedMail;
    const MAX_PARALLEL: usize = 10;

    /// Claims due mails for the free slots. Bulk mails never get the reserved slots.
    async fn claim(&self, free: usize) -> Result<Claim<QueuedMail>> {
        let now = self.app.clock.millis();
        let mut tx = self.app.store.begin(Durability::ProcessCrash).await?;
        let claim = async |tx: &mut Tx, most: usize, lowest| {
            outbox::claim(tx, now, now + CLAIM_MILLIS, most as i64, lowest).await
        };
        let mut rows = claim(&mut tx, free, Priority::Notice).await?;
        let bulk_slots = Self::MAX_PARALLEL - RESERVED_SLOTS;
        let free_for_bulk = bulk_slots.saturating_sub(self.bulk.load(Ordering::Relaxed));
        let for_bulk = free_for_bulk.min(free - rows.len());
        let mut bulk_claimed = 0;
        if for_bulk > 0 {
            let found = claim(&mut tx, for_bulk, Priority::Bulk).await?;
            bulk_claimed = found.len();
            rows.extend(found);
        }
        tx.commit().await?;
        let bulk = rows.iter().filter(|mail| mail.priority == Priority::Bulk);
        self.bulk.fetch_add(bulk.count(), Ordering::Relaxed);
        Ok(Claim {
            has_more: bulk_claimed == for_bulk,
            rows,
        })
    }

    async fn attempt(&self, mail: QueuedMail) -> Result<()> {
        let done = match self.send(&mail).await {
            Ok(None) => Ok(()),
            Ok(Some(outcome)) => record(self.app, ClaimedRow::Mail(&mail), outcome).await,
            Err(error) => Err(error),
        };
        if mail.priority == Priority::Bulk {
            self.bulk.fetch_sub(1, Ordering::Relaxed);
        }
        done
    }
}

impl MailQueue<'_> {
    /// Composes the mail and its link token in a transaction, and sends it. Returns `None` if it is no longer queued.
    async fn send(&self, mail: &QueuedMail) -> Result<Option<AttemptOutcome>> {
        let app = self.app;
        let (kind, details) = match claimed_mail::parse(mail, app.clock.millis()) {
            Ok(parsed) => parsed,
            Err(outcome) => return Ok(Some(outcome)),
        };
        let mut tx = app.store.write().await?;
        if !claimed_mail::lock_queued(&mut tx, mail).await? {
            tx.commit().await?;
            return Ok(None);
        }
        let composed = compose::compose_mail(app, &mut tx, mail, kind, &details).await?;
        let message = match compose::message(app, mail, composed) {
            Ok(message) => message,
            Err(reason) => return Ok(Some(AttemptOutcome::GivenUp { reason })),
        };
        tx.commit().await?;
        match self.connections.send(&message).await {
            Ok(()) => Ok(Some(AttemptOutcome::Sent)),
            Err(failure) => self.outcome_of(mail, kind, failure).await.map(Some),
        }
    }

    async fn outcome_of(
        &self,
        mail: &QueuedMail,
        kind: MailKind,
        failure: SendError,
    ) -> Result<AttemptOutcome> {
        let (app, reason, now) = (self.app, failure.reason, self.app.clock.millis());
        let settings = &app.config.mail;
        Ok(match failure.verdict {
            Verdict::ServerTrouble => {
                let queue = retry::queue_name(WaitingRows::DeferredMails);
                app.recovery.record_failure(queue);
                let pause = schedule::pause_after_server_failure(settings, mail, now);
                AttemptOutcome::failed(DelayCause::MailServer, pause, reason)
            }
            Verdict::TryAgain => {
                let pause = schedule::pause_after_refusal(settings, mail);
                AttemptOutcome::failed(DelayCause::Refusal, pause, reason)
            }
            Verdict::Refused => AttemptOutcome::GivenUp { reason },
            Verdict::NoSuchAddress => {
                if kind.is_for_legacy_account() {
                    let mut tx = app.store.write().await?;
                    legacy::mark_bounced(&mut tx, mail.subject_id, now).await?;
                    tx.commit().await?;
                }
                AttemptOutcome::GivenUp { reason }
            }
        })
    }
}
