//! A node whose clock is wrong destroys no account, because the account would be gone on every node.

use account::app::{App, SharedApp};
use account::testing::clock::Clock;
use account::testing::jobs::{deletion, expiry};
use account::testing::rng::Rng;
use tokio::sync::watch;

use super::deletes_after_a_year;
use crate::events::logged_events;
use crate::support::prelude::*;

const DAY: i64 = 24 * 3_600_000;

/// Starts a node whose clock is wrong by this many milliseconds.
async fn node(site: &Site, wrong_by: i64) -> SharedApp {
    let config = site.app.config.clone();
    let app = App::build(config, Clock::Wrong(wrong_by), Rng::System).await;
    app.expect("the node starts")
}

/// Runs the jobs that delete accounts, and returns the number of accounts that remain.
async fn sweep(site: &Site, app: &App) -> i64 {
    let (_go, stop) = watch::channel(false);
    deletion::announce_inactive(app, &stop).await.unwrap();
    deletion::delete_due(app, &stop).await.unwrap();
    expiry::delete_expired(app, &stop).await.unwrap();
    site.count("accounts").await
}

on_both_databases!(a_node_with_a_wrong_clock_destroys_no_account);
async fn a_node_with_a_wrong_clock_destroys_no_account(db: Database) {
    let site = db
        .allow_unread_mails()
        .site_with(deletes_after_a_year)
        .await;
    let now = Clock::System.millis();
    site.set_clock(&rfc3339(now));
    // One account asked for its deletion, one is not verified, one is inactive, and one is in use.
    for name in ["ada", "bob", "cleo", "dora"] {
        site.member(name).await;
    }
    let set = async |sql: &str, at: i64| site.execute(sql, params![at]).await;
    site.insert_act("ada", "deletion", now, now + 14 * DAY)
        .await;
    let due = "UPDATE pending_acts SET due_at = $1 WHERE act = 'deletion'";
    let unverified =
        "UPDATE accounts SET email_verified_at = NULL, created_at = $1 WHERE username = 'bob'";
    set(unverified, now).await;
    site.insert_act("cleo", "inactivity", now, now + 20 * DAY)
        .await;
    let inactive = "UPDATE pending_acts SET due_at = $1 WHERE act = 'inactivity'";

    let right = node(&site, 0).await;
    assert_eq!(sweep(&site, &right).await, 4);
    for wrong_by in [30 * DAY, -30 * DAY] {
        let wrong = node(&site, wrong_by).await;
        let logged = logged_events(async {
            for _ in 0..2 {
                assert_eq!(sweep(&site, &wrong).await, 4);
            }
        })
        .await;
        let errors = logged.iter().filter(|event| event["level"] == "ERROR");
        let errors: Vec<_> = errors.map(|event| event["message"].to_string()).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].contains("the clock of this machine differs"),
            "{errors:?}"
        );
    }

    set(due, now - DAY).await;
    set(inactive, now - DAY).await;
    set(unverified, now - 8 * DAY).await;
    let ahead = node(&site, 2 * DAY).await;
    assert_eq!(sweep(&site, &ahead).await, 4);
    let almost_right = node(&site, -60_000).await;
    assert_eq!(sweep(&site, &almost_right).await, 1);
}
