//! The workers. The mail server and each endpoint have one of their own, so that a slow or unreachable one delays no
//! other. Any number of nodes may run them: a claim reserves a row for one worker, and expires if that worker crashes.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::watch;

use super::{Endpoint, endpoints, mails, requests};
use crate::app::{App, SharedApp};
use crate::db::Result;

/// The duration of a claim in milliseconds: longer than any attempt. It is also the delay of a row after a crash.
pub(super) const CLAIM_MILLIS: i64 = 30_000;

/// The rows that one worker sends: those of the mail server, or of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueName {
    Mails,
    RequestsTo(Endpoint),
}

/// Returns the queues of the configuration.
pub fn queue_names(app: &App) -> impl Iterator<Item = QueueName> {
    let endpoints = endpoints(app).into_iter().map(QueueName::RequestsTo);
    std::iter::once(QueueName::Mails).chain(endpoints)
}

/// Sends the rows of a queue until `stop` is set, then finishes the rows that it has claimed.
pub async fn run(app: SharedApp, name: QueueName, mut stop: watch::Receiver<bool>) {
    let mut wakeup = name.wakeup(&app);
    let poll_interval = name.poll_interval(&app);
    // Without an SMTP server polling is enough: the mail viewer stores the queued mails before it shows any.
    let is_woken = name != QueueName::Mails || !app.mailer.is_capture_mode();
    while !*stop.borrow() {
        if let Err(error) = name.send_due(&app, &mut wakeup, &stop).await {
            let waiting = match name {
                QueueName::Mails => "the outbox waits for the database",
                QueueName::RequestsTo(_) => "deliveries wait for the database",
            };
            tracing::warn!(%error, "{waiting}");
        }
        tokio::select! {
            _ = wakeup.changed(), if is_woken => {}
            () = tokio::time::sleep(poll_interval) => {}
            _ = stop.changed() => {}
        }
    }
}

impl QueueName {
    /// Returns a channel that changes when a row was queued.
    fn wakeup(&self, app: &App) -> watch::Receiver<()> {
        match self {
            QueueName::Mails => app.mailer.wakeup.subscribe(),
            QueueName::RequestsTo(_) => app.deliverer.wakeup.subscribe(),
        }
    }

    /// Returns the interval between reads of the queue without a new row: an attempt may be due, or another node may
    /// have crashed.
    fn poll_interval(&self, app: &App) -> Duration {
        match self {
            QueueName::Mails => app.config.mail.poll_interval.0,
            QueueName::RequestsTo(_) => requests::POLL_INTERVAL,
        }
    }

    async fn send_due(
        &self,
        app: &App,
        wakeup: &mut watch::Receiver<()>,
        stop: &watch::Receiver<bool>,
    ) -> Result<usize> {
        match self {
            QueueName::Mails => mails::send_due(app, wakeup, stop).await,
            QueueName::RequestsTo(endpoint) => {
                let queue = requests::RequestQueue { app, endpoint };
                send_due(&queue, self.poll_interval(app), wakeup, stop).await
            }
        }
    }

    /// Makes one attempt for each due row. Returns their number.
    pub(super) async fn drain(&self, app: &App) -> Result<usize> {
        let (_go, stop) = watch::channel(false);
        self.send_due(app, &mut self.wakeup(app), &stop).await
    }
}

/// How the rows of a queue are claimed and sent.
pub(super) trait Queue: Sync {
    type Row: Send;
    /// The number of rows that are sent at the same time.
    const MAX_PARALLEL: usize;

    /// Claims at most `free` due rows.
    fn claim(&self, free: usize) -> impl Future<Output = Result<Claim<Self::Row>>> + Send;

    /// Makes one attempt, and records the result.
    fn attempt(&self, row: Self::Row) -> impl Future<Output = Result<()>> + Send;
}

pub(super) struct Claim<R> {
    pub rows: Vec<R>,
    /// Whether the slots, not the queue, limited the claim.
    pub has_more: bool,
}

/// Keeps every slot busy while rows are due: a slow row occupies its own slot and no other. Returns the number of
/// attempts.
pub(super) async fn send_due<Q: Queue>(
    queue: &Q,
    poll_interval: Duration,
    wakeup: &mut watch::Receiver<()>,
    stop: &watch::Receiver<bool>,
) -> Result<usize> {
    // Polled together: a claim that waits for the writer would otherwise stop the attempt that holds it.
    let (mut claims, mut attempts) = (FuturesUnordered::new(), FuturesUnordered::new());
    let (mut tried, mut may_be_more) = (0, true);
    let mut outcome = Ok(());
    loop {
        let free = Q::MAX_PARALLEL - attempts.len();
        let can_claim = free > 0 && claims.is_empty() && outcome.is_ok();
        if may_be_more && can_claim && !*stop.borrow() {
            may_be_more = false;
            claims.push(queue.claim(free));
        }
        if claims.is_empty() && attempts.is_empty() {
            return outcome.map(|()| tried);
        }
        tokio::select! {
            Some(claim) = claims.next() => match claim {
                Err(error) => outcome = Err(error),
                Ok(claim) => {
                    may_be_more |= claim.has_more;
                    tried += claim.rows.len();
                    attempts.extend(claim.rows.into_iter().map(|row| queue.attempt(row)));
                }
            },
            Some(done) = attempts.next() => outcome = outcome.and(done),
            _ = wakeup.changed() => may_be_more = true,
            () = tokio::time::sleep(poll_interval) => may_be_more = true,
        }
    }
}
