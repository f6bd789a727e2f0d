//! kill -9 while events are queued and delivered: every acknowledged registration is reported.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{deliver, endpoint, events_of_type, settings_of};
use crate::crash::register_until_killed;
use crate::prelude::*;
use crate::support::receiver::Receiver;

on_both_databases!(every_acknowledged_event_is_delivered_after_kill_9);

// security: WH-1
async fn every_acknowledged_event_is_delivered_after_kill_9(db: Database) {
    db.allow_unread_mails();
    let receiver = Receiver::start().await;
    write(db.folder(), "account.toml", settings_of(&receiver));
    let settings = [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_LIMITS__ENABLED", "false"),
    ];
    let arguments = "serve --config account.toml";
    let mut site = Process::serve_with(db.folder(), arguments, &settings).await;
    let answered = Arc::new(AtomicUsize::new(0));
    let tasks = register_until_killed(&site.url, 4, &answered);
    eventually("registrations and deliveries", async || {
        answered.load(Ordering::SeqCst) >= 20 && receiver.received_requests().len() >= 5
    })
    .await;
    site.kill();
    let mut acknowledged = 0;
    for task in tasks {
        acknowledged += task.await.unwrap().len();
    }
    assert!(acknowledged >= 20);

    // The next start, later than every claim of the killed one and than its clock.
    let hooks = vec![endpoint(&receiver, &["*"])];
    let site = db.site_with(|c| c.webhooks = hooks).await;
    site.advance("3650d");
    deliver(&site).await;
    site.assert_count("deliveries", 0).await;
    let delivered = events_of_type(&receiver, "account.created");
    let delivered: HashSet<String> = delivered
        .iter()
        .map(|event| event["data"]["id"].to_string())
        .collect();
    let accounts = site.count("accounts").await;
    assert!(accounts >= acknowledged as i64);
    assert_eq!(
        delivered.len() as i64,
        accounts,
        "each account is reported, and no other"
    );
}
