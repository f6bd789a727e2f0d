//! Sessions: lifetimes, cookies, and invalid session ids.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::eventually;
use crate::support::prelude::*;

on_both_databases!(
    a_session_ends_after_a_week_without_use,
    a_session_ends_after_thirty_days_despite_use,
    parallel_session_checks_return_their_own_account,
    parallel_session_checks_never_return_an_ended_session,
    lifetimes_are_settings,
    sign_out_ends_the_session_and_always_succeeds,
    a_deleted_account_leaves_no_session_and_no_device,
    visitors_without_an_account_create_no_rows,
    a_failed_lookup_of_a_session_is_an_internal_error,
);

on_sqlite!(
    cookies_over_http_are_accepted_by_browsers,
    cookies_over_https_are_secure_and_host_only,
    a_session_id_is_random_and_never_in_a_body,
    only_a_live_session_cookie_is_accepted,
    duplicate_session_cookies_are_ignored,
);

// security: SE-6
async fn a_session_ends_after_a_week_without_use((site, ada): (Site, Person)) {
    for _ in 0..2 {
        site.advance("6d 23h 59m 59s");
        ada.assert_still_signed_in().await;
    }
    site.advance("7d");
    ada.browser.assert_signed_out().await;
}

// security: SE-6
async fn a_session_ends_after_thirty_days_despite_use((site, ada): (Site, Person)) {
    for wait in ["6d", "6d", "6d", "6d", "5d 23h 59m 59s"] {
        site.advance(wait);
        ada.assert_still_signed_in().await;
    }
    site.advance("1s");
    ada.browser.assert_signed_out().await;
}

/// Returns the updates of sessions, and how many of them wrote no index (heap-only tuples).
async fn session_updates(site: &Site) -> (i64, i64) {
    let sql = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables
               WHERE schemaname = current_schema() AND relname = 'sessions'";
    let row = &site.rows(sql, &[]).await[0];
    (row.get(0), row.get(1))
}

on_postgres!(most_uses_of_a_session_write_no_index);
async fn most_uses_of_a_session_write_no_index((site, ada): (Site, Person)) {
    let (updates, heap_only) = session_updates(&site).await;
    for _ in 0..20 {
        site.advance("2m");
        ada.assert_still_signed_in().await;
    }
    eventually("the uses are counted", async || {
        session_updates(&site).await.0 >= updates + 20
    })
    .await;
    // In forty minutes, the hour of the idle expiry changes at most once.
    assert!(session_updates(&site).await.1 >= heap_only + 19);
}

async fn parallel_session_checks_return_their_own_account(site: Site) {
    let mut people = Vec::new();
    for name in ["ada", "bob", "cleo", "dora", "emil"] {
        people.push(site.signed_in(name).await);
    }
    people[4].browser.post_defaults("/logout").await;
    let requested = (0..200).map(|turn| {
        let person = &people[turn % 5];
        async move { (person, person.browser.get("/users/me").await) }
    });
    for (person, response) in join_all(requested).await {
        if person.name == "emil" {
            response.assert_error(ErrorCode::Unauthenticated);
        } else {
            response.assert_json(200, &person.user().await);
        }
    }
}

