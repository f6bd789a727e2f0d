//! Records security events of an account: a row in the transaction of the change, and a log line after the commit.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::accounts::actor::Actor;
use crate::accounts::change::Change;
use crate::accounts::client::Client;
use crate::db::Result;
use crate::domain::account_detail::AccountDetail;
use crate::domain::auth_method::AuthMethods;
use crate::domain::network;
use crate::domain::security_event::{SecurityEvent, Severity};
use crate::outbox::webhook;
use crate::store::security_events::{self, NewEvent};

/// A detail in the person's list of activity, as JSON like `{"left": 3}`. Must not be an email address or a secret.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventDetail<'a> {
    /// The action of a support agent.
    Action(&'a str),
    /// The name of an application.
    App(&'a str),
    /// Whether the person wants the newsletter.
    Consent(bool),
    /// The name of the device that was approved, refused or signed out.
    Device(Option<&'a str>),
    /// The number of unused recovery codes.
    Left(i64),
    /// The methods of a sign-in, as in the claim `amr` (RFC 8176).
    Methods(&'a AuthMethods),
    /// The name of a passkey.
    Name(&'a str),
    /// Whether no mail reported the event.
    Quiet(bool),
    /// Why the action was refused: the code of the error, or `counter` for a passkey.
    Reason(&'a str),
    /// The application whose tokens were revoked, and the reason.
    #[serde(untagged)]
    RevokedApp { app: &'a str, reason: &'a str },
    /// The fields of the account that a support agent has corrected.
    #[serde(untagged)]
    Correction {
        action: &'a str,
        fields: &'a [AccountDetail],
    },
}

/// A security event of an account.
pub(crate) struct Event<'a> {
    kind: SecurityEvent,
    account: Uuid,
    detail: Option<EventDetail<'a>>,
    /// The reason why a policy refused the action, for the log line.
    reason: Option<&'a str>,
}

impl<'a> Event<'a> {
    pub(crate) fn new(kind: SecurityEvent, account: Uuid) -> Event<'a> {
        Event {
            kind,
            account,
            detail: None,
            reason: None,
        }
    }

    pub(crate) fn detail(mut self, detail: EventDetail<'a>) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Sets the reason why a policy refused the action, for the list of activity and the log line.
    pub(crate) fn reason(mut self, reason: &'a str) -> Self {
        self.detail = Some(EventDetail::Reason(reason));
        self.reason = Some(reason);
        self
    }
}

/// Records an event without details, like [`Change::record`].
pub(crate) async fn record(
    change: &mut Change<'_>,
    kind: SecurityEvent,
    account: Uuid,
) -> Result<()> {
    change.record(Event::new(kind, account)).await
}

impl Change<'_> {
    /// Writes the row of an event caused by the change's actor, and queues its webhooks. The log line is written after
    /// the commit.
    pub(crate) async fn record(&mut self, event: Event<'_>) -> Result<()> {
        self.record_as(self.actor, event).await
    }

    /// Writes the row of an event like [`Change::record`], but with another actor.
    pub(crate) async fn record_as(&mut self, actor: Actor<'_>, event: Event<'_>) -> Result<()> {
        let client = actor.client();
        let device_name = client.map(Client::device_name);
        let device = client.and_then(|client| {
            let own = client.device_cookie.as_ref();
            self.new_device.or_else(|| Some(own?.hash()))
        });
        let ip = client.map(|client| client.ip);
        let network = ip.map(network::network_prefix);
        let (kind, account) = (event.kind, event.account);
        let details = event
            .detail
            .map_or_else(|| json!({}), |detail| json!(detail));
        let new = NewEvent {
            id: self.new_id(),
            account_id: account,
            kind: kind.as_str(),
            at: self.now,
            actor: actor.name(),
            device_name: device_name.as_deref(),
            device_hash: device.as_ref(),
            network: network.as_deref(),
            details: &details.to_string(),
        };
        security_events::insert(self, &new).await?;
        webhook::announce_event(self.app, self, kind, account).await?;
        let reason = event.reason.map(str::to_owned);
        self.on_commit(move || log(kind, account, ip, reason.as_deref()));
        Ok(())
    }
}

fn log(kind: SecurityEvent, account: Uuid, ip: Option<IpAddr>, reason: Option<&str>) {
    let event = kind.as_str();
    let ip = ip.map(tracing::field::display);
    if kind.severity() == Severity::Alarming {
        tracing::warn!(target: "security", event, %account, ip, reason);
    } else {
        tracing::info!(target: "security", event, %account, ip, reason);
    }
}
