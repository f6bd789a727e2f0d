//! Records what happens to an account: a row in the transaction of the change, and a log line when it commits.

use std::net::IpAddr;

use serde_json::{Value, json};
use uuid::Uuid;

use super::client::Client;
use crate::app::App;
use crate::db::{Result, Tx};
use crate::deliveries::webhook;
use crate::domain::network;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::store::security_events::{self, NewEvent};

/// An event of an account, caused by the person who uses `client`.
pub(crate) struct Event<'a> {
    kind: SecurityEvent,
    account: Uuid,
    ip: IpAddr,
    device_name: String,
    device: Option<SecretHash>,
    details: Value,
    /// The reason in the log line.
    reason: Option<&'a str>,
}

impl<'a> Event<'a> {
    pub(crate) fn new(kind: SecurityEvent, account: Uuid, client: &Client) -> Event<'a> {
        Event {
            kind,
            account,
            ip: client.ip,
            device_name: client.device_name(),
            device: client.device.as_ref().map(Secret::hash),
            details: json!({}),
            reason: None,
        }
    }

    /// The browser's device cookie, if it gets one with this response.
    pub(crate) fn device(mut self, cookie: &Secret) -> Self {
        self.device = Some(cookie.hash());
        self
    }

    /// What the person's list says besides the kind. No addresses and no secrets.
    pub(crate) fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Why a policy stopped the action, for the list and the log line.
    pub(crate) fn reason(mut self, reason: &'a str) -> Self {
        self.details = json!({"reason": reason});
        self.reason = Some(reason);
        self
    }

    /// Writes the row in the transaction of the change, and queues its webhooks. The log line follows its commit.
    pub(crate) async fn record(self, app: &App, tx: &mut Tx) -> Result<()> {
        let now = app.clock.millis();
        let details = self.details.to_string();
        let new = NewEvent {
            id: app.rng.id(now),
            account_id: self.account,
            kind: self.kind.as_str(),
            at: now,
            actor: "self",
            device_name: Some(&self.device_name),
            device_hash: self.device.as_ref(),
            network: Some(&network::prefix(self.ip)),
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

fn log(kind: SecurityEvent, account: Uuid, ip: IpAddr, reason: Option<&str>) {
    let event = kind.as_str();
    if kind.is_alarming() {
        tracing::warn!(target: "security", event, %account, %ip, reason);
    } else {
        tracing::info!(target: "security", event, %account, %ip, reason);
    }
}
