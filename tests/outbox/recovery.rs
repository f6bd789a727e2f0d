//! The end of an outage of the mail server.

use super::{register, register_many, run_mail_worker, site_with_smtp};
use crate::support::Database;
use crate::support::process::run_account;
use crate::support::smtp::Behaviour;
use account::testing::clock::{Clock, rfc3339};

on_both_databases!(the_first_accepted_mail_makes_the_deferred_ones_due);
async fn the_first_accepted_mail_makes_the_deferred_ones_due(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Refuses("421 come back later"));
    register_many(&site, "ada", 60).await;
    for _ in 0..8 {
        run_mail_worker(&site).await;
        site.advance("16m");
    }
    assert_eq!(run_mail_worker(&site).await, 60);
    smtp.set_behaviour(Behaviour::Accepts);
    assert_eq!(run_mail_worker(&site).await, 0);
    register(&site, "bob").await;
    assert_eq!(run_mail_worker(&site).await, 1, "bob's mail");
    site.advance("1s");
    assert_eq!(run_mail_worker(&site).await, 51, "50 a second");
    site.advance("1s");
    assert_eq!(run_mail_worker(&site).await, 9);
    assert_eq!(smtp.received().len(), 61);
}

on_both_databases!(a_mail_that_its_recipient_delays_waits_on);
async fn a_mail_that_its_recipient_delays_waits_on(db: Database) {
    db.allow_unread_mails();
    let (site, smtp) = site_with_smtp(&db).await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    smtp.set_behaviour(Behaviour::Refuses("451 4.2.1 greylisted"));
    register(&site, "ada").await;
    for wait in ["10s", "20s", "40s", "80s"] {
        assert_eq!(run_mail_worker(&site).await, 1);
        site.advance(wait);
    }
    assert_eq!(run_mail_worker(&site).await, 1);
    smtp.set_behaviour(Behaviour::Accepts);
    register(&site, "bob").await;
    assert_eq!(run_mail_worker(&site).await, 1);
    let (code, _, said) = run_account(&db, &["mail", "retry", "--waiting"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 waiting mails are due"), "{said}");
    assert_eq!(run_mail_worker(&site).await, 1);
}
