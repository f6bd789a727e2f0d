//! The end of an outage of an endpoint.

use super::{deliver, settings_of, site_with_receiver};
use crate::outbox::register_many;
use crate::prelude::*;
use crate::support::receiver::Reaction;
use account::testing::clock::{Clock, rfc3339};

on_both_databases!(
    the_first_accepted_event_makes_the_waiting_ones_due,
    a_command_makes_waiting_events_due
);

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
    site.assert_count("deliveries", 0).await;
}

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
    write(db.folder(), "account.toml", settings_of(&receiver));
    let retry = format!(
        "webhooks retry --config account.toml --url {}",
        receiver.url
    );
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    let (_, said) = run_to_success(db.folder(), &retry, &url);
    assert_contains!(said, "1 waiting events");
    assert_eq!(deliver(&site).await, 1);
    site.assert_count("deliveries", 0).await;
}
