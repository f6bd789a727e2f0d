//! Transactions that the database aborts because of others (SQLSTATE class 40), as a distributed engine does when
//! two members write the same rows: they are retried, and users do not notice.

use account::testing::legacy::invite::{self, Invitations};
use account::testing::time_limit::TimeLimit;
use futures_util::future::join_all;

use crate::events::logged_events;
use crate::old_accounts::old;
use crate::prelude::*;

on_postgres!(
    registrations_of_one_address_make_one_account,
    every_kind_of_transaction_is_retried_after_a_deadlock,
    a_permanent_conflict_is_reported_in_time,
    a_repeated_transaction_logs_and_counts_its_event_once
);

/// Makes the next `times` inserts or updates of this table fail like the victim of a deadlock. The count is a
/// sequence, which no rollback restores.
async fn simulate_deadlocks(site: &Site, table: &str, times: u32, code: &str) {
    let function = format!(
        "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('conflicts') <= {times} THEN
             RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '{code}';
           END IF;
           RETURN NEW;
         END $$"
    );
    let trigger = format!(
        "CREATE TRIGGER conflict BEFORE INSERT OR UPDATE ON {table}
         FOR EACH ROW EXECUTE FUNCTION conflict()"
    );
    site.execute_all(&["CREATE SEQUENCE conflicts", &function, &trigger])
        .await;
}

async fn registrations_of_one_address_make_one_account(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    simulate_deadlocks(&site, "accounts", 12, "40P01").await;
    let responses = join_all((0..16).map(|n| {
        let mut form = form("ada");
        form["username"] = json!(format!("ada{n}"));
        let browser = site.browser();
        async move { browser.post("/register", &form).await }
    }));
    let mut made = 0;
    for response in responses.await {
        match response.status.as_u16() {
            201 => made += 1,
            status => {
                assert_eq!(status, 409, "{}", response.text());
                assert_eq!(response.json()["code"], "account_exists");
            }
        }
    }
    assert_eq!(made, 1);
    site.assert_count("accounts", 1).await;
    assert_eq!(
        site.count("outbox").await + site.count("kept_mail").await,
        1
    );
}

async fn every_kind_of_transaction_is_retried_after_a_deadlock(db: Database) {
    for table in ["limits", "sessions", "devices", "accounts"] {
        for code in ["40P01", "40001"] {
            let site = db.site().await;
            simulate_deadlocks(&site, table, 2, code).await;
            let ada = site
                .signed_in(&format!("{table}{code}").to_lowercase())
                .await;
            ada.assert_signed_in(&ada.browser).await;
            ada.browser.post_empty("/logout").await.assert_empty();
            let trigger = format!("DROP TRIGGER conflict ON {table}");
            site.execute_all(&[
                &trigger, "DROP FUNCTION conflict", "DROP SEQUENCE conflicts",
            ])
            .await;
        }
    }
}

/// A permanent conflict is a 503 within the deadline, and changes nothing.
async fn a_permanent_conflict_is_reported_in_time(site: Site) {
    simulate_deadlocks(&site, "accounts", u32::MAX, "40P01").await;
    let browser = site.browser();
    let form = form("ada");
    let response = browser.post("/register", &form);
    let response = within(TimeLimit::from_secs(5), "the refusal", response).await;
    response.assert_status(503);
    assert_eq!(response.json()["code"], "unavailable");
    site.assert_count("accounts", 0).await;
}

/// Makes the next commit with an inserted or updated row of this table fail like a serialization failure.
async fn simulate_conflict_at_commit(site: &Site, table: &str) {
    let trigger = format!(
        "CREATE CONSTRAINT TRIGGER late_conflict AFTER INSERT OR UPDATE ON {table}
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late_conflict()"
    );
    site.execute_all(&[
        "DROP SEQUENCE IF EXISTS late_conflicts",
        "DROP FUNCTION IF EXISTS late_conflict() CASCADE",
        "CREATE SEQUENCE late_conflicts",
        "CREATE FUNCTION late_conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('late_conflicts') = 1 THEN
             RAISE EXCEPTION 'serialization failure' USING ERRCODE = '40001';
           END IF;
           RETURN NULL;
         END $$",
        &trigger,
    ])
    .await;
}

async fn a_repeated_transaction_logs_and_counts_its_event_once(db: Database) {
    db.allow_unread_mails();
    let site = db.site_set("limits.reset_ip = '2/m'").await;
    site.member("ada").await;
    site.import_accounts(&[old("ida")]).await;
    invite::run(&site.app, &Invitations::default(), |_| {})
        .await
        .unwrap();
    let unsubscribe = json!({"token": site.mail_to("ida@example.org").await.token()});
    site.import_accounts(&[old("hal")]).await;
    let browser = site.browser();
    let logged = logged_events(async {
        let address = |name: &str| json!({"email": format!("{name}@example.org")});
        for (table, path, body, status) in [
            ("outbox", "/reset-password", address("ada"), 200),
            ("outbox", "/migration", address("hal"), 200),
            ("limits", "/migration", address("hal"), 429),
            ("legacy_accounts", "/unsubscribe", unsubscribe, 200),
        ] {
            simulate_conflict_at_commit(&site, table).await;
            let response = browser.post(path, &body).await;
            response.assert_status(status);
            let runs = site
                .rows("SELECT last_value FROM late_conflicts", &[])
                .await;
            assert!(runs[0].get::<i64>(0) > 1, "{path}: no conflict occurred");
        }
    })
    .await;
    for name in [
        "reset_requested", "migration_requested", "limited", "unsubscribed",
    ] {
        let events = logged.iter().filter(|event| event["event"] == name);
        assert_eq!(events.count(), 1, "{name}");
    }
    let limited = r#"account_limits_hit_total{limit="reset_ip"} 1"#;
    site.scrape().await.assert_lines(limited);
}
