//! Several nodes on one database.

mod blocked_writes;
mod conflicts;
mod patroni;
mod pooler;
mod standby;

use account::app::App;
use account::testing::clock::Clock;
use account::testing::rng::Rng;
use jiff::Timestamp;

use crate::prelude::*;

on_both_databases!(
    a_session_ended_on_one_node_has_ended_on_all,
    nodes_that_start_at_once_on_an_empty_database_all_start,
    an_older_node_runs_with_a_newer_schema
);

pub fn browser_on_node(node: &Site, browser: &Browser) -> Browser {
    let other = node.browser();
    for name in ["session", "device"] {
        if let Some(value) = browser.cookie(name) {
            other.set_cookie(name, &value);
        }
    }
    other
}

// security: MN-4
async fn a_session_ended_on_one_node_has_ended_on_all(db: Database) {
    let (one, two) = (db.site().await, db.site().await);
    let ada = one.signed_in("ada").await;
    let there = browser_on_node(&two, &ada.browser);
    ada.assert_signed_in(&there).await;
    ada.browser.post_empty("/logout").await.assert_empty();
    there.assert_signed_out().await;
}

// security: MN-7
async fn nodes_that_start_at_once_on_an_empty_database_all_start(db: Database) {
    let (one, two, three) = tokio::join!(db.site(), db.site(), db.site());
    let ada = one.signed_in("ada").await;
    for node in [two, three] {
        browser_on_node(&node, &ada.browser)
            .get("/users/me")
            .await
            .assert_json(200, &ada.user().await);
        // The count of under-age tries is signed with the key that they share.
        assert_eq!(
            node.app.signed_text_keys.cookies,
            one.app.signed_text_keys.cookies
        );
    }
}

// security: MN-7
async fn an_older_node_runs_with_a_newer_schema(db: Database) {
    let old = db.site().await;
    let ada = old.signed_in("ada").await;
    // A release may only add to a schema that older nodes still use (CONTRIBUTING.md).
    old.execute_all(&[
        "ALTER TABLE accounts ADD COLUMN nickname TEXT",
        "ALTER TABLE sessions ADD COLUMN place TEXT NOT NULL DEFAULT 'somewhere'",
        "CREATE TABLE badges (name TEXT NOT NULL PRIMARY KEY)",
        "INSERT INTO refinery_schema_history VALUES (9000, 'later', '2030-01-01T00:00:00Z', '1')",
    ])
    .await;

    ada.assert_signed_in(&ada.browser).await;
    let kim = old.signed_in("kim").await;
    let new = "Orange-Tree-43";
    crate::password_reset::reset_password(&kim, &kim.browser, new).await;
    kim.sign_in_with(&kim.browser, new).await;
    old.advance("31d");
    assert!(old.run_expiry().await > 0);

    // It keeps running, but cannot restart, because the newer node replaces it.
    let start = async || {
        let (config, clock) = (old.app.config.clone(), Clock::System);
        App::build(config, clock, Rng::System).await
    };
    let Err(refused) = start().await else {
        panic!("it started on a schema that it does not know")
    };
    assert!(refused.to_string().contains("schema"), "{refused}");

    // While the nodes are upgraded one after the other, it does start again.
    let applied = async |hours: i64| {
        let at = Timestamp::from_millisecond(Clock::System.millis() - hours * 3_600_000).unwrap();
        let sql = "UPDATE refinery_schema_history SET applied_on = $1 WHERE version = 9000";
        let at = at.to_string();
        old.execute(sql, account::params![at.as_str()]).await;
    };
    applied(23).await;
    let restarted = start().await.expect("it starts");
    assert!(restarted.store.ping().await.is_ok());
    applied(24).await;
    assert!(start().await.is_err(), "the upgrade takes too long");
    // A program that lacks a migration of its own does not know what is missing.
    applied(1).await;
    let gap = "DELETE FROM refinery_schema_history WHERE version = 1";
    old.execute(gap, &[]).await;
    assert!(start().await.is_err(), "one of its own is missing");
}
