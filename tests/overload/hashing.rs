//! More sign-ins than the hashing threads can process.

use std::time::{Duration, Instant};

use account::testing::time_limit::{TimeLimit, slowness};

use crate::password_change::change_password;
use crate::prelude::*;
use crate::wire::LiveSite;

on_both_databases!(a_full_queue_uses_up_no_attempt);
on_sqlite!(
    abandoned_sign_ins_are_not_hashed,
    a_sign_in_over_the_queue_limit_is_503_with_retry_after,
    a_full_queue_is_reported_without_waiting
);

async fn site_with_queue_wait(db: &Database, queue_wait: &str) -> LiveSite {
    db.allow_unread_mails();
    db.live_site_with(|config| {
        config.password = account::config::Config::default().password;
        config.password.max_parallel = Some(1);
        // A hash takes longer than the arrival of a request, on a busy machine too.
        config.password.iterations = 8;
        config.password.queue_wait = queue_wait.parse().unwrap();
        config.limits.enabled = false;
    })
    .await
}

fn wrong_credentials() -> Value {
    json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"})
}

// security: RL-11
async fn abandoned_sign_ins_are_not_hashed(db: Database) {
    // The queue holds as many hashes as this time allows.
    let live = site_with_queue_wait(&db, "10m").await;
    let ada = live.site.member("ada").await;
    let mut kept = Vec::new();
    for _ in 0..500 {
        let mut client = live.client().await;
        let request = client.post_request_bytes("/login", &wrong_credentials().to_string());
        client.write(request).await;
        kept.push(client);
    }
    eventually("the queue of hashes is long", async || {
        live.site.app.hasher.used_permits() > 100
    })
    .await;
    drop(kept);
    let right = json!({"email": ada.email, "password": PASSWORD});
    // Abandoned jobs stay in the queue until the current hash is done.
    let succeeds = eventually("a sign-in succeeds", async || {
        live.client().await.post("/login", &right).await.status == 200
    });
    // Five hundred hashes would take half a minute. The promise is one second on an otherwise idle machine.
    within(TimeLimit::from_secs(2), "a sign-in succeeds", succeeds).await;
}

// security: RL-11
async fn a_sign_in_over_the_queue_limit_is_503_with_retry_after(db: Database) {
    let live = site_with_queue_wait(&db, "100ms").await;
    let hasher = live.site.app.hasher.clone();
    // Reserved permits count as queued jobs, so the queue is full without hashing.
    let mut permits = Vec::new();
    while let Ok(permit) = hasher.reserve() {
        permits.push(permit);
    }
    assert!(!permits.is_empty());
    for _ in 0..3 {
        let response = assert_status!(
            live.client().await.post("/login", &wrong_credentials()),
            503
        );
        assert_eq!(response.json()["code"], "busy");
        response.assert_header("retry-after", "2");
    }
    drop(permits);
    eventually("a sign-in is answered again", async || {
        live.client()
            .await
            .post("/login", &wrong_credentials())
            .await
            .status
            == 401
    })
    .await;
}

// security: RL-11
async fn a_full_queue_uses_up_no_attempt(db: Database) {
    let site = db.site_set("password.queue_wait = '1s'").await;
    let (ada, bob) = (site.signed_in("ada").await, site.member("bob").await);
    let mut permits = Vec::new();
    while let Ok(permit) = site.app.hasher.reserve() {
        permits.push(permit);
    }
    let proof = json!({"password": PASSWORD});
    for _ in 0..10 {
        let wrong = bob.credentials_with("Wrong-Horse-7");
        assert_refused!(bob.new_browser().post("/login", &wrong), Busy);
        assert_refused!(ada.browser.post("/reauthenticate", &proof), Busy);
        assert_refused!(
            change_password(&ada.browser, PASSWORD, "Other-Horse-8"),
            Busy
        );
    }
    drop(permits);
    bob.sign_in(&bob.browser).await;
    assert_status!(ada.browser.post("/reauthenticate", &proof), 204);
    assert_status!(
        change_password(&ada.browser, PASSWORD, "Other-Horse-8"),
        200
    );
    ada.mail().await;
}

// security: RL-11
async fn a_full_queue_is_reported_without_waiting(db: Database) {
    use account::testing::domain::password::Password;
    let queue_wait = TimeLimit::from_millis(100);
    let live = site_with_queue_wait(&db, "100ms").await;
    let app = &live.site.app;
    let password = Password::from_input("Wrong-Horse-7").unwrap();
    // A longer wait admits more hashes before the first one shows how long they take.
    let count = 60 * slowness() as usize;
    let hashes = (0..count).map(|_| async {
        let started = Instant::now();
        let refused = app.hasher.verify(&password, None).await.is_err();
        (refused, started.elapsed())
    });
    let done = futures_util::future::join_all(hashes).await;
    let mut waits: Vec<Duration> = done
        .iter()
        .filter(|(refused, _)| *refused)
        .map(|(_, w)| *w)
        .collect();
    waits.sort();
    assert!((count / 3..count).contains(&waits.len()), "{done:?}");
    assert!(waits[waits.len() / 2] < queue_wait.get() / 2, "{waits:?}");
    // Accepted requests waited at most for `queue_wait` and one hash.
    let longest = done.iter().map(|(_, wait)| *wait).max().unwrap();
    assert!(longest < 10 * queue_wait.get(), "{longest:?}");
}
