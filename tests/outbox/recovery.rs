//! The end of an outage of the mail server.

use super::{assert_attempts, register, register_many, run_mail_worker, site_with_smtp};
use crate::prelude::*;
use crate::support::smtp::Behaviour;
use account::testing::clock::{Clock, rfc3339};

on_both_databases!(
    the_first_accepted_mail_makes_the_deferred_ones_due,
    a_mail_that_its_recipient_delays_waits_on
);

async fn the_first_accepted_mail_makes_the_deferred_ones_due(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Refuses("421 come back later"));
    register_many(&site, "ada", 60).await;
    for _ in 0..8 {
        run_mail_worker(&site).await;
        site.advance("16m");
    }
    assert_attempts(&site, 60).await;
    smtp.set_behaviour(Behaviour::Accepts);
    assert_attempts(&site, 0).await;
    register(&site, "bob").await;
    assert_attempts(&site, 1).await;
    site.advance("1s");
    // 50 a second.
    assert_attempts(&site, 51).await;
    site.advance("1s");
    assert_attempts(&site, 9).await;
    assert_eq!(smtp.received().len(), 61);
}

async fn a_mail_that_its_recipient_delays_waits_on(db: Database) {
    db.allow_unread_mails();
    let (site, smtp) = site_with_smtp(&db).await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    smtp.set_behaviour(Behaviour::Refuses("451 4.2.1 greylisted"));
    register(&site, "ada").await;
    for wait in ["10s", "20s", "40s", "80s"] {
        assert_attempts(&site, 1).await;
        site.advance(wait);
    }
    assert_attempts(&site, 1).await;
    smtp.set_behaviour(Behaviour::Accepts);
    register(&site, "bob").await;
    assert_attempts(&site, 1).await;
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    let (_, said) = run_to_success(db.folder(), "mail retry --waiting", &url);
    assert_contains!(said, "1 waiting mails are due");
    assert_attempts(&site, 1).await;
}
