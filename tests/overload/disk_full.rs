//! A full disk under SQLite: reads continue, writes are refused as temporary failures, and no change is half done.

use std::path::PathBuf;

use crate::oidc::{assert_oauth_error, enable_provider, wiki};
use crate::prelude::*;

on_sqlite!(
    a_full_disk_stops_only_writes,
    a_write_that_fails_at_a_provider_endpoint_makes_the_process_unready
);

/// Limits the growth of the file to this number of pages of 4 KiB. SQLite has one write connection, so its limit is
/// that of the site.
async fn limit_growth(site: &Site, pages: i64) {
    let mut tx = site.app.store.write().await.unwrap();
    let used: i64 = tx.rows("PRAGMA page_count", &[]).await.unwrap()[0].get(0);
    let sql = format!("PRAGMA max_page_count = {}", used + pages);
    tx.rows(&sql, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

/// Registers people until the disk is full. Returns the acknowledged registrations and the first refusal.
async fn fill(site: &Site) -> (Vec<String>, Response) {
    let mut acknowledged = Vec::new();
    for n in 0..2000 {
        let name = format!("filler{n}");
        let response = site.browser().post("/register", &form(&name)).await;
        if response.status != 201 {
            return (acknowledged, response);
        }
        acknowledged.push(name);
    }
    panic!("the disk is never full");
}

async fn assert_reads_succeed(ada: &Person, ready: u16) {
    ada.assert_signed_in(&ada.browser).await;
    assert_status!(ada.browser.get("/devices"), 200);
    assert_status!(ada.browser.open("/account/"), 200);
    // On a full disk reads still work, so only a failed write shows the fault.
    assert_eq!(ada.browser.open("/readyz").await.status, ready);
}

fn assert_unavailable(response: &Response) {
    response.assert_status(503);
    assert_eq!(response.json()["code"], "unavailable");
    response.assert_header("retry-after", "2");
}

// security: FI-5
async fn a_full_disk_stops_only_writes(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.joined_and_signed_in("ada").await;
    let bob = site.joined_and_signed_in("bob").await;
    limit_growth(&site, 6).await;
    let (acknowledged, refused) = fill(&site).await;
    assert_unavailable(&refused);
    site.advance("11s");
    site.scrape().await.assert_lines("account_database_up 0");
    for _ in 0..10 {
        let (joins, _) = tokio::join!(
            async { site.browser().post("/register", &form("late")).await },
            assert_reads_succeed(&ada, 503),
        );
        assert_unavailable(&joins);
    }
    // Signing out deletes rows, which frees pages.
    bob.browser.post_empty("/logout").await.assert_empty();

    limit_growth(&site, 1_000_000).await;
    assert_status!(site.browser().post("/register", &form("late")), 201);
    site.advance("2s");
    assert_reads_succeed(&ada, 200).await;
    // A scrape queries the database at most every ten seconds.
    site.advance("11s");
    site.scrape().await.assert_lines("account_database_up 1");
    let accounts = 3 + acknowledged.len() as i64;
    site.assert_count("accounts", accounts).await;
    let mails = site.count("outbox").await + site.count("kept_mail").await;
    assert_eq!(mails, accounts);
    for name in acknowledged {
        let body = json!({"email": format!("{name}@example.org"), "password": PASSWORD});
        let response = site.browser().post("/login", &body).await;
        assert_eq!(response.json()["code"], "email_not_verified", "{name}");
    }
    assert_integrity(&db);
}

fn assert_integrity(db: &Database) {
    let file: PathBuf = db.folder().join("account.db");
    let connection = rusqlite::Connection::open(file).unwrap();
    let found: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(found, "ok");
}

// security: FI-5
async fn a_write_that_fails_at_a_provider_endpoint_makes_the_process_unready(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            enable_provider(c);
            c.limits.enabled = false;
        })
        .await;
    let ada = site.signed_in("ada").await;
    let request = wiki().request("");
    limit_growth(&site, 6).await;
    assert_reads_succeed(&ada, 200).await;
    let mut refused = ada.browser.open(&request).await;
    for _ in 0..2000 {
        if refused.status != 303 {
            break;
        }
        refused = ada.browser.open(&request).await;
    }
    assert_oauth_error(&refused, 503, "temporarily_unavailable");
    assert_reads_succeed(&ada, 503).await;
    limit_growth(&site, 1_000_000).await;
    site.advance("2s");
    assert_reads_succeed(&ada, 200).await;
}
