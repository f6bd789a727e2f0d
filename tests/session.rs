//! Sessions: lifetimes, cookies, and invalid session ids.

use account::testing::error::ErrorCode;
use axum::http::Method;
use serde_json::json;

use crate::support::{Database, Site, eventually};

on_both_databases!(a_session_ends_after_a_week_without_use);
// security: SE-6
async fn a_session_ends_after_a_week_without_use(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.advance("6d 23h 59m 59s");
    ada.assert_signed_in(&ada.browser).await;
    site.advance("6d 23h 59m 59s");
    ada.assert_signed_in(&ada.browser).await;
    site.advance("7d");
    ada.browser.assert_signed_out().await;
}

on_both_databases!(a_session_ends_after_thirty_days_despite_use);
// security: SE-6
async fn a_session_ends_after_thirty_days_despite_use(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    for _ in 0..4 {
        site.advance("6d");
        ada.assert_signed_in(&ada.browser).await;
    }
    site.advance("5d 23h 59m 59s");
    ada.assert_signed_in(&ada.browser).await;
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
async fn most_uses_of_a_session_write_no_index(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let (updates, heap_only) = session_updates(&site).await;
    for _ in 0..20 {
        site.advance("2m");
        ada.assert_signed_in(&ada.browser).await;
    }
    eventually("the uses are counted", async || {
        session_updates(&site).await.0 >= updates + 20
    })
    .await;
    // In forty minutes, the hour of the idle expiry changes at most once.
    assert!(session_updates(&site).await.1 >= heap_only + 19);
}

on_both_databases!(parallel_session_checks_return_their_own_account);
async fn parallel_session_checks_return_their_own_account(db: Database) {
    let site = db.site().await;
    let mut people = Vec::new();
    for name in ["ada", "bob", "cleo", "dora", "emil"] {
        people.push(site.signed_in(name).await);
    }
    people[4].browser.post("/logout", &json!({})).await;
    let requested = (0..200).map(|turn| {
        let person = &people[turn % 5];
        async move { (person, person.browser.get("/users/me").await) }
    });
    for (person, response) in futures_util::future::join_all(requested).await {
        if person.name == "emil" {
            response.assert_error(ErrorCode::Unauthenticated);
        } else {
            response.assert_json(200, &person.user().await);
        }
    }
}

on_both_databases!(parallel_session_checks_never_return_an_ended_session);
async fn parallel_session_checks_never_return_an_ended_session(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let crowd = site.signed_in("bob").await;
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let crowd_user = crowd.user().await;
    let ask = async || {
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            assert_json!(crowd.browser.get("/users/me"), 200, &crowd_user);
            tokio::task::yield_now().await;
        }
    };
    let leave = async {
        for _ in 0..20 {
            let thief = ada.browser.copy();
            ada.assert_signed_in(&ada.browser).await;
            assert_eq!(ada.browser.post("/logout", &json!({})).await.status, 204);
            thief.assert_signed_out().await;
            ada.sign_in(&ada.browser).await;
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    tokio::join!(leave, ask(), ask(), ask(), ask());
}

on_both_databases!(lifetimes_are_settings);
async fn lifetimes_are_settings(db: Database) {
    let site = db
        .site_with(|c| {
            c.lifetimes.session_idle = "2s".parse().unwrap();
            c.lifetimes.session_absolute = "5s".parse().unwrap();
        })
        .await;
    let ada = site.signed_in("ada").await;
    for _ in 0..4 {
        site.advance("1s");
        ada.assert_signed_in(&ada.browser).await;
    }
    site.advance("1s");
    ada.browser.assert_signed_out().await;
}

on_both_databases!(cookies_over_http_are_accepted_by_browsers);
async fn cookies_over_http_are_accepted_by_browsers(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let response = ada.try_sign_in(&ada.browser).await;
    let attributes = |name: &str| {
        let (_, attributes) = response.set_cookie(name).unwrap().split_once("; ").unwrap();
        attributes.to_owned()
    };
    assert_eq!(
        attributes("session"),
        "Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000"
    );
    assert_eq!(
        attributes("device"),
        "Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000"
    );
    assert_eq!(response.set_cookies().count(), 2);
}

on_both_databases!(cookies_over_https_are_secure_and_host_only);
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

on_both_databases!(a_session_id_is_random_and_never_in_a_body);
// security: TK-8, AZ-8
async fn a_session_id_is_random_and_never_in_a_body(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let (session, device) = (
        ada.browser.cookie("session").unwrap(),
        ada.browser.cookie("device").unwrap(),
    );
    assert!(session.len() == 65 && device.len() == 43 && session[..43] != device);
    for path in ["/users/me", "/devices", "/config"] {
        let response = ada.browser.get(path).await;
        assert!(!response.text().contains(&session) && !response.text().contains(&device));
    }
}

on_both_databases!(only_a_live_session_cookie_is_accepted);
// security: AZ-3
async fn only_a_live_session_cookie_is_accepted(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
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
        me("").header("cookie", format!("session={random}")),
        me("").header("cookie", format!("session={mail_token}")),
        me("").header("cookie", format!("session=\"{id}\"")),
        me("").header("cookie", format!("Session={id}")),
        me("").header("cookie", format!("__Host-session={id}")),
        me("").header("cookie", format!("session={id}x")),
        me("").header("cookie", format!("session={secret}")),
        me("").header("cookie", format!("session={secret}{eves_account}")),
        me("").header("cookie", format!("session={eves_secret}{account}")),
        me("").header("cookie", format!("session={random}{account}")),
        me("").header("cookie", "session="),
        me("").header("cookie", "session"),
    ] {
        assert_refused!(stranger.send(request), Unauthenticated);
    }
    for path in ["/change-email", "/change-password", "/devices/sign-out-all"] {
        assert_refused!(stranger.post(path, &json!({})), Unauthenticated);
    }
    assert_refused!(stranger.get("/devices"), Unauthenticated);
}

on_both_databases!(duplicate_session_cookies_are_ignored);
// security: SE-10
async fn duplicate_session_cookies_are_ignored(db: Database) {
    let site = db.site().await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let (a, e) = (
        ada.browser.cookie("session").unwrap(),
        eve.browser.cookie("session").unwrap(),
    );
    let stranger = site.browser();
    let many: String = (0..200).map(|n| format!("c{n}=x; ")).collect();
    for (cookies, expected) in [
        (format!("session={a}; session={e}"), None),
        (format!("session={e}; session={a}"), None),
        (format!("session={a}; session="), None),
        (format!("session={a}; session={a}"), None),
        (format!("{many}session={a}"), Some(ada.user().await)),
        (format!("=;;; ;session={a};=x"), Some(ada.user().await)),
        (
            format!("x={}; session={e}", "y".repeat(16 << 10)),
            Some(eve.user().await),
        ),
    ] {
        let request = stranger
            .fetch(Method::GET, "/users/me")
            .header("cookie", cookies);
        let response = stranger.send(request).await;
        match expected {
            Some(me) => response.assert_json(200, &me),
            None => response.assert_error(ErrorCode::Unauthenticated),
        };
    }
    let bytes = axum::http::HeaderValue::from_bytes(
        &[b"session=\xff\xfe; session=".as_slice(), a.as_bytes()].concat(),
    );
    let request = stranger
        .fetch(Method::GET, "/users/me")
        .header("cookie", bytes.unwrap());
    assert_refused!(stranger.send(request), Unauthenticated);
}

on_both_databases!(sign_out_ends_the_session_and_always_succeeds);
// security: SE-11, SE-12
async fn sign_out_ends_the_session_and_always_succeeds(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
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
    ada.assert_signed_in(&ada.browser).await;
}

on_both_databases!(a_deleted_account_leaves_no_session_and_no_device);
async fn a_deleted_account_leaves_no_session_and_no_device(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.remove_accounts().await;
    ada.browser.assert_signed_out().await;
    for table in ["sessions", "devices"] {
        assert_eq!(site.count(table).await, 0, "{table}");
    }
}

on_both_databases!(visitors_without_an_account_create_no_rows);
// security: SE-7
async fn visitors_without_an_account_create_no_rows(db: Database) {
    let site = db.site().await;
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
        assert_eq!(site.count(table).await, 0, "{table}");
    }
}

on_both_databases!(a_failed_lookup_of_a_session_is_an_internal_error);
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
