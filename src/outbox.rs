//! HTTP requests to other services: queued in the transaction of the change that they report, made and sent by a
//! worker.
//!
//! The queue contains a few facts. The request is made at send time, so that each retry has a new signature. A request
//! is delivered at least once, in no guaranteed order; all attempts of one request have the same id.

use std::time::Duration;

use serde::Serialize;

pub(crate) mod backchannel_logout;
pub(crate) mod capture;
pub(crate) mod mails;
pub(crate) mod requests;
pub(crate) mod retry;
pub(crate) mod webhook;

use crate::app::App;
use crate::clock::{DAY, HOUR};
use crate::db::{Result, Tx};
use crate::store::deliveries::{self, NewDelivery};

/// The purpose of a request. It determines how the request is made and retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeliveryKind {
    Webhook,
    BackchannelLogout,
}

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;

impl DeliveryKind {
    fn as_str(self) -> &'static str {
        match self {
            DeliveryKind::Webhook => "webhook",
            DeliveryKind::BackchannelLogout => "backchannel_logout",
        }
    }

    /// Returns the kind with this name. None for one that only a later version knows.
    fn from_name(name: &str) -> Option<DeliveryKind> {
        let all = [DeliveryKind::Webhook, DeliveryKind::BackchannelLogout];
        all.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the pauses before the second and each further attempt, in milliseconds, each after the previous failure.
    /// A request is given up when the attempt after the last pause fails.
    fn retry_delays(self) -> &'static [i64] {
        match self {
            DeliveryKind::Webhook => &[
                5 * SECOND,
                5 * MINUTE,
                30 * MINUTE,
                2 * HOUR,
                5 * HOUR,
                10 * HOUR,
                14 * HOUR,
                20 * HOUR,
                DAY,
            ],
            DeliveryKind::BackchannelLogout => &[10 * SECOND, MINUTE, 10 * MINUTE, HOUR],
        }
    }

    /// Returns the time limit of one attempt.
    fn timeout(self) -> Duration {
        match self {
            DeliveryKind::Webhook => Duration::from_secs(15),
            DeliveryKind::BackchannelLogout => Duration::from_secs(5),
        }
    }

    /// Returns whether a response 410 ends the endpoint.
    fn stops_on_gone(self) -> bool {
        match self {
            DeliveryKind::Webhook => true,
            DeliveryKind::BackchannelLogout => false,
        }
    }
}

/// A configured receiver.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Endpoint {
    /// Stable and unique among all kinds; contains no secret.
    pub key: String,
    /// For metrics and logs.
    pub label: String,
}

/// Returns the configured endpoints. Requests for others stay queued for a node whose configuration has them.
pub(crate) fn endpoints(app: &App) -> Vec<Endpoint> {
    let mut all = webhook::endpoints(app);
    all.extend(backchannel_logout::endpoints(app));
    all
}

/// Queues a request inside the caller's transaction, and wakes the worker after the commit. `facts` contains no
/// personal data. A later request with the same `merge_key` may replace this one while it waits.
pub(crate) async fn queue(
    app: &App,
    tx: &mut Tx,
    kind: DeliveryKind,
    endpoint: &str,
    facts: &impl Serialize,
    merge_key: Option<&str>,
) -> Result<()> {
    let now = app.clock.millis();
    let facts = serde_json::to_string(facts).expect("plain data");
    let new = NewDelivery {
        id: app.rng.id(now),
        kind: kind.as_str(),
        endpoint,
        facts: &facts,
        merge_key,
        now,
    };
    let wakeup = app.deliverer.wakeup.clone();
    tx.on_commit(move || wakeup.notify_one());
    deliveries::insert(tx, &new).await
}
