//! Webhooks report events of accounts to subscribed services, by Standard Webhooks 1.0.0
//! (<https://www.standardwebhooks.com>). A payload contains the event and the account, but no further personal data.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use sha2::Sha256;
use uuid::Uuid;

use super::{Endpoint, RequestKind};
use crate::app::App;
use crate::clock::rfc3339;
use crate::config::{Config, Webhook};
use crate::db::{Result, Tx};
use crate::domain::security_event::SecurityEvent;
use crate::domain::webhook_event::EventType;
use crate::outgoing::http::DeliveryRequest;
use crate::store::outbox::requests::{self as table, QueuedRequest};

/// Queues the webhooks of a security event, in the transaction that records the event.
pub(crate) async fn announce_event(
    app: &App,
    tx: &mut Tx,
    event: SecurityEvent,
    account: Uuid,
) -> Result<()> {
    for (event_type, fields) in event.webhooks() {
        queue(app, tx, *event_type, account, fields).await?;
    }
    Ok(())
}

/// Queues an event of an account for every subscribed endpoint. The caller's transaction contains the event and has
/// locked the account's row.
pub(crate) async fn queue(
    app: &App,
    tx: &mut Tx,
    event_type: EventType,
    account: Uuid,
    fields: &[&str],
) -> Result<()> {
    for endpoint in subscribed_endpoints(app, event_type) {
        queue_for(app, tx, &endpoint, event_type, account, fields).await?;
    }
    Ok(())
}

/// Queues `account.deleted` for an account whose email address was never verified. An endpoint that has not received
/// the waiting `account.created` gets neither event, so that registrations of strangers do not fill its queue.
pub(crate) async fn queue_removed_registration(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
) -> Result<()> {
    let mut uninformed = Vec::new();
    let created = EventType::Created.merge_key(account);
    for endpoint in subscribed_endpoints(app, EventType::Created) {
        if table::remove_unsent_request(tx, &endpoint, &created).await? {
            uninformed.push(endpoint);
        }
    }
    for endpoint in subscribed_endpoints(app, EventType::Deleted) {
        if !uninformed.contains(&endpoint) {
            queue_for(app, tx, &endpoint, EventType::Deleted, account, &[]).await?;
        }
    }
    Ok(())
}

fn subscribed_endpoints(app: &App, event_type: EventType) -> impl Iterator<Item = String> + '_ {
    let name = event_type.as_str();
    let webhooks = app.config.webhooks.iter();
    let subscribed = webhooks.filter(move |webhook| webhook.is_subscribed_to(name));
    subscribed.map(Webhook::endpoint_id)
}

async fn queue_for(
    app: &App,
    tx: &mut Tx,
    endpoint: &str,
    event_type: EventType,
    account: Uuid,
    fields: &[&str],
) -> Result<()> {
    let merge_key = event_type.merge_key(account);
    let replaced = table::remove_replaced_requests(tx, endpoint, &merge_key).await?;
    let facts = json!({
        "type": event_type.as_str(),
        "at": app.clock.millis(),
        "id": account,
        "fields": merge_fields(&replaced, fields),
    });
    let kind = RequestKind::Webhook;
    super::queue_request(app, tx, kind, endpoint, &facts, Some(&merge_key)).await
}

/// Returns the changed fields of the replaced events and of the new event.
fn merge_fields(replaced: &[String], fields: &[&str]) -> BTreeSet<String> {
    let earlier = replaced
        .iter()
        .filter_map(|facts| QueuedEvent::parse(facts));
    let earlier = earlier.flat_map(|event| event.fields);
    earlier
        .chain(fields.iter().map(|field| (*field).to_owned()))
        .collect()
}

/// The queued details of a webhook event.
#[derive(Deserialize)]
struct QueuedEvent {
    #[serde(rename = "type")]
    event_type: String,
    /// The time of the event, in milliseconds since 1970 UTC.
    at: i64,
    id: Uuid,
    #[serde(default)]
    fields: Vec<String>,
}

impl QueuedEvent {
    /// Returns `None` if only a newer version of this program understands the text, or if the text is damaged.
    fn parse(facts: &str) -> Option<QueuedEvent> {
        let parsed = serde_json::from_str(facts);
        parsed
            .inspect_err(|error| tracing::error!(%error, "a queued webhook event cannot be read"))
            .ok()
    }
}

pub(super) fn endpoints(app: &App) -> Vec<Endpoint> {
    let all = app.config.webhooks.iter();
    all.map(|webhook| Endpoint {
        key: webhook.endpoint_id(),
        label: endpoint_label(&app.config, webhook),
    })
    .collect()
}

/// Returns host and port of the webhook. The second endpoint on the same host gets the suffix `#2`.
pub(crate) fn endpoint_label(config: &Config, webhook: &Webhook) -> String {
    let host = webhook.host();
    let mut same = config.webhooks.iter().filter(|other| other.host() == host);
    match same.position(|other| other.endpoint_id() == webhook.endpoint_id()) {
        None | Some(0) => host,
        Some(earlier) => format!("{host}#{}", earlier + 1),
    }
}

/// Returns the HTTP request of a queued event. Returns `None` if the endpoint is no longer configured, or if only a
/// newer version of this program understands the row.
pub(super) fn compose(
    app: &App,
    endpoint: &str,
    queued: &QueuedRequest,
) -> Option<DeliveryRequest> {
    let mut webhooks = app.config.webhooks.iter();
    let webhook = webhooks.find(|webhook| webhook.endpoint_id() == endpoint)?;
    let facts = QueuedEvent::parse(&queued.facts)?;
    Some(build_request(
        webhook,
        queued.id,
        &facts,
        app.clock.millis(),
    ))
}

/// Returns an HTTP request that reports no event, for `account webhooks test`.
pub(crate) fn test_request(webhook: &Webhook, id: Uuid, now: i64) -> DeliveryRequest {
    let facts = QueuedEvent {
        event_type: "webhooks.test".to_owned(),
        at: now,
        id: Uuid::nil(),
        fields: Vec::new(),
    };
    build_request(webhook, id, &facts, now)
}

fn build_request(webhook: &Webhook, id: Uuid, facts: &QueuedEvent, now: i64) -> DeliveryRequest {
    let mut data = json!({"id": facts.id});
    if !facts.fields.is_empty() {
        data["fields"] = json!(facts.fields);
    }
    let timestamp = rfc3339(facts.at);
    let body = json!({"type": facts.event_type, "timestamp": timestamp, "data": data}).to_string();
    let id = format!("msg_{}", id.simple());
    let sent_at = (now / 1000).to_string();
    let signature = sign_body(webhook.secret.expose(), &id, &sent_at, &body);
    let header = |name: &'static str, value: &str| {
        let value = HeaderValue::from_str(value).expect("visible ASCII");
        (HeaderName::from_static(name), value)
    };
    DeliveryRequest {
        url: webhook.url.url().clone(),
        content_type: "application/json",
        headers: vec![
            header("webhook-id", &id),
            header("webhook-timestamp", &sent_at),
            header("webhook-signature", &signature),
        ],
        body,
        timeout: RequestKind::Webhook.timeout(),
    }
}

/// Returns the symmetric signature of a webhook (Standard Webhooks 1.0.0, "Signature scheme").
fn sign_body(secret: &[u8], id: &str, timestamp: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The test vector of the Standard Webhooks libraries (standard-webhooks/standard-webhooks, libraries/*/test).
    // security: WH-2
    #[test]
    fn the_signature_is_that_of_the_reference_libraries() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = sign_body(
            &secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
