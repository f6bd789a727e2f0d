//! Requests during a deletion have the same result as before or after it.

use account::testing::accounts::request_deletion;

use crate::support::database::contains;
use crate::support::prelude::*;

async fn request(site: &Site) {
    let id = site.id_of("ada").await;
    request_deletion(&site.app, id).await.unwrap();
}

/// Asserts that nothing of ada is left, in any table. Releases the username for the next round.
async fn assert_no_data_left(db: &Database, site: &Site) {
    site.mails().await;
    site.run_deletion().await;
    assert!(!contains(&db.bytes(site).await, b"ada@example.org"));
    for table in ["accounts", "sessions", "devices", "tokens", "outbox"] {
        site.assert_count(table, 0).await;
    }
    let sql = "DELETE FROM names WHERE kind = 'held_username'";
    site.execute(sql, &[]).await;
}

async fn yield_times(rounds: usize) {
    for _ in 0..rounds {
        tokio::task::yield_now().await;
    }
}

on_both_databases!(
    a_reset_and_a_sign_in_during_the_deletion_leave_no_data,
    a_restore_during_the_deletion_restores_all_or_nothing,
    an_export_and_an_email_change_during_a_deletion_request_leave_no_session,
);

// security: MD-2
async fn a_reset_and_a_sign_in_during_the_deletion_leave_no_data(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for round in 0..6 {
        let ada = site.signed_in("ada").await;
        request(&site).await;
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
            let status = response.status.as_u16();
            assert!([200, 401, 403].contains(&status), "{}", response.text());
        }
        assert_no_data_left(&db, &site).await;
    }
}

// security: MD-2
async fn a_restore_during_the_deletion_restores_all_or_nothing(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for round in 0..6 {
        let ada = site.signed_in("ada").await;
        request(&site).await;
        let token = ada.mailed_token().await;
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
                request(&site).await;
                site.advance("14d");
            }
            400 => assert_eq!(deleted, 1),
            status => panic!("{status}"),
        }
        assert_no_data_left(&db, &site).await;
    }
}

async fn an_export_and_an_email_change_during_a_deletion_request_leave_no_session(
    Unlimited(site): Unlimited,
) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let tasks = [
        "/data-export", "/data-export", "/change-email", "/delete-account", "/delete-account",
    ]
    .map(|path| {
        let browser = ada.browser.copy();
        tokio::spawn(async move {
            let response = match path {
                "/data-export" => browser.get(path).await,
                "/change-email" => browser.request_email_change("new@example.org").await,
                _ => browser.post_defaults(path).await,
            };
            response.status.as_u16()
        })
    });
    let statuses = join_all(tasks).await.into_iter().map(Result::unwrap);
    let statuses: Vec<u16> = statuses.collect();
    let mut exports = statuses[..2].iter();
    assert!(
        exports.all(|status| [200, 401, 429].contains(status)),
        "{statuses:?}"
    );
    assert!(statuses[3..].contains(&202), "{statuses:?}");
    site.assert_count("sessions", 0).await;
    site.mails().await;
    // The pending change has ended.
    site.assert_count("tokens WHERE purpose = 'email_change'", 0)
        .await;
}
