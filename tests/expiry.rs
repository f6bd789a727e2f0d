//! The expiry job deletes expired rows and no others.

use crate::support::eventually;
use crate::support::prelude::*;

on_both_databases!(
    expired_rows_are_deleted_and_live_ones_kept,
    unused_devices_expire_after_400_days_and_captured_mails_after_14,
    many_expired_rows_are_deleted_in_one_run,
    open_links_of_one_account_are_bounded,
);

// security: LD-5
async fn expired_rows_are_deleted_and_live_ones_kept(site: Site) {
    let old = site.joined_and_signed_in("old").await;
    let new = site.joined("new").await;
    old.reset_token(&site.browser()).await;
    site.advance("6d");
    new.sign_in(&new.browser).await;
    new.reset_token(&site.browser()).await;
    site.advance("1d");
    let counts = async || {
        let mut counts = Vec::new();
        for table in ["sessions", "tokens", "accounts", "devices"] {
            counts.push(site.count(table).await);
        }
        counts
    };
    assert_eq!(counts().await, [2, 4, 2, 2]);
    assert!(site.run_expiry().await >= 4);
    assert_eq!(counts().await, [1, 0, 2, 2]);
    site.assert_count("limits", 0).await;
    assert_eq!(site.run_expiry().await, 0);
    new.assert_still_signed_in().await;
}

// security: LD-5
async fn unused_devices_expire_after_400_days_and_captured_mails_after_14(site: Site) {
    let old = site.joined_and_signed_in("old").await;
    let new = site.joined_and_signed_in("new").await;
    let assert_left = async |wait: &str, table: &str, left: i64| {
        site.advance(wait);
        site.run_expiry().await;
        site.assert_count(table, left).await;
    };
    assert_left("14d", "kept_mail", 2).await;
    assert_left("1ms", "kept_mail", 0).await;
    site.advance("200d");
    new.sign_in(&new.browser).await;
    assert_left("185d 23h 59m 59s 999ms", "devices", 2).await;
    assert_left("1ms", "devices", 1).await;
    new.sign_in(&new.browser).await;
    old.assert_needs_approval(&old.browser).await;
    old.mail().await;
}

// security: LD-5
async fn many_expired_rows_are_deleted_in_one_run(Unlimited(site): Unlimited) {
    let ada = site.member("ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    for n in 0..1200_i64 {
        let sql = "INSERT INTO limits (key, hits, ends_at) VALUES ($1, 1, $2)";
        let key = n.to_be_bytes().to_vec();
        tx.execute(sql, params![&key, site.now() + n])
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    for wait in ["599ms", "10s"] {
        site.advance(wait);
        assert_eq!(site.run_expiry().await, 600);
    }
    ada.sign_in(&ada.browser).await;
}

// security: LD-5
async fn open_links_of_one_account_are_bounded(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    // Each requesting device has one open approval link; `limits.mail_approval` bounds the devices.
    let unknown = site.browser();
    for n in 0..20 {
        unknown.request_reset(&ada.email).await;
        let new = format!("n{n}@example.org");
        ada.browser.request_email_change(&new).await;
        ada.try_sign_in(&unknown).await;
        assert_eq!(site.mails().await.len(), 3);
    }
    site.assert_count("tokens WHERE spent_at IS NULL", 3).await;
    site.assert_count("pending_acts", 1).await;
}

// SQLite has one writer, so the two transactions cannot overlap there.
on_postgres!(rows_that_are_renewed_meanwhile_are_kept);
/// The job waits for a row that another transaction renews: the row must stay.
// security: LD-5
async fn rows_that_are_renewed_meanwhile_are_kept(site: Site) {
    site.registered("ada").await;
    site.signed_in("eve").await;
    for (table, expire, renew) in [
        ("sessions", "SET idle_until = 0", "SET idle_until = $1"),
        ("tokens", "SET expires_at = 0", "SET expires_at = $1"),
        ("devices", "SET last_used_at = 0", "SET last_used_at = $1"),
        (
            "accounts",
            "SET created_at = 0 WHERE email_verified_at IS NULL",
            "SET email_verified_at = $1 WHERE email_verified_at IS NULL",
        ),
    ] {
        let rows = site.count(table).await;
        assert!(rows > 0, "{table}");
        site.execute(&format!("UPDATE {table} {expire}"), &[]).await;
        let mut tx = site.app.store.write().await.unwrap();
        let later = params![site.now() + 1000];
        let sql = format!("UPDATE {table} {renew}");
        tx.execute(&sql, later).await.unwrap();
        let job_site = site.clone();
        let job = tokio::spawn(async move { job_site.run_expiry().await });
        let waiting = "pg_stat_activity WHERE datname = current_database()
                       AND application_name = 'account' AND wait_event_type = 'Lock'";
        eventually("the job waits", async || site.count(waiting).await > 0).await;
        tx.commit().await.unwrap();
        job.await.unwrap();
        site.assert_count(table, rows).await;
    }
}