async fn parallel_session_checks_never_return_an_ended_session((site, ada): (Site, Person)) {
    let crowd = site.signed_in("bob").await;
    let is_over = AtomicBool::new(false);
    let crowd_user = crowd.user().await;
    let ask = async || {
        while !is_over.load(Ordering::Relaxed) {
            assert_json!(crowd.browser.get("/users/me"), 200, &crowd_user);
            tokio::task::yield_now().await;
        }
    };
    let leave = async {
        for _ in 0..20 {
            let thief = ada.browser.copy();
            ada.assert_still_signed_in().await;
            assert_status!(ada.browser.post_defaults("/logout"), 204);
            thief.assert_signed_out().await;
            ada.sign_in(&ada.browser).await;
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(leave, ask(), ask(), ask(), ask());
}

async fn lifetimes_are_settings(db: Database) {
    let (site, ada) = db
        .site_with_ada(|c| {
            c.lifetimes.session_idle = "2s".parse().unwrap();
            c.lifetimes.session_absolute = "5s".parse().unwrap();
        })
        .await;
    for _ in 0..4 {
        site.advance("1s");
        ada.assert_still_signed_in().await;
    }
    site.advance("1s");
    ada.browser.assert_signed_out().await;
}

async fn cookies_over_http_are_accepted_by_browsers(Member(_, ada): Member) {
    let response = ada.try_sign_in(&ada.browser).await;
    for (name, seconds) in [("session", 2_592_000), ("device", 34_560_000)] {
        let (_, attributes) = response.set_cookie(name).unwrap().split_once("; ").unwrap();
        let expected = format!("Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}");
        assert_eq!(attributes, expected);
    }
    assert_eq!(response.set_cookies().count(), 2);
}

// security: SE-5
async fn cookies_over_https_are_secure_and_host_only(db: Database) {
    let site = db
        .site_with(|c| c.server.public_url = "https://www.example.org".into())
        .await;
    let ada = site.member("ada").await;
    let login = ada.try_sign_in(&ada.browser).await;
    let logout = ada.browser.post_empty("/logout").await;
    for (set, end) in [
        (
            login.set_cookie("__Host-session"),
            "Max-Age=2592000; Secure",
        ),
        (
            login.set_cookie("__Host-device"),
            "Max-Age=34560000; Secure",
        ),
        (
            logout.set_cookie("__Host-session"),
            "Max-Age=0; Secure; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ),
    ] {
        let (pair, attributes) = set.unwrap().split_once("; ").unwrap();
        assert_eq!(attributes, format!("Path=/; HttpOnly; SameSite=Lax; {end}"));
        assert!(pair.len() < 100);
    }
}

// security: TK-8, AZ-8
async fn a_session_id_is_random_and_never_in_a_body((_, ada): (Site, Person)) {
    let [session, device] = ["session", "device"].map(|name| ada.browser.cookie(name).unwrap());
    assert!(session.len() == 65 && device.len() == 43 && session[..43] != device);
    for path in ["/users/me", "/devices", "/config"] {
        let response = ada.browser.get(path).await;
        assert!(!response.text().contains(&session) && !response.text().contains(&device));
    }
}

// security: AZ-3
async fn only_a_live_session_cookie_is_accepted((site, ada): (Site, Person)) {
    let id = ada.browser.cookie("session").unwrap();
    let (_, mail_token) = site.registered("bob").await;
    let stranger = site.browser();
    let me = |query: &str| stranger.fetch(Method::GET, &format!("/users/me{query}"));
    let random = "A".repeat(43);
    let (secret, account) = id.split_at(43);
    let eve = site.signed_in("eve").await;
    let eves_id = eve.browser.cookie("session").unwrap();
    let (eves_secret, eves_account) = eves_id.split_at(43);
    for request in [
        me(""),
        me("").header("authorization", format!("Bearer {id}")),
        me(&format!("?session={id}")),
    ] {
        assert_refused!(stranger.send(request), Unauthenticated);
    }
    for value in [
        format!("session={random}"),
        format!("session={mail_token}"),
        format!("session=\"{id}\""),
        format!("Session={id}"),
        format!("__Host-session={id}"),
        format!("session={id}x"),
        format!("session={secret}"),
        format!("session={secret}{eves_account}"),
        format!("session={eves_secret}{account}"),
        format!("session={random}{account}"),
        "session=".to_owned(),
        "session".to_owned(),
    ] {
        assert_refused!(
            stranger.send(me("").header("cookie", value)),
            Unauthenticated
        );
    }
    for path in ["/change-email", "/change-password", "/devices/sign-out-all"] {
        assert_refused!(stranger.post_defaults(path), Unauthenticated);
    }
    assert_refused!(stranger.get("/devices"), Unauthenticated);
}

// security: SE-10
// `hostile_input::cookies` has other hostile ones.
async fn duplicate_session_cookies_are_ignored(site: Site) {
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let [a, e] = [&ada, &eve].map(|person| person.browser.cookie("session").unwrap());
    let stranger = site.browser();
    let me = |cookies: String| {
        let request = stranger.fetch(Method::GET, "/users/me");
        stranger.send(request.header("cookie", cookies))
    };
    for other in [&*e, "", &a] {
        assert_refused!(me(format!("session={a}; session={other}")), Unauthenticated);
        assert_refused!(me(format!("session={other}; session={a}")), Unauthenticated);
    }
    let odd = me(format!("=;;; ;session={a};=x"));
    assert_json!(odd, 200, &ada.user().await);
}

// security: SE-11, SE-12
async fn sign_out_ends_the_session_and_always_succeeds((site, ada): (Site, Person)) {
    let thief = ada.browser.copy();
    let cleared = "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
    for _ in 0..2 {
        let response = ada.browser.post_empty("/logout").await;
        response.assert_empty();
        assert_eq!(response.set_cookie("session"), Some(cleared));
        assert_eq!(response.header("clear-site-data"), Some("\"storage\""));
    }
    thief.assert_signed_out().await;

    ada.sign_in(&ada.browser).await;
    let stranger = site.browser();
    stranger.set_cookie("session", &"A".repeat(43));
    stranger.post_empty("/logout").await.assert_empty();
    ada.assert_still_signed_in().await;
}

async fn a_deleted_account_leaves_no_session_and_no_device((site, ada): (Site, Person)) {
    site.remove_accounts().await;
    ada.browser.assert_signed_out().await;
    for table in ["sessions", "devices"] {
        site.assert_count(table, 0).await;
    }
}

// security: SE-7
async fn visitors_without_an_account_create_no_rows(site: Site) {
    let browser = site.browser();
    for path in [
        "/account/", "/account/signup", "/account/account-api/users/me",
        "/account/account-api/config",
    ] {
        for _ in 0..3 {
            let response = browser.open(path).await;
            assert_eq!(response.set_cookies().count(), 0);
        }
    }
    for table in ["sessions", "devices", "tokens", "limits"] {
        site.assert_count(table, 0).await;
    }
}

async fn a_failed_lookup_of_a_session_is_an_internal_error(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    // A bug, unlike a database that is unavailable for a time.
    db.run_script("ALTER TABLE sessions RENAME TO missing_sessions")
        .await;
    let response = ada.browser.get("/users/me").await;
    // The next test uses the same schema.
    db.run_script("ALTER TABLE missing_sessions RENAME TO sessions")
        .await;
    response.assert_error(ErrorCode::Internal);
}
