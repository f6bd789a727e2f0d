//! The worker of deliveries. Any number of nodes may run one. Each endpoint with due requests has its own task, so that
//! a slow or unreachable endpoint delays no other. A claim reserves a request for one worker, and expires if that
//! worker crashes.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use super::{DeliveryKind, Endpoint, backchannel_logout, endpoints, webhook};
use crate::app::{App, SharedApp};
use crate::db::{Durability, Result, Tx};
use crate::metrics::DeliveryResult;
use crate::outgoing::http::{DeliveryError, DeliveryRequest};
use crate::outgoing::recovery::{BATCH_ROWS, ROW_MILLIS};
use crate::store::deliveries::{self, QueuedDelivery};

/// The number of parallel requests to one endpoint.
const MAX_PARALLEL: i64 = 8;
/// The duration of a claim in milliseconds: longer than any attempt. It is also the delay of a request after a crash.
const CLAIM_MILLIS: i64 = 30_000;
/// The delay of a row that only a newer version understands, in milliseconds.
const NEWER_VERSION_DELAY: i64 = 60_000;
/// The interval between reads of the queue without a new request: an attempt may be due, or another node may have
/// crashed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The most queued requests for one endpoint.
const MAX_QUEUED: i64 = 10_000;

/// Sends until `stop` is set, then finishes the requests that it has claimed.
pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    let mut tasks = EndpointTasks::new(&app, stop.clone());
    let mut next_trim = Instant::now();
    while !*stop.borrow() {
        let is_trim_due = next_trim <= Instant::now();
        if is_trim_due {
            next_trim = Instant::now() + POLL_INTERVAL;
        }
        let trimmed = match is_trim_due {
            true => trim_queues(&app).await,
            false => Ok(()),
        };
        if let Err(error) = start_due_after(trimmed, &mut tasks).await {
            tracing::warn!(%error, "deliveries wait for the database");
        }
        tokio::select! {
            () = app.deliverer.wakeup.notified() => {}
            () = tasks.join_next(), if !tasks.is_empty() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => {}
        }
    }
    tasks.join_all().await;
}

async fn start_due_after(trimmed: Result<()>, tasks: &mut EndpointTasks) -> Result<()> {
    trimmed?;
    tasks.start_due().await
}

/// Sends all due requests. Returns the number of attempts.
pub async fn drain(app: &SharedApp) -> Result<usize> {
    let (_go, stop) = watch::channel(false);
    trim_queues(app).await?;
    let mut attempts = 0;
    for endpoint in endpoints(app) {
        attempts += deliver_due(app, &endpoint, &stop).await?;
    }
    Ok(attempts)
}

/// The tasks of the endpoints with due requests.
struct EndpointTasks {
    app: SharedApp,
    endpoints: Vec<Endpoint>,
    tasks: JoinSet<Result<usize>>,
    running: HashMap<Id, String>,
    stop: watch::Receiver<bool>,
}

impl EndpointTasks {
    fn new(app: &SharedApp, stop: watch::Receiver<bool>) -> EndpointTasks {
        EndpointTasks {
            app: app.clone(),
            endpoints: endpoints(app),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            stop,
        }
    }

    fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Starts a task for each endpoint that has due requests and no task.
    async fn start_due(&mut self) -> Result<()> {
        let now = self.app.clock.millis();
        for endpoint in &self.endpoints {
            let is_running = self.running.values().any(|key| *key == endpoint.key);
            if is_running || self.app.deliverer.is_gone(&endpoint.key) {
                continue;
            }
            let mut tx = self.app.store.read().await?;
            if !deliveries::is_due(&mut tx, &endpoint.key, now).await? {
                continue;
            }
            let (app, own, stop) = (self.app.clone(), endpoint.clone(), self.stop.clone());
            let task = self
                .tasks
                .spawn(async move { deliver_due(&app, &own, &stop).await });
            self.running.insert(task.id(), endpoint.key.clone());
        }
        Ok(())
    }

