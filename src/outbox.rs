//! The outbox: mails, webhooks and logout messages. A message is queued in the transaction of the change that it
//! reports, and a worker sends it.
//!
//! A row contains only the kind and the parameters of a message. The worker composes the message when it sends the row,
//! so that each attempt has a new token or signature. A row is sent at least once, in no guaranteed order, and all
//! attempts for it have the same id. Mails (`mail::queue`) and HTTP requests have separate tables, but share the
//! worker, the claims and the retries.

use std::time::Duration;

use serde::Serialize;

mod attempt;
pub(crate) mod backchannel_logout;
mod capture;
mod claimed_mail;
mod mails;
pub mod queues;
pub(crate) mod requests;
pub mod retry;
mod schedule;
pub(crate) mod webhook;
mod worker;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::named_enum::named_enum;
use crate::store::outbox::requests::{self as table, QueuedRequest};

named_enum! {
    /// The purpose of an HTTP request, which determines how the request is made and retried.
    pub(crate) enum RequestKind(
        /// The time limit of one attempt to send the request.
        timeout: Duration
    ) {
        Webhook = "webhook", Duration::from_secs(15);
        BackchannelLogout = "backchannel_logout", Duration::from_secs(5);
    }
}

/// A configured receiver of the outbox's HTTP requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The unique name that identifies the endpoint. The name never changes and contains no secret.
    pub key: String,
    /// The name of the endpoint in metrics and logs.
    pub label: String,
}

/// Returns the configured endpoints. Requests for an unknown endpoint stay queued for a node that has this endpoint.
pub(crate) fn endpoints(app: &App) -> Vec<Endpoint> {
    let mut all = webhook::endpoints(app);
    all.extend(backchannel_logout::endpoints(app));
    all
}

/// Queues an HTTP request in the caller's transaction, and wakes its worker after the commit. `facts` contains no
/// personal data. A later request with the same `merge_key` may replace this request while it is queued.
async fn queue_request(
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
