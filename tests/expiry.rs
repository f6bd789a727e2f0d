//! The expiry job deletes expired rows and no others.

use serde_json::json;

use crate::support::database::{Kind, run};
use crate::support::{Database, eventually};

on_both_databases!(expired_rows_are_deleted_and_live_ones_kept);
// security: LD-5
async fn expired_rows_are_deleted_and_live_ones_kept(db: Database) {
    let site = db.site().await;
    let old = site.joined_and_signed_in("old").await;
    let new = site.joined("new").await;
    site.browser().request_reset(&old.email).await;
    site.mail_to(&old.email).await;
    site.advance("6d");
    new.sign_in(&new.browser).await;
    site.browser().request_reset(&new.email).await;
    site.mail_to(&new.email).await;
    site.advance("1d");
    assert_eq!(
        (site.count("sessions").await, site.count("tokens").await),
        (2, 4)
    );
    assert!(site.run_expiry().await >= 4);
    assert_eq!(
        (site.count("sessions").await, site.count("tokens").await),
        (1, 0)
    );
    assert_eq!(
        (site.count("accounts").await, site.count("devices").await),
        (2, 2)
    );
    assert_eq!(site.count("limits").await, 0);
    assert_eq!(site.run_expiry().await, 0);
    new.assert_signed_in(&new.browser).await;
}

on_both_databases!(unused_devices_expire_after_400_days_and_captured_mails_after_14);
// security: LD-5
async fn unused_devices_expire_after_400_days_and_captured_mails_after_14(db: Database) {
    let site = db.site().await;
    let old = site.joined_and_signed_in("old").await;
    let new = site.joined_and_signed_in("new").await;
    assert_eq!(site.count("kept_mail").await, 2);
    site.advance("14d");
    site.run_expiry().await;
    assert_eq!(site.count("kept_mail").await, 2, "a moment early");
    site.advance("1ms");
    site.run_expiry().await;
    assert_eq!(site.count("kept_mail").await, 0);

    site.advance("200d");
    new.sign_in(&new.browser).await;
    site.advance("185d 23h 59m 59s 999ms");
    let devices = || site.count("devices");
    site.run_expiry().await;
    assert_eq!(devices().await, 2);
    site.advance("1ms");
    site.run_expiry().await;
    assert_eq!(devices().await, 1);
    new.sign_in(&new.browser).await;
    old.assert_needs_approval(&old.browser).await;
    site.mail_to(&old.email).await;
}

on_both_databases!(many_expired_rows_are_deleted_in_one_run);
// security: LD-5
async fn many_expired_rows_are_deleted_in_one_run(db: Database) {
    let site = db.site_without_limits().await;
    let ada = site.member("ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    for n in 0..1200_i64 {
        let sql = "INSERT INTO limits (key, hits, ends_at) VALUES ($1, 1, $2)";
        let key = n.to_be_bytes().to_vec();
        tx.execute(sql, account::params![&key, site.now() + n])
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    site.advance("599ms");
    assert_eq!(site.run_expiry().await, 600);
    site.advance("10s");
    assert_eq!(site.run_expiry().await, 600);
    ada.sign_in(&ada.browser).await;
}

on_both_databases!(open_links_of_one_account_are_bounded);
// security: LD-5
async fn open_links_of_one_account_are_bounded(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
        })
        .await;
    let ada = site.signed_in("ada").await;
    // Each requesting device has one open approval link; `limits.mail_approval` bounds the devices.
    let unknown = site.browser();
    for n in 0..20 {
        site.browser().request_reset(&ada.email).await;
        ada.browser
            .post(
                "/change-email",
                &json!({"email": format!("n{n}@example.org")}),
            )
            .await;
        unknown.post("/login", &ada.credentials()).await;
        assert_eq!(site.mails().await.len(), 3);
    }
    assert_eq!(site.count("tokens WHERE spent_at IS NULL").await, 3);
    assert_eq!(site.count("pending_acts").await, 1);
}

/// The job waits for a row that another transaction renews: the row must stay.
async fn assert_renewed_rows_are_kept(db: Database) {
    let site = db.site().await;
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
        let mut tx = site.app.store.write().await.unwrap();
        tx.execute(&format!("UPDATE {table} {expire}"), &[])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let mut tx = site.app.store.write().await.unwrap();
        let later = account::params![site.now() + 1000];
        tx.execute(&format!("UPDATE {table} {renew}"), later)
            .await
            .unwrap();
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

// security: LD-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_are_renewed_meanwhile_are_kept() {
    // SQLite has one writer, so the two transactions cannot overlap there.
    run(Kind::Postgres, assert_renewed_rows_are_kept).await;
}
