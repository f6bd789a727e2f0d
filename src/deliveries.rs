//! HTTP requests to other services: queued in the transaction of the change that they report, made and sent by a worker.
//!
//! The queue holds a few facts. The request is made when it is sent, so that a retry is signed anew. A request arrives
//! at least once, in no promised order; each try of one carries the same id.

use std::time::Duration;

use serde::Serialize;

pub(crate) mod backchannel_logout;
pub(crate) mod webhook;
pub(crate) mod worker;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::store::deliveries::{self, NewDelivery};

/// What a request is for. Determines how it is made, and how it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Webhook,
    BackchannelLogout,
}

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Webhook => "webhook",
            Kind::BackchannelLogout => "backchannel_logout",
        }
    }

    /// None for a kind that only a later version knows.
    fn named(name: &str) -> Option<Kind> {
        let all = [Kind::Webhook, Kind::BackchannelLogout];
        all.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The waits before the second and each further try, in milliseconds, each after the failure before it. A request
    /// is given up when the try after the last wait fails.
    fn waits(self) -> &'static [i64] {
        match self {
            Kind::Webhook => &[
                5 * SECOND,
                5 * MINUTE,
                30 * MINUTE,
                2 * HOUR,
                5 * HOUR,
                10 * HOUR,
                14 * HOUR,
                20 * HOUR,
                24 * HOUR,
            ],
            Kind::BackchannelLogout => &[10 * SECOND, MINUTE, 10 * MINUTE, HOUR],
        }
    }

    /// The limit of one try.
    fn timeout(self) -> Duration {
        match self {
            Kind::Webhook => Duration::from_secs(15),
            Kind::BackchannelLogout => Duration::from_secs(5),
        }
    }

    /// Whether a response 410 ends the endpoint.
    fn ends_with_gone(self) -> bool {
        match self {
            Kind::Webhook => true,
            Kind::BackchannelLogout => false,
        }
    }
}

/// A receiver of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Endpoint {
    /// Stable and unique among all kinds; contains no secret.
    pub key: String,
    /// For metrics and logs.
    pub label: String,
}

/// The endpoints of the configuration. Requests for others wait for a node that knows them.
pub(crate) fn endpoints(app: &App) -> Vec<Endpoint> {
    let mut all = webhook::endpoints(app);
    all.extend(backchannel_logout::endpoints(app));
    all
}

/// Queues a request inside the caller's transaction, and wakes the worker when it commits. `facts` contains no personal
/// data.
pub(crate) async fn queue(
    app: &App,
    tx: &mut Tx,
    kind: Kind,
    endpoint: &str,
    facts: &impl Serialize,
) -> Result<()> {
    let now = app.clock.millis();
    let facts = serde_json::to_string(facts).expect("plain data");
    let new = NewDelivery {
        id: app.rng.id(now),
        kind: kind.as_str(),
        endpoint,
        facts: &facts,
        now,
    };
    let wakeup = app.deliverer.wakeup.clone();
    tx.on_commit(move || wakeup.notify_one());
    deliveries::insert(tx, &new).await
}
