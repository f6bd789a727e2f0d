//! Behind pgbouncer in transaction mode: each transaction may have another connection.

use account::testing::error::ErrorCode;

use crate::prelude::*;
use crate::support::cluster::Pooler;
use crate::support::database::with_database;

on_postgres!(
    all_flows_work_behind_a_transaction_pooler,
    frequent_statements_are_prepared_unless_the_setting_is_off,
    a_statement_that_the_pooler_has_lost_is_503
);

/// Two nodes with more connections to the pooler than the pooler has to the server.
async fn start_nodes(db: &Database, pooler: &Pooler) -> [Site; 2] {
    db.allow_unread_mails();
    let node = async || {
        db.site_with(|config| {
            config.database.url = pooler.url.parse().unwrap();
            config.database.prepared = false;
            config.database.max_connections = 12;
        })
        .await
    };
    [node().await, node().await]
}

async fn run_concurrently(tries: impl Iterator<Item = impl Future<Output = u16>>) -> Vec<u16> {
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    statuses
}

async fn all_flows_work_behind_a_transaction_pooler(db: Database) {
    with_database(async |url| {
        let pooler = Pooler::start_for(url, 3).await;
        let nodes = start_nodes(&db, &pooler).await;
        let ada = nodes[0].signed_in("ada").await;
        super::browser_on_node(&nodes[1], &ada.browser)
            .get("/users/me")
            .await
            .assert_json(200, &ada.user().await);

        nodes[1].browser().request_reset(&ada.email).await;
        let token = nodes[1].mail_to(&ada.email).await.token();
        let spent = (0..12).map(|n| {
            let browser = nodes[n % 2].browser();
            let new = format!("Tree-{n}-Lemon");
            let form = json!({"token": token, "new_password": new, "confirm_password": new});
            async move {
                let response = browser.post("/reset-password/confirm", &form).await;
                response.status.as_u16()
            }
        });
        let statuses = run_concurrently(spent).await;
        assert_eq!(statuses, [vec![200], vec![400; 11]].concat());

        let wrong = json!({"email": ada.email, "password": "Wrong-Password-1"});
        let guessed = (0..12).map(|n| {
            let (browser, wrong) = (nodes[n % 2].browser(), wrong.clone());
            async move { browser.post("/login", &wrong).await.status.as_u16() }
        });
        let statuses = run_concurrently(guessed).await;
        assert_eq!(statuses, [vec![401; 5], vec![429; 7]].concat());
        ada.browser.assert_signed_out().await;
        nodes[0].assert_count("accounts", 1).await;
    })
    .await;
}

/// Uses one statement often. Returns the number of prepared statements that read sessions.
async fn count_prepared(site: &Site, ada: &Person) -> i64 {
    for _ in 0..8 {
        ada.browser.get("/devices").await.assert_status(200);
    }
    let sql = "SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE '%sessions%'";
    site.value(sql).await
}

async fn frequent_statements_are_prepared_unless_the_setting_is_off(db: Database) {
    for (prepared, expected) in [(true, 1), (false, 0)] {
        let site = db.site_with(|config| {
            config.database.prepared = prepared;
            config.database.max_connections = 3;
        });
        let site = site.await;
        let person = site.signed_in(&format!("person{expected}")).await;
        assert_eq!(count_prepared(&site, &person).await.min(1), expected);
    }
}

async fn a_statement_that_the_pooler_has_lost_is_503(db: Database) {
    with_database(async |url| {
        let pooler = Pooler::start_for(url, 3).await;
        let [site, _] = start_nodes(&db, &pooler).await;
        let ada = site.signed_in("ada").await;
        let preparing = db.site_with(|config| config.database.url = pooler.url.parse().unwrap());
        let browser = super::browser_on_node(&preparing.await, &ada.browser);
        eventually("a prepared statement is lost", async || {
            let checks = (0..8).map(|_| browser.get("/devices"));
            let responses = futures_util::future::join_all(checks).await;
            let lost = responses.iter().find(|response| response.status != 200);
            lost.is_some_and(|response| {
                response.assert_error(ErrorCode::Unavailable);
                true
            })
        })
        .await;
    })
    .await;
}
