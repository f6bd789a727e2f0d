//! Webhooks: the events that an endpoint receives, and delivery despite failures.

mod failures;
mod killed;
mod merging;
mod recovery;
mod sessions;

use account::config::{List, Webhook};
use account::testing::accounts::disable;
use account::testing::outbox::queues;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::prelude::*;
use crate::support::receiver::{Reaction, ReceivedRequest, Receiver};

on_both_databases!(
    a_delivered_event_is_signed_and_contains_only_the_account,
    an_endpoint_receives_only_its_configured_events,
    an_unverified_account_that_expires_is_reported_as_deleted,
    an_event_of_a_rolled_back_transaction_is_never_delivered
);

const SECRET: [u8; 32] = [7; 32];

/// The secret as the configuration has it.
fn secret() -> String {
    format!("whsec_{}", STANDARD.encode(SECRET))
}

/// The configuration of an endpoint.
fn settings_of(receiver: &Receiver) -> String {
    let (url, secret) = (&receiver.url, secret());
    format!("[[webhooks]]\nurl = \"{url}\"\nsecret = \"{secret}\"\n")
}

pub fn endpoint(receiver: &Receiver, events: &[&str]) -> Webhook {
    Webhook {
        url: receiver.url.parse().unwrap(),
        secret: secret().parse().unwrap(),
        events: List(events.iter().map(|&name| name.to_owned()).collect()),
    }
}

/// A site whose events all go to one receiver.
pub async fn site_with_receiver(db: &Database) -> (Site, Receiver) {
    let receiver = Receiver::start().await;
    let hooks = vec![endpoint(&receiver, &["*"])];
    (db.site_with(|c| c.webhooks = hooks).await, receiver)
}

/// Runs the worker once. Returns the number of requests tried.
pub async fn deliver(site: &Site) -> usize {
    queues::drain_requests(&site.app).await.unwrap()
}

/// The signature as Standard Webhooks 1.0.0 defines it.
fn signature(arrived: &ReceivedRequest) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&SECRET).unwrap();
    let (id, time) = (
        arrived.header("webhook-id"),
        arrived.header("webhook-timestamp"),
    );
    mac.update(format!("{id}.{time}.{}", arrived.body).as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

// security: WH-2, WH-4
async fn a_delivered_event_is_signed_and_contains_only_the_account(db: Database) {
    let (site, receiver) = site_with_receiver(&db).await;
    let ada = site.signed_in("ada").await;
    let id = ada.user().await["id"].clone();
    let consent = json!({"consent": true});
    ada.browser.put("/marketing-consent", &consent).await;
    crate::email_change::change_email(&ada.browser, "ada@example.net").await;
    ada.mail().await;
    deliver(&site).await;
    assert_eq!(
        receiver.event_types(),
        ["account.created", "account.updated", "account.verified"]
    );
    for arrived in receiver.received_requests() {
        assert_eq!(arrived.header("content-type"), "application/json");
        assert_eq!(arrived.header("webhook-signature"), signature(&arrived));
        let sent_at: i64 = arrived.header("webhook-timestamp").parse().unwrap();
        assert_eq!(sent_at, site.now() / 1000);
        let event = arrived.json();
        let data = match event["type"].text() {
            "account.updated" => json!({"id": id, "fields": ["email", "marketing_consent"]}),
            _ => json!({"id": id}),
        };
        assert_eq!(
            event,
            json!({"type": event["type"], "timestamp": "2026-11-21T12:00:00Z", "data": data})
        );
        // The id is random and may contain "ada".
        let other_text = arrived.body.replace(id.text(), "");
        assert_lacks!(other_text, "ada", "example", "90210", "Firefox");
    }
    assert_eq!(deliver(&site).await, 0);
}

async fn an_endpoint_receives_only_its_configured_events(db: Database) {
    let (all, ends) = (Receiver::start().await, Receiver::start().await);
    let hooks = vec![endpoint(&all, &["*"]), endpoint(&ends, &["sessions.ended"])];
    let site = db.site_with(|c| c.webhooks = hooks).await;
    let ada = site.signed_in("ada").await;
    ada.browser.post_empty("/logout").await;
    deliver(&site).await;
    assert_eq!(
        all.event_types(),
        ["account.created", "account.verified", "sessions.ended"]
    );
    assert_eq!(ends.event_types(), ["sessions.ended"]);
    let ids = [&all, &ends].map(|receiver| {
        let arrived = receiver.received_requests();
        arrived
            .iter()
            .map(|one| one.header("webhook-id").to_owned())
            .collect::<Vec<_>>()
    });
    let mut all_ids = ids.concat();
    all_ids.sort();
    all_ids.dedup();
    assert_eq!(all_ids.len(), 4, "each message has an id of its own");
}

async fn an_unverified_account_that_expires_is_reported_as_deleted(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    site.browser().post("/register", &form("ada")).await;
    deliver(&site).await;
    site.advance("8d");
    site.run_expiry().await;
    deliver(&site).await;
    assert_eq!(
        receiver.event_types(),
        ["account.created", "account.deleted"]
    );
}

// security: WH-1
async fn an_event_of_a_rolled_back_transaction_is_never_delivered(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    site.signed_in("ada").await;
    let id = site.id_of("ada").await;
    deliver(&site).await;
    let before = receiver.event_types();
    // The mail is queued after the event: its failure rolls the event back.
    db.run_script("ALTER TABLE outbox RENAME TO outbox_away")
        .await;
    disable(&site.app, id).await.unwrap_err();
    db.run_script("ALTER TABLE outbox_away RENAME TO outbox")
        .await;
    site.assert_count("deliveries", 0).await;
    deliver(&site).await;
    assert_eq!(receiver.event_types(), before);
    assert!(disable(&site.app, id).await.unwrap());
    deliver(&site).await;
    let types = receiver.event_types();
    assert!(types.contains(&"account.disabled".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_test_command_sends_a_signed_event_and_reports_refusals() {
    let receiver = Receiver::start().await;
    let folder = folder();
    write(&folder, "secret", secret());
    let settings = settings_of(&receiver).replace(&secret(), "secret");
    let settings = settings.replace("secret =", "secret_file =");
    write(&folder, "account.toml", settings);
    let run = |words: &str| run_to_exit(&folder, &format!("{words} --config account.toml"), &[]);
    let (code, _, text) = run("webhooks test");
    assert_eq!(code, 0, "{text}");
    let arrived = receiver.received_requests();
    assert_eq!(arrived.len(), 1);
    assert_eq!(
        arrived[0].header("webhook-signature"),
        signature(&arrived[0])
    );
    assert_eq!(arrived[0].json()["type"], "webhooks.test");
    receiver.set_reaction(Reaction::With(500));
    let (code, _, text) = run(&format!("webhooks test --url {}", receiver.url));
    assert!(code == 1 && text.contains("status 500"), "{text}");
    let (code, _, text) = run("webhooks test --url https://other.example");
    assert!(code == 2 && text.contains("--url"), "{text}");
    let (_, shown, _) = run("check-config");
    assert_contains!(shown, "webhooks");
    assert_lacks!(shown, &secret());
}

/// The events of one type for an account.
pub fn events_of_type(receiver: &Receiver, name: &str) -> Vec<Value> {
    let arrived = receiver.received_requests();
    let events = arrived.iter().map(ReceivedRequest::json);
    events.filter(|event| event["type"] == name).collect()
}
