//! The queues of the outbox, and the worker of each. The mail server and each endpoint have a separate worker, so that a
//! slow or unreachable receiver delays no other receiver. Any number of nodes may run workers: a claim reserves a row
//! for one worker, and expires if that worker crashes.

use std::time::Duration;

use tokio::sync::watch;

use super::{Endpoint, endpoints, mails, requests, worker};
use crate::app::{App, SharedApp};
use crate::db::Result;
use crate::store::outbox::{self, CapturedMail};

/// The queue of one worker, which contains the rows for the mail server or for one endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueName {
    Mails,
    RequestsTo(Endpoint),
}

/// Returns the queues that the configuration needs.
pub fn queue_names(app: &App) -> impl Iterator<Item = QueueName> {
    let endpoints = endpoints(app).into_iter().map(QueueName::RequestsTo);
    std::iter::once(QueueName::Mails).chain(endpoints)
}

/// Sends the rows of a queue until `stop` is set, and then finishes the rows that this worker has claimed.
pub async fn run(app: SharedApp, name: QueueName, mut stop: watch::Receiver<bool>) {
    let mut wakeup = name.wakeup(&app);
    let poll_interval = name.poll_interval(&app);
    // If there is no SMTP server, polling is enough, because the mail viewer itself captures the queued mails.
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
    /// Returns a channel that changes when a row is queued.
    fn wakeup(&self, app: &App) -> watch::Receiver<()> {
        match self {
            QueueName::Mails => app.mailer.wakeup.subscribe(),
            QueueName::RequestsTo(_) => app.deliverer.wakeup.subscribe(),
        }
    }

    /// Returns the interval in which an idle worker reads its queue, because retries become due and claims of crashed
    /// nodes expire.
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
                worker::send_due(&queue, self.poll_interval(app), wakeup, stop).await
            }
        }
    }

    /// Makes one attempt for each due row. Returns the number of attempts.
    async fn drain(&self, app: &App) -> Result<usize> {
        let (_go, stop) = watch::channel(false);
        self.send_due(app, &mut self.wakeup(app), &stop).await
    }
}

/// Sends all due mails, or captures them if no SMTP server is configured. Returns the number of attempts.
pub async fn drain_mails(app: &App) -> Result<usize> {
    QueueName::Mails.drain(app).await
}

/// Sends all due HTTP requests, and the requests that become due by a success. Returns the number of attempts.
pub async fn drain_requests(app: &App) -> Result<usize> {
    requests::trim_queues(app).await?;
    let mut attempts = 0;
    for endpoint in endpoints(app) {
        let name = QueueName::RequestsTo(endpoint);
        loop {
            match name.drain(app).await? {
                0 => break,
                done => attempts += done,
            }
        }
    }
    Ok(attempts)
}

/// Captures the queued mails, and returns the newest captured mails.
pub(crate) async fn captured_mails(app: &App) -> Result<Vec<CapturedMail>> {
    drain_mails(app).await?;
    outbox::list_captured(&mut app.store.read().await?, 500).await
}
