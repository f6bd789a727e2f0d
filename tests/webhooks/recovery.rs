//! The end of an outage of an endpoint.

use super::{deliver, site_with_receiver};
use crate::outbox::register_many;
use crate::support::process::run_account;
use crate::support::receiver::Reaction;
use crate::support::{Database, form};
use account::testing::clock::{Clock, rfc3339};

on_both_databases!(the_first_accepted_event_makes_the_waiting_ones_due);
async fn the_first_accepted_event_makes_the_waiting_ones_due(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    receiver.set_reaction(Reaction::With(503));
    register_many(&site, "ada", 60).await;
    for wait in ["0s", "5s", "5m"] {
        site.advance(wait);
        assert_eq!(deliver(&site).await, 60);
    }
    // The next attempt would be in half an hour.
    receiver.set_reaction(Reaction::With(200));
    assert_eq!(deliver(&site).await, 0);
    site.browser().post("/register", &form("bob")).await;
    assert_eq!(
        deliver(&site).await,
        2,
        "bob's event, and the first one that waits"
    );
    site.advance("1s");
    assert_eq!(deliver(&site).await, 50, "50 a second");
    site.advance("1s");
    assert_eq!(deliver(&site).await, 9);
    assert_eq!(site.count("deliveries").await, 0);
}

on_both_databases!(a_command_makes_waiting_events_due);
async fn a_command_makes_waiting_events_due(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    receiver.set_reaction(Reaction::With(503));
    site.browser().post("/register", &form("ada")).await;
    deliver(&site).await;
    site.advance("5s");
    deliver(&site).await;
    receiver.set_reaction(Reaction::With(200));
    assert_eq!(deliver(&site).await, 0);
    let settings = format!(
        "[[webhooks]]\nurl = \"{}\"\nsecret = \"whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\"\nevents = [\"*\"]\n",
        receiver.url
    );
    let file = db.folder().join("account.toml");
    std::fs::write(&file, settings).unwrap();
    let retry = ["webhooks", "retry", "--config", file.to_str().unwrap()];
    let retry = [&retry[..], &["--url", &receiver.url]].concat();
    let (code, _, said) = run_account(&db, &retry);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 waiting events"), "{said}");
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(site.count("deliveries").await, 0);
}