    /// Waits until a task has ended. A failed task is started again at the next poll.
    async fn join_next(&mut self) {
        let Some(joined) = self.tasks.join_next_with_id().await else {
            return;
        };
        let (id, failure) = match joined {
            Ok((id, Ok(_))) => (id, None),
            Ok((id, Err(error))) => (id, Some(error.to_string())),
            // The error would repeat the panic's message, which may contain input; the panic itself is logged.
            Err(error) => (error.id(), Some("a panic".to_owned())),
        };
        self.running.remove(&id);
        if let Some(error) = failure {
            tracing::warn!(error, "deliveries to an endpoint wait");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    async fn join_all(mut self) {
        while !self.is_empty() {
            self.join_next().await;
        }
    }
}

/// Sends all due requests of one endpoint. Returns the number of attempts.
async fn deliver_due(
    app: &App,
    endpoint: &Endpoint,
    stop: &watch::Receiver<bool>,
) -> Result<usize> {
    let mut tried = 0;
    while !*stop.borrow() && !app.deliverer.is_gone(&endpoint.key) {
        let now = app.clock.millis();
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let claimed = deliveries::claim(
            &mut tx,
            &endpoint.key,
            now,
            now + CLAIM_MILLIS,
            MAX_PARALLEL,
        )
        .await?;
        tx.commit().await?;
        if claimed.is_empty() {
            break;
        }
        tried += claimed.len();
        let all = claimed.iter().map(|queued| deliver(app, endpoint, queued));
        for done in join_all(all).await {
            done?;
        }
    }
    Ok(tried)
}

/// Makes one attempt, and records the result.
async fn deliver(app: &App, endpoint: &Endpoint, queued: &QueuedDelivery) -> Result<()> {
    let Some((kind, request)) = compose(app, endpoint, queued).await? else {
        return postpone(app, endpoint, queued).await;
    };
    match app.deliverer.send(request).await {
        Ok(()) => record_success(app, endpoint, queued).await,
        Err(DeliveryError::Gone) if kind.stops_on_gone() => {
            stop_endpoint(app, endpoint);
            Ok(())
        }
        Err(refusal) => record_failure(app, endpoint, queued, kind, &refusal).await,
    }
}

/// Makes the request according to its kind. None for a row that only a newer version understands.
async fn compose(
    app: &App,
    endpoint: &Endpoint,
    queued: &QueuedDelivery,
) -> Result<Option<(DeliveryKind, DeliveryRequest)>> {
    let Some(kind) = DeliveryKind::from_name(&queued.kind) else {
        return Ok(None);
    };
    let request = match kind {
        DeliveryKind::Webhook => webhook::compose(app, &endpoint.key, queued),
        DeliveryKind::BackchannelLogout => {
            backchannel_logout::compose(app, &endpoint.key, queued).await?
        }
    };
    Ok(request.map(|request| (kind, request)))
}

async fn record_success(app: &App, endpoint: &Endpoint, queued: &QueuedDelivery) -> Result<()> {
    app.metrics
        .deliveries
        .count(&endpoint.label, DeliveryResult::Sent, 1);
    tracing::debug!(target: "delivery", endpoint = endpoint.label, id = %queued.id, "a request was accepted");
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::remove(&mut tx, queued.id).await?;
    tx.commit().await?;
    make_next_batch_due(app, endpoint).await
}

/// Makes requests due again that wait since the endpoint failed.
async fn make_next_batch_due(app: &App, endpoint: &Endpoint) -> Result<()> {
    let now = app.clock.millis();
    let Some(batch) = app.recovery.begin_batch(&endpoint.key, now) else {
        return Ok(());
    };
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let rows = make_due(&mut tx, &endpoint.key, now, now).await?;
    tx.commit().await?;
    app.recovery.end_batch(&endpoint.key, &batch, rows);
    Ok(())
}

/// Makes a batch of waiting requests due from `from` on. Returns their number.
async fn make_due(tx: &mut Tx, endpoint: &str, now: i64, from: i64) -> Result<u64> {
    let waiting_after = now.saturating_add(CLAIM_MILLIS);
    deliveries::make_due(tx, endpoint, waiting_after, from, ROW_MILLIS, BATCH_ROWS).await
}

/// Makes all requests of an endpoint due again that wait after a failed attempt, for `account webhooks retry`. Returns
/// their number.
pub(crate) async fn retry_waiting(app: &App, endpoint: &str) -> Result<u64> {
    let now = app.clock.millis();
    let mut total = 0;
    loop {
        let mut tx = app.store.write().await?;
        let from = now.saturating_add(total as i64 * ROW_MILLIS);
        let rows = make_due(&mut tx, endpoint, now, from).await?;
        tx.commit().await?;
        total += rows;
        if rows < BATCH_ROWS as u64 {
            return Ok(total);
        }
        app.store.yield_to_writers().await;
    }
}

/// Ends the endpoint on this node. Its requests stay queued until the next start.
fn stop_endpoint(app: &App, endpoint: &Endpoint) {
    if app.deliverer.mark_gone(&endpoint.key) {
        app.metrics.deliveries.mark_gone(&endpoint.label);
        tracing::error!(target: "delivery", endpoint = endpoint.label,
            "the endpoint responded 410 and gets nothing until this process restarts");
    }
}

/// Schedules another attempt, or gives the request up after the last one.
async fn record_failure(
    app: &App,
    endpoint: &Endpoint,
    queued: &QueuedDelivery,
    kind: DeliveryKind,
    refusal: &DeliveryError,
) -> Result<()> {
    app.recovery.record_failure(&endpoint.key);
    let reason = refusal.to_string();
    let failures = usize::try_from(queued.attempts).unwrap_or(usize::MAX);
    let Some(wait) = kind.retry_delays().get(failures) else {
        return give_up(app, endpoint, queued, &reason).await;
    };
    app.metrics
        .deliveries
        .count(&endpoint.label, DeliveryResult::Delayed, 1);
    tracing::warn!(target: "delivery", endpoint = endpoint.label, id = %queued.id, reason, "a request failed and is tried again");
    let due_at = app.clock.millis().saturating_add(*wait);
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::retry(&mut tx, queued.id, due_at, &reason).await?;
    tx.commit().await
}

/// Leaves a row that only a newer version understands to a node of that version, during a rolling upgrade. It is not an
/// attempt: the row stays until `jobs/expiry.rs` deletes it.
async fn postpone(app: &App, endpoint: &Endpoint, queued: &QueuedDelivery) -> Result<()> {
    app.metrics
        .deliveries
        .count(&endpoint.label, DeliveryResult::Delayed, 1);
    tracing::warn!(target: "delivery", endpoint = endpoint.label, id = %queued.id, kind = queued.kind,
        "a request that this version cannot make was postponed");
    let due_at = app.clock.millis().saturating_add(NEWER_VERSION_DELAY);
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::postpone(&mut tx, queued.id, due_at).await?;
    tx.commit().await
}

async fn give_up(
    app: &App,
    endpoint: &Endpoint,
    queued: &QueuedDelivery,
    reason: &str,
) -> Result<()> {
    app.metrics
        .deliveries
        .count(&endpoint.label, DeliveryResult::GivenUp, 1);
    tracing::error!(target: "delivery", endpoint = endpoint.label, id = %queued.id, reason, "a request was given up");
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::remove(&mut tx, queued.id).await?;
    tx.commit().await
}

/// Drops requests of endpoints with too many queued ones.
async fn trim_queues(app: &App) -> Result<()> {
    for endpoint in endpoints(app) {
        let mut tx = app.store.read().await?;
        if !deliveries::has_more_than(&mut tx, &endpoint.key, MAX_QUEUED).await? {
            continue;
        }
        drop(tx);
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let dropped = deliveries::trim_queue(&mut tx, &endpoint.key, MAX_QUEUED).await?;
        tx.commit().await?;
        app.metrics
            .deliveries
            .count(&endpoint.label, DeliveryResult::Dropped, dropped);
        tracing::error!(target: "delivery", endpoint = endpoint.label, dropped, "too many requests waited; the oldest of the least important kinds were dropped");
    }
    Ok(())
}
