//! Requests during a deletion have the same result as before or after it.

use account::testing::accounts::request_deletion;
use serde_json::json;

use crate::support::database::contains;
use crate::support::{Database, Response, Site};

/// Nothing of ada is left, in any table.
async fn assert_no_data_left(db: &Database, site: &Site) {
    site.mails().await;
    site.run_deletion().await;
    assert!(!contains(&db.bytes(site).await, b"ada@example.org"));
    for table in ["accounts", "sessions", "devices", "tokens", "outbox"] {
        assert_eq!(site.count(table).await, 0, "{table}");
    }
}

async fn yield_times(rounds: usize) {
    for _ in 0..rounds {
        tokio::task::yield_now().await;
    }
}

on_both_databases!(a_reset_and_a_sign_in_during_the_deletion_leave_no_data);
// security: MD-2
async fn a_reset_and_a_sign_in_during_the_deletion_leave_no_data(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for round in 0..6 {
        let ada = site.signed_in("ada").await;
        request_deletion(&site.app, site.id_of("ada").await)
            .await
            .unwrap();
        site.mails().await;
        site.advance("14d");
        let calls = [
            ("/reset-password", json!({"email": ada.email})),
            ("/reset-password", json!({"email": ada.email})),
            ("/login", ada.credentials()),
            ("/resend-verification", json!({"email": ada.email})),
        ];
        let tasks = calls.map(|(path, body)| {
            let browser = ada.new_browser();
            tokio::spawn(async move { browser.post(path, &body).await })
        });
        yield_times(round * 30).await;
        site.run_deletion().await;
        for task in tasks {
            let response: Response = task.await.unwrap();
            assert!(
                [200, 401, 403].contains(&response.status.as_u16()),
                "{}",
                response.text()
            );
        }
        assert_no_data_left(&db, &site).await;
        release_username(&site).await;
    }
}

/// The next round registers the same person again.
async fn release_username(site: &Site) {
    site.execute("DELETE FROM names WHERE kind = 'held_username'", &[])
        .await;
}

on_both_databases!(a_restore_during_the_deletion_restores_all_or_nothing);
// security: MD-2
async fn a_restore_during_the_deletion_restores_all_or_nothing(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for round in 0..6 {
        let ada = site.signed_in("ada").await;
        request_deletion(&site.app, site.id_of("ada").await)
            .await
            .unwrap();
        let token = site.mail_to(&ada.email).await.token();
        site.advance("13d");
        site.mails().await;
        site.advance("1d");
        let browser = ada.new_browser();
        let back = tokio::spawn(async move { browser.restore_account(&token).await.status });
        yield_times(round * 30).await;
        let deleted = site.run_deletion().await;
        match back.await.unwrap().as_u16() {
            200 => {
                assert_eq!(deleted, 0);
                ada.sign_in(&ada.browser).await;
                request_deletion(&site.app, site.id_of("ada").await)
                    .await
                    .unwrap();
                site.advance("14d");
            }
            400 => assert_eq!(deleted, 1),
            status => panic!("{status}"),
        }
        assert_no_data_left(&db, &site).await;
        release_username(&site).await;
    }
}

on_both_databases!(an_export_and_an_email_change_during_a_deletion_request_leave_no_session);
async fn an_export_and_an_email_change_during_a_deletion_request_leave_no_session(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.signed_in("ada").await;
    let get = |path: &'static str| {
        let browser = ada.browser.copy();
        tokio::spawn(async move { browser.get(path).await.status.as_u16() })
    };
    let post = |path: &'static str, body: serde_json::Value| {
        let browser = ada.browser.copy();
        tokio::spawn(async move { browser.post(path, &body).await.status.as_u16() })
    };
    let tasks = [
        get("/data-export"),
        get("/data-export"),
        post("/change-email", json!({"email": "new@example.org"})),
        post("/delete-account", json!({})),
        post("/delete-account", json!({})),
    ];
    let mut responses = Vec::new();
    for task in tasks {
        responses.push(task.await.unwrap());
    }
    let [exports @ .., one, other] = &responses[..] else {
        panic!("five responses");
    };
    assert!(
        exports
            .iter()
            .all(|status| [200, 401, 429].contains(status)),
        "{exports:?}"
    );
    assert!([*one, *other].contains(&202), "{one} {other}");
    assert_eq!(site.count("sessions").await, 0);
    let sql = "tokens WHERE purpose = 'email_change'";
    site.mails().await;
    assert_eq!(site.count(sql).await, 0, "the pending change has ended");
}
