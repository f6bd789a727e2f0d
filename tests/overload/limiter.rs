//! Many keys: the counters are rows in the database, and the expiry job deletes them.

use account::testing::rate_limit::{LimitName, Subject};

use crate::prelude::*;

on_both_databases!(
    counters_are_stored_outside_memory_and_expire,
    a_sign_in_that_cannot_be_counted_is_refused
);

/// Resident memory of this process, in bytes.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

const KEYS: u32 = 8_000;

// security: RL-10, LD-5
async fn counters_are_stored_outside_memory_and_expire(site: Site) {
    let before = resident_bytes();
    for group in 0..KEYS / 500 {
        let mut tx = site.app.store.write().await.unwrap();
        for n in 0..500 {
            let email = format!("x{}@example.org", group * 500 + n);
            let tries = [LimitName::ResetOf.of(Subject::Email(&email))];
            let request = site
                .app
                .rate_limiter
                .count_within_limits(&mut tx, &tries, site.now())
                .await;
            assert!(request.unwrap(), "within the limit");
        }
        tx.commit().await.unwrap();
    }
    site.assert_count("limits", i64::from(KEYS)).await;
    let grown = resident_bytes().saturating_sub(before);
    // A million keys may take 100 MB, so this number may take less than 1 MB. The rest is the cache of the database.
    assert!(grown < 16 << 20, "{grown} bytes for {KEYS} keys");
    site.advance("1h");
    site.run_expiry().await;
    site.assert_count("limits", 0).await;
}

// security: RL-10
async fn a_sign_in_that_cannot_be_counted_is_refused(site: Site) {
    let ada = site.member("ada").await;
    site.execute("ALTER TABLE limits RENAME TO limits_away", &[])
        .await;
    let response = ada.try_sign_in(&ada.browser).await;
    assert!(response.status.is_server_error(), "{}", response.text());
    assert_eq!(response.set_cookies().count(), 0);
    site.execute("ALTER TABLE limits_away RENAME TO limits", &[])
        .await;
    ada.sign_in(&ada.browser).await;
}
