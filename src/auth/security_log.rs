//! Records security events of an account: a row in the transaction of the change, and a log line after the commit.

use std::net::IpAddr;

use serde_json::{Value, json};
use uuid::Uuid;

use super::client::Client;
use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::network;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::outbox::webhook;
use crate::store::security_events::{self, NewEvent};
use crate::store::support_audit::AuditReceipt;

/// The cause of an event.
#[derive(Clone, Copy)]
pub(crate) enum Actor<'a> {
    /// The person, with a browser.
    Person(&'a Client),
    /// A support agent or an operator, whose action is in the audit. The person's list shows neither their device nor
    /// their network.
    Support(AuditReceipt),
    /// The program itself.
    System,
}

impl Actor<'_> {
    fn name(self) -> &'static str {
        match self {
            Actor::Person(_) => "self",
            Actor::Support(_) => "support",
            Actor::System => "system",
        }
    }
}

/// An event of an account.
pub(crate) struct Event<'a> {
    kind: SecurityEvent,
    account: Uuid,
    actor: &'static str,
    ip: Option<IpAddr>,
    device_name: Option<String>,
    device: Option<SecretHash>,
    details: Value,
    /// The reason in the log line.
    reason: Option<&'a str>,
}

impl<'a> Event<'a> {
    /// Returns an event that the user of `client` has caused.
    pub(crate) fn new(kind: SecurityEvent, account: Uuid, client: &Client) -> Event<'a> {
        Event::by_actor(kind, account, Actor::Person(client))
    }

    pub(crate) fn by_actor(kind: SecurityEvent, account: Uuid, actor: Actor<'_>) -> Event<'a> {
        let client = match actor {
            Actor::Person(client) => Some(client),
            Actor::Support(_) | Actor::System => None,
        };
        Event {
            kind,
            account,
            actor: actor.name(),
            ip: client.map(|client| client.ip),
            device_name: client.map(Client::device_name),
            device: client.and_then(|client| Some(client.device.as_ref()?.hash())),
            details: json!({}),
            reason: None,
        }
    }

    /// Sets the browser's device cookie, if the response assigns one.
    pub(crate) fn device(mut self, cookie: &Secret) -> Self {
        self.device = Some(cookie.hash());
        self
    }

    /// Sets the facts in the person's list in addition to the kind. They contain no addresses and no secrets.
    pub(crate) fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Sets the reason why a policy refused the action, for the list and the log line.
    pub(crate) fn reason(mut self, reason: &'a str) -> Self {
        self.details = json!({"reason": reason});
        self.reason = Some(reason);
        self
    }

    /// Writes the row in the transaction of the change, and queues its webhooks. The log line follows the commit.
    pub(crate) async fn record(self, app: &App, tx: &mut Tx) -> Result<()> {
        let now = app.clock.millis();
        let details = self.details.to_string();
        let network = self.ip.map(network::network_prefix);
        let new = NewEvent {
            id: app.rng.id(now),
            account_id: self.account,
            kind: self.kind.as_str(),
            at: now,
            actor: self.actor,
            device_name: self.device_name.as_deref(),
            device_hash: self.device.as_ref(),
            network: network.as_deref(),
            details: &details,
        };
        security_events::insert(tx, &new).await?;
        webhook::announce_event(app, tx, self.kind, self.account).await?;
        let (kind, account, ip) = (self.kind, self.account, self.ip);
        let reason = self.reason.map(str::to_owned);
        tx.on_commit(move || log(kind, account, ip, reason.as_deref()));
        Ok(())
    }
}

fn log(kind: SecurityEvent, account: Uuid, ip: Option<IpAddr>, reason: Option<&str>) {
    let event = kind.as_str();
    let ip = ip.map(tracing::field::display);
    if kind.is_alarming() {
        tracing::warn!(target: "security", event, %account, ip, reason);
    } else {
        tracing::info!(target: "security", event, %account, ip, reason);
    }
}
