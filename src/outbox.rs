//! What waits to leave the program: mails, webhooks and logout messages, queued in the transaction of the change that
//! they report, made and sent by a worker.
//!
//! A row contains a few facts. A message is made at send time, so that each attempt has a new token or signature. A row
//! is sent at least once, in no guaranteed order; all attempts of one row have the same id. Mails have a table of their
//! own (`mail::queue`); both tables share the worker, the claims and the retries.

use std::time::Duration;

use serde::Serialize;

mod attempt;
pub(crate) mod backchannel_logout;
pub(crate) mod capture;
pub(crate) mod mails;
pub(crate) mod requests;
pub(crate) mod retry;
mod schedule;
pub(crate) mod webhook;
pub(crate) mod worker;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::store::outbox::requests::{self as table, QueuedRequest};

/// The purpose of a request. It determines how the request is made and retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Webhook,
    BackchannelLogout,
}

impl RequestKind {
    fn as_str(self) -> &'static str {
        match self {
            RequestKind::Webhook => "webhook",
            RequestKind::BackchannelLogout => "backchannel_logout",
        }
    }

    /// Returns the kind with this name. None for one that only a later version knows.
    fn from_name(name: &str) -> Option<RequestKind> {
        let all = [RequestKind::Webhook, RequestKind::BackchannelLogout];
        all.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the time limit of one attempt.
    fn timeout(self) -> Duration {
        match self {
            RequestKind::Webhook => Duration::from_secs(15),
            RequestKind::BackchannelLogout => Duration::from_secs(5),
        }
    }
}

/// A configured receiver of requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
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

/// Queues a request inside the caller's transaction, and wakes its worker after the commit. `facts` contains no
/// personal data. A later request with the same `merge_key` may replace this one while it waits.
async fn queue(
    app: &App,
    tx: &mut Tx,
    kind: RequestKind,
    endpoint: &str,
    facts: &impl Serialize,
    merge_key: Option<&str>,
) -> Result<()> {
    let now = app.clock.millis();
    let request = QueuedRequest {
        id: app.rng.id(now),
        kind: kind.as_str().to_owned(),
        facts: serde_json::to_string(facts).expect("plain data"),
        attempts: 0,
    };
    let wakeup = app.deliverer.wakeup.clone();
    tx.on_commit(move || wakeup.send_replace(()));
    table::insert(tx, &request, endpoint, merge_key, now).await
}
