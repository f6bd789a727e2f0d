//! Events of security and mail: every documented event occurs with its fields, and the list is
//! complete.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Arc, Mutex};

use account::config::Config;
use account::testing::logs;
use tracing::instrument::WithSubscriber;

use crate::prelude::*;

mod flows;

on_both_databases!(every_event_has_account_and_ip_and_no_secret);

const NEW_PASSWORD: &str = "Orange-Tree-43";

/// Events without a request and a network address.
const OUTSIDE_REQUESTS: [&str; 4] = [
    "disabled", "enabled", "deletion_requested", "account_deleted",
];

/// The names and fields of events, as docs/operating/monitoring.md lists them.
fn documented_events() -> BTreeMap<String, Vec<String>> {
    let rows = include_str!("../docs/operating/monitoring.md").lines();
    let rows =
        rows.filter(|row| row.starts_with("| `security` |") || row.starts_with("| `mail` |"));
    let mut all = BTreeMap::new();
    for row in rows {
        let columns: Vec<_> = row.split('|').map(str::trim).collect();
        let (names, with) = (columns[2], columns[4].split('(').next().unwrap());
        for name in names.split(',') {
            let with = with.split([',', ';']).map(|word| word.trim().to_owned());
            all.insert(name.trim().trim_matches('`').to_owned(), with.collect());
        }
    }
    all
}

/// The log that `account serve` would write to its standard output.
#[derive(Clone, Default)]
pub struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl LogBuffer {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The events that are logged while `run` runs.
pub async fn logged_events(run: impl Future<Output = ()>) -> Vec<Value> {
    let written = LogBuffer::default();
    let out = written.clone();
    let subscriber = logs::json(&Config::default().log, move || out.clone());
    run.with_subscriber(subscriber).await;
    let text = written.text();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

// security: LG-1, LG-2
async fn every_event_has_account_and_ip_and_no_secret(db: Database) {
    db.allow_unread_mails();
    let logged = logged_events(async {
        flows::device_events(&db).await;
        flows::change_events(&db).await;
        flows::refusal_events(&db).await;
        flows::passkey_events(&db).await;
        flows::second_factor_events(&db).await;
        flows::deletion_events(&db).await;
        flows::application_events(&db).await;
        flows::migration_events(&db).await;
        flows::mail_events(&db).await;
        flows::support_events(&db).await;
    })
    .await;
    let documented = documented_events();
    let mut seen = BTreeSet::new();
    let mut reasons = BTreeSet::new();
    for event in &logged {
        let text = event.to_string();
        for private in [
            "example.org", PASSWORD, NEW_PASSWORD, "Cherry", "Wrong-", "token=",
        ] {
            assert_lacks!(text, private);
        }
        let Some(name) = event["event"].as_str() else {
            continue;
        };
        seen.insert(name.to_owned());
        assert!(event["timestamp"].text().ends_with('Z'));
        // Support and the program act outside of requests.
        let is_request = event["span"]["request_id"].is_string();
        assert!(is_request || OUTSIDE_REQUESTS.contains(&name) || event["target"] != "security");
        if event["target"] == "security" && is_request {
            let span = &event["span"];
            assert_eq!(span["request_id"].text().len(), 32, "{text}");
            assert!(span["ip"].text().starts_with("10."), "{text}");
        }
        for field in &documented[name] {
            let value = &event[field];
            match field.as_str() {
                "account" | "legacy" | "id" => {
                    let id = value.as_str().unwrap_or_else(|| panic!("{field}: {text}"));
                    assert!(id.parse::<uuid::Uuid>().is_ok(), "{text}");
                }
                "ip" => assert_eq!(*value, event["span"]["ip"], "{text}"),
                "reason" | "limit" | "kind" => assert!(value.is_string(), "{text}"),
                _ => {}
            }
        }
        if name == "sign_in_blocked" {
            reasons.insert(event["reason"].text().to_owned());
        }
    }
    let missing: Vec<_> = documented
        .keys()
        .filter(|name| !seen.contains(*name))
        .collect();
    assert!(missing.is_empty(), "never told: {missing:?}");
    let policies = [
        "account_disabled", "code_invalid", "deletion_pending", "email_not_verified", "new_device",
        "too_many_devices",
    ];
    assert_eq!(reasons, policies.map(str::to_owned).into());
}
