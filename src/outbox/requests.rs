//! Sends the queued HTTP requests to webhook endpoints and applications. Each endpoint has a separate queue.

use std::time::Duration;

use tokio::sync::watch;

use super::attempt::{AttemptOutcome, ClaimedRow, record};
use super::schedule::CLAIM_MILLIS;
use super::worker::{Claim, Queue};
use super::{Endpoint, RequestKind, backchannel_logout, endpoints, schedule, webhook};
use crate::app::{App, SharedApp};
use crate::db::{Durability, Result};
use crate::observability::metrics::SendResult;
use crate::outgoing::http::{DeliveryError, DeliveryRequest};
use crate::store::outbox::DelayCause;
use crate::store::outbox::requests::{self as table, QueuedRequest};

pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
const MAX_QUEUED_REQUESTS: i64 = 10_000;

/// The queue of HTTP requests to one endpoint.
pub(super) struct RequestQueue<'a> {
    pub app: &'a App,
    pub endpoint: &'a Endpoint,
}

impl Queue for RequestQueue<'_> {
    type Row = QueuedRequest;
    const MAX_PARALLEL: usize = 8;

    async fn claim(&self, free: usize) -> Result<Claim<QueuedRequest>> {
        let (app, endpoint, now) = (self.app, &self.endpoint.key, self.app.clock.millis());
        let is_due = !app.deliverer.is_gone(endpoint)
            && table::is_due(&mut app.store.read().await?, endpoint, now).await?;
        let mut rows = Vec::new();
        if is_due {
            let mut tx = app.store.begin(Durability::ProcessCrash).await?;
            rows = table::claim(&mut tx, endpoint, now, now + CLAIM_MILLIS, free as i64).await?;
            tx.commit().await?;
        }
        Ok(Claim {
            has_more: rows.len() == free,
            rows,
        })
    }

    async fn attempt(&self, request: QueuedRequest) -> Result<()> {
        let app = self.app;
        let outcome = match self.compose(&request).await? {
            None => AttemptOutcome::Delayed {
                cause: DelayCause::NewerVersion,
                pause: schedule::NEWER_VERSION_DELAY,
                reason: None,
            },
            Some((kind, message)) => match app.deliverer.send(message).await {
                Ok(()) => AttemptOutcome::Sent,
                Err(DeliveryError::Gone) if kind == RequestKind::Webhook => {
                    self.stop_sending();
                    return Ok(());
                }
                Err(refusal) => {
                    app.recovery.record_failure(&self.endpoint.key);
                    let pause = schedule::pause_after_failed_request(kind, request.attempts);
                    AttemptOutcome::failed(DelayCause::Refusal, pause, refusal.to_string())
                }
            },
        };
        record(app, ClaimedRow::Request(self.endpoint, &request), outcome).await
    }
}

impl RequestQueue<'_> {
    /// Composes a row's HTTP request. Returns `None` for a row that only a newer version of this program understands.
    async fn compose(
        &self,
        request: &QueuedRequest,
    ) -> Result<Option<(RequestKind, DeliveryRequest)>> {
        let Some(kind) = RequestKind::from_name(&request.kind) else {
            return Ok(None);
        };
        let (app, key) = (self.app, &self.endpoint.key);
        let message = match kind {
            RequestKind::Webhook => webhook::compose(app, key, request),
            RequestKind::BackchannelLogout => {
                backchannel_logout::compose(app, key, request).await?
            }
        };
        Ok(message.map(|message| (kind, message)))
    }

    /// Stops sending to the endpoint, which has responded 410. The queued requests wait until this node restarts.
    fn stop_sending(&self) {
        if self.app.deliverer.mark_gone(&self.endpoint.key) {
            self.app.metrics.outbox.mark_gone(&self.endpoint.label);
            tracing::error!(target: "delivery", endpoint = self.endpoint.label,
                "the endpoint responded 410 and gets nothing until this process restarts");
        }
    }
}

/// Trims the queues once a second until `stop` is set.
pub(crate) async fn run_request_trimming(app: SharedApp, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = trim_queues(&app).await {
            tracing::warn!(%error, "deliveries wait for the database");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => {}
        }
    }
}

/// Deletes requests to endpoints that have more than `MAX_QUEUED_REQUESTS`.
pub(super) async fn trim_queues(app: &App) -> Result<()> {
    for endpoint in endpoints(app) {
        let mut tx = app.store.read().await?;
        if !table::has_more_than(&mut tx, &endpoint.key, MAX_QUEUED_REQUESTS).await? {
            continue;
        }
        drop(tx);
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let dropped = table::trim_queue(&mut tx, &endpoint.key, MAX_QUEUED_REQUESTS).await?;
        tx.commit().await?;
        let metrics = &app.metrics.outbox;
        metrics.count_requests(&endpoint.label, SendResult::Dropped, dropped);
        tracing::error!(target: "delivery", endpoint = endpoint.label, dropped, "too many requests waited; the oldest of the least important kinds were dropped");
    }
    Ok(())
}
