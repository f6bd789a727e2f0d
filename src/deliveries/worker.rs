//! The worker of deliveries. Any number of nodes may run one. Each endpoint with due requests has its own task, so that
//! a slow or unreachable endpoint delays no other. A claim reserves a request for one worker, and expires if that
//! worker crashes.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use super::{Endpoint, Kind, backchannel_logout, endpoints, webhook};
use crate::app::{App, Shared};
use crate::db::{Durability, Result};
use crate::deliverer::{Refusal, Request};
use crate::metrics::Delivered;
use crate::store::deliveries::{self, QueuedDelivery};

/// The number of parallel requests to one endpoint.
const SLOTS: i64 = 8;
/// The duration of a claim in milliseconds: longer than any attempt. It is also the delay of a request after a crash.
const HOLD: i64 = 30_000;
/// The interval between reads of the queue without a new request: an attempt may be due, or another node may have
/// crashed.
const POLL: Duration = Duration::from_secs(1);
/// The most queued requests for one endpoint; the oldest ones beyond it are dropped (contract 2, WH-3).
const MOST_WAITING: i64 = 10_000;

/// Sends until `stop` is set, then finishes the requests that it has claimed.
pub async fn run(app: Shared, mut stop: watch::Receiver<bool>) {
    let mut lanes = Lanes::new(&app, stop.clone());
    let mut next_trim = Instant::now();
    while !*stop.borrow() {
        let is_time_to_trim = next_trim <= Instant::now();
        if is_time_to_trim {
            next_trim = Instant::now() + POLL;
        }
        let begun = match is_time_to_trim {
            true => trim(&app).await,
            false => Ok(()),
        };
        if let Err(error) = and_begin(begun, &mut lanes).await {
            tracing::warn!(%error, "deliveries wait for the database");
        }
        tokio::select! {
            () = app.deliverer.wakeup.notified() => {}
            () = lanes.one_ends(), if !lanes.are_empty() => {}
            () = tokio::time::sleep(POLL) => {}
            _ = stop.changed() => {}
        }
    }
    lanes.all_end().await;
}

async fn and_begin(before: Result<()>, lanes: &mut Lanes) -> Result<()> {
    before?;
    lanes.begin_due().await
}

/// Sends all due requests. Returns the number of attempts.
pub async fn drain(app: &Shared) -> Result<usize> {
    let (_go, stop) = watch::channel(false);
    trim(app).await?;
    let mut tried = 0;
    for endpoint in endpoints(app) {
        tried += serve(app, &endpoint, &stop).await?;
    }
    Ok(tried)
}

/// The tasks of the endpoints with due requests.
struct Lanes {
    app: Shared,
    endpoints: Vec<Endpoint>,
    tasks: JoinSet<Result<usize>>,
    running: HashMap<Id, String>,
    stop: watch::Receiver<bool>,
}

impl Lanes {
    fn new(app: &Shared, stop: watch::Receiver<bool>) -> Lanes {
        Lanes {
            app: app.clone(),
            endpoints: endpoints(app),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            stop,
        }
    }

    fn are_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Starts a task for each endpoint that has due requests and no task.
    async fn begin_due(&mut self) -> Result<()> {
        let now = self.app.clock.millis();
        for endpoint in &self.endpoints {
            let is_running = self.running.values().any(|key| *key == endpoint.key);
            if is_running || self.app.deliverer.has_ended(&endpoint.key) {
                continue;
            }
            let mut tx = self.app.store.read().await?;
            if !deliveries::is_due(&mut tx, &endpoint.key, now).await? {
                continue;
            }
            let (app, own, stop) = (self.app.clone(), endpoint.clone(), self.stop.clone());
            let task = self
                .tasks
                .spawn(async move { serve(&app, &own, &stop).await });
            self.running.insert(task.id(), endpoint.key.clone());
        }
        Ok(())
    }

    /// Waits until a task has ended. A failed task is started again at the next poll.
    async fn one_ends(&mut self) {
        let Some(ended) = self.tasks.join_next_with_id().await else {
            return;
        };
        let (id, failure) = match ended {
            Ok((id, Ok(_))) => (id, None),
            Ok((id, Err(error))) => (id, Some(error.to_string())),
            // The error would repeat the panic's message, which may contain input; the panic itself is logged.
            Err(error) => (error.id(), Some("a panic".to_owned())),
        };
        self.running.remove(&id);
        if let Some(error) = failure {
            tracing::warn!(error, "deliveries to an endpoint wait");
            tokio::time::sleep(POLL).await;
        }
    }

    async fn all_end(mut self) {
        while !self.are_empty() {
            self.one_ends().await;
        }
    }
}

/// Sends all due requests of one endpoint. Returns the number of attempts.
async fn serve(app: &App, endpoint: &Endpoint, stop: &watch::Receiver<bool>) -> Result<usize> {
    let mut tried = 0;
    while !*stop.borrow() && !app.deliverer.has_ended(&endpoint.key) {
        let now = app.clock.millis();
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let claimed = deliveries::claim(&mut tx, &endpoint.key, now, now + HOLD, SLOTS).await?;
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
        return give_up(app, endpoint, queued, "a row of another version").await;
    };
    match app.deliverer.send(request).await {
        Ok(()) => sent(app, endpoint, queued).await,
        Err(Refusal::Gone) if kind.ends_with_gone() => {
            end(app, endpoint);
            Ok(())
        }
        Err(refusal) => failed(app, endpoint, queued, kind, &refusal).await,
    }
}

/// Makes the request according to its kind.
async fn compose(
    app: &App,
    endpoint: &Endpoint,
    queued: &QueuedDelivery,
) -> Result<Option<(Kind, Request)>> {
    let Some(kind) = Kind::named(&queued.kind) else {
        return Ok(None);
    };
    let request = match kind {
        Kind::Webhook => webhook::compose(app, &endpoint.key, queued),
        Kind::BackchannelLogout => backchannel_logout::compose(app, &endpoint.key, queued).await?,
    };
    Ok(request.map(|request| (kind, request)))
}

async fn sent(app: &App, endpoint: &Endpoint, queued: &QueuedDelivery) -> Result<()> {
    app.metrics
        .deliveries
        .count(&endpoint.label, Delivered::Sent, 1);
    tracing::debug!(target: "delivery", endpoint = endpoint.label, id = %queued.id, "a request was accepted");
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::remove(&mut tx, queued.id).await?;
    tx.commit().await
}

/// Ends the endpoint on this node. Its requests stay queued until the next start.
fn end(app: &App, endpoint: &Endpoint) {
    if app.deliverer.end(&endpoint.key) {
        app.metrics.deliveries.end(&endpoint.label);
        tracing::error!(target: "delivery", endpoint = endpoint.label,
            "the endpoint responded 410 and gets nothing until this process restarts");
    }
}

/// Schedules another attempt, or gives the request up after the last one.
async fn failed(
    app: &App,
    endpoint: &Endpoint,
    queued: &QueuedDelivery,
    kind: Kind,
    refusal: &Refusal,
) -> Result<()> {
    let reason = refusal.to_string();
    let failures = usize::try_from(queued.attempts).unwrap_or(usize::MAX);
    let Some(wait) = kind.waits().get(failures) else {
        return give_up(app, endpoint, queued, &reason).await;
    };
    app.metrics
        .deliveries
        .count(&endpoint.label, Delivered::Delayed, 1);
    tracing::warn!(target: "delivery", endpoint = endpoint.label, id = %queued.id, reason, "a request failed and is tried again");
    let due_at = app.clock.millis().saturating_add(*wait);
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::retry(&mut tx, queued.id, due_at, &reason).await?;
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
        .count(&endpoint.label, Delivered::GivenUp, 1);
    tracing::error!(target: "delivery", endpoint = endpoint.label, id = %queued.id, reason, "a request was given up");
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    deliveries::remove(&mut tx, queued.id).await?;
    tx.commit().await
}

/// Drops the oldest requests of endpoints with too many queued ones.
async fn trim(app: &App) -> Result<()> {
    for endpoint in endpoints(app) {
        let mut tx = app.store.read().await?;
        if !deliveries::has_more_than(&mut tx, &endpoint.key, MOST_WAITING).await? {
            continue;
        }
        drop(tx);
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let dropped = deliveries::trim_queue(&mut tx, &endpoint.key, MOST_WAITING).await?;
        tx.commit().await?;
        app.metrics
            .deliveries
            .count(&endpoint.label, Delivered::Dropped, dropped);
        tracing::error!(target: "delivery", endpoint = endpoint.label, dropped, "too many requests waited; the oldest were dropped");
    }
    Ok(())
}
