//! The named limits: number, key and window of each, and the actions that reset them.

mod bursts;
mod networks;

use account::testing::error::ErrorCode::{InvalidCredentials, RateLimited};
use axum::http::StatusCode;
use futures_util::future::join_all;
use futures_util::stream::{StreamExt, iter};
use serde_json::{Value, json};

use crate::password_change::change_password;
use crate::password_reset::reset_password;
use crate::support::actors::{PASSWORD, form_with};
use crate::support::{Browser, Database, Response, form};

fn wrong_login(email: &str) -> Value {
    json!({"email": email, "password": "Wrong-Password-1"})
}

async fn fail_sign_in(browser: &Browser, email: &str) -> Response {
    browser.post("/login", &wrong_login(email)).await
}

/// Fails to sign in this many times at once, because the program pads each response to 50 ms.
async fn fail_sign_ins(browser: &Browser, email: &str, count: usize) {
    let failures = (0..count).map(|_| fail_sign_in(browser, email));
    for response in join_all(failures).await {
        response.assert_error(InvalidCredentials);
    }
}

/// The number of responses before the first `rate_limited`, and that response.
pub(crate) async fn until_limited(
    mut next: impl AsyncFnMut(usize) -> Response,
) -> (usize, Response) {
    for n in 0..200 {
        let response = next(n).await;
        if response.status == 429 {
            assert_eq!(response.json()["code"], "rate_limited");
            return (n, response);
        }
    }
    panic!("never limited");
}

/// Sends this many requests at once, because the program pads each response to 50 ms. Returns the number of those that
/// are not `rate_limited`.
async fn count_passed(count: usize, send: impl AsyncFn(usize) -> Response) -> usize {
    // At most as many requests wait for the counter as the database answers within its time limit.
    let requests = iter((0..count).map(|n| send(n))).buffer_unordered(16);
    let responses: Vec<Response> = requests.collect().await;
    let passed = responses.iter().filter(|response| {
        assert_ne!(response.status, StatusCode::SERVICE_UNAVAILABLE);
        let is_limited = response.status == StatusCode::TOO_MANY_REQUESTS;
        assert!(!is_limited || response.json()["code"] == "rate_limited");
        !is_limited
    });
    passed.count()
}

on_both_databases!(any_address_allows_five_wrong_passwords_in_five_minutes);
// security: RL-6, RL-9, EN-7
async fn any_address_allows_five_wrong_passwords_in_five_minutes(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    for email in [ada.email.as_str(), "nobody@example.org"] {
        let (passed, limited) = until_limited(async |_| {
            site.advance("1s");
            fail_sign_in(&site.browser(), email).await
        })
        .await;
        assert_eq!(passed, 5);
        // Six of the 300 seconds have passed, one of them before the first attempt.
        limited.assert_header("retry-after", "295");
        let right = json!({"email": email, "password": PASSWORD});
        site.advance("294s");
        assert_refused!(site.browser().post("/login", &right), RateLimited);
        site.advance("1s");
        assert_refused!(fail_sign_in(&site.browser(), email), InvalidCredentials);
    }
}

on_both_databases!(of_two_hundred_parallel_attempts_five_are_verified);
// security: RL-6
async fn of_two_hundred_parallel_attempts_five_are_verified(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let tries = (0..200).map(|_| {
        let (browser, body) = (site.browser(), wrong_login(&ada.email));
        async move { browser.post("/login", &body).await.status.as_u16() }
    });
    let mut statuses = join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![401; 5], vec![429; 195]].concat());
}

on_both_databases!(nodes_share_their_limits);
// security: MN-5
async fn nodes_share_their_limits(db: Database) {
    let nodes = [db.site().await, db.site().await];
    let (passed, _) = until_limited(async |n| {
        nodes[n % 2]
            .browser()
            .post("/login", &wrong_login("x@example.org"))
            .await
    })
    .await;
    assert_eq!(passed, 5);
}

on_both_databases!(failures_of_strangers_do_not_lock_out_a_known_device);
async fn failures_of_strangers_do_not_lock_out_a_known_device(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    until_limited(async |_| fail_sign_in(&site.browser(), &ada.email).await).await;
    ada.sign_in(&ada.browser).await;
    let new = "Orange-Tree-42";
    assert_status!(change_password(&ada.browser, PASSWORD, new), 200);
    site.mail_to(&ada.email).await;
    // The known device has a counter of its own with the same limit.
    let (passed, _) = until_limited(async |_| fail_sign_in(&ada.browser, &ada.email).await).await;
    assert_eq!(passed, 5);
    assert_refused!(ada.try_sign_in(&ada.browser), RateLimited);
}

on_both_databases!(a_right_password_resets_the_failures_of_its_account);
async fn a_right_password_resets_the_failures_of_its_account(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    for _ in 0..2 {
        fail_sign_ins(&ada.browser, &ada.email, 4).await;
        site.advance("1m");
        ada.sign_in(&ada.browser).await;
    }
}

on_both_databases!(a_network_may_fail_ten_times_per_minute_even_after_a_success);
// security: RL-7
async fn a_network_may_fail_ten_times_per_minute_even_after_a_success(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let (passed, limited) = until_limited(async |n| {
        if n == 5 {
            let right = ada.credentials();
            return ada.browser.post("/login", &right).await;
        }
        fail_sign_in(&ada.browser, &format!("n{n}@example.org")).await
    })
    .await;
    assert_eq!((passed, limited.header("retry-after")), (11, Some("60")));
    site.advance("1m");
    let response = fail_sign_in(&ada.browser, "x@example.org").await;
    response.assert_error(InvalidCredentials);
}

on_both_databases!(a_network_may_sign_in_thirty_times_per_minute_and_more_often_with_passkeys);
async fn a_network_may_sign_in_thirty_times_per_minute_and_more_often_with_passkeys(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let (passed, _) = until_limited(async |_| ada.try_sign_in(&ada.browser).await).await;
    assert_eq!(passed, 30);
    let (path, empty) = ("/passkeys/sign-in/options", json!({}));
    let (passed, _) = until_limited(async |_| ada.browser.post(path, &empty).await).await;
    assert_eq!(passed, 60, "{path}");
}

on_both_databases!(a_hundred_failures_in_a_row_require_a_reset);
// security: RL-6
async fn a_hundred_failures_in_a_row_require_a_reset(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    for _ in 0..20 {
        fail_sign_ins(&site.browser(), &ada.email, 5).await;
        site.advance("5m");
    }
    let right = site.browser().post("/login", &ada.credentials()).await;
    right.assert_error(RateLimited);
    let days = right.header("retry-after").unwrap().parse::<u64>().unwrap() / 86_400;
    assert_eq!(days, 29);
    ada.sign_in(&ada.browser).await;

    let (stranger, new) = (site.browser(), "Orange-Tree-43");
    reset_password(&ada, &stranger, new).await;
    ada.sign_in_with(&stranger, new).await;
}

on_both_databases!(a_known_device_has_its_own_failure_streak);
// security: RL-6
async fn a_known_device_has_its_own_failure_streak(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    // The nineteen rounds of an unknown browser do not count for the known device.
    for browser in [&site.browser(), &ada.browser] {
        for _ in 0..19 {
            fail_sign_ins(browser, &ada.email, 5).await;
            site.advance("5m");
        }
    }
    fail_sign_ins(&ada.browser, &ada.email, 5).await;
    site.advance("5m");
    let right = ada.try_sign_in(&ada.browser).await;
    right.assert_error(RateLimited);
    let days = right.header("retry-after").unwrap().parse::<u64>().unwrap() / 86_400;
    assert_eq!(days, 29);

    // A reset by mail ends the lock, despite earlier failures of this browser.
    let new = "Orange-Tree-43";
    reset_password(&ada, &ada.browser, new).await;
    ada.sign_in_with(&ada.browser, new).await;
}

on_both_databases!(a_network_may_register_twenty_times_per_minute);
// security: RL-8
async fn a_network_may_register_twenty_times_per_minute(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let empty = json!({});
    let (passed, limited) = until_limited(async |_| browser.post("/register", &empty).await).await;
    assert_eq!((passed, limited.header("retry-after")), (20, Some("60")));
    let body = limited.json();
    assert_eq!(
        body["detail"]["error"],
        "Too many attempts. Please wait 1 minute and try again."
    );
}

on_both_databases!(a_network_may_send_twenty_wrong_links_per_minute_and_route);
// security: TK-11
async fn a_network_may_send_twenty_wrong_links_per_minute_and_route(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let guess = "A".repeat(43);
    for path in ["/confirm-email", "/confirm-email-change"] {
        let path = format!("{path}?token={guess}");
        let (passed, _) = until_limited(async |_| ada.browser.get(&path).await).await;
        assert_eq!(passed, 20, "{path}");
    }
    for path in [
        "/reset-password/confirm", "/confirm-device", "/undo-email-change", "/migration/confirm",
        "/undo-credential/details",
    ] {
        let form = json!({"token": guess, "approve": true, "password": PASSWORD,
            "confirm_password": PASSWORD});
        let (passed, _) = until_limited(async |_| ada.browser.post(path, &form).await).await;
        assert_eq!(passed, 20, "{path}");
    }
    assert_refused!(ada.browser.confirm_email(&token), RateLimited);
    // A valid link is not counted.
    for _ in 0..30 {
        ada.new_browser()
            .moved_to("192.0.2.1")
            .confirm_email(&token)
            .await
            .assert_status(200);
    }
}

on_both_databases!(resets_and_changes_have_separate_limits);
// security: RL-8
async fn resets_and_changes_have_separate_limits(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.signed_in("ada").await;

    for email in [ada.email.as_str(), "nobody@example.org"] {
        let passed = count_passed(6, async |_| site.browser().request_reset(email).await).await;
        assert_eq!(passed, 5, "reset_address");
    }
    let browser = site.browser();
    let request = async |n| browser.request_reset(&format!("n{n}@example.org")).await;
    assert_eq!(count_passed(21, request).await, 20, "reset_ip");
    let new = json!({"email": "new@example.org"});
    let (passed, _) = until_limited(async |_| ada.browser.post("/change-email", &new).await).await;
    assert_eq!(passed, 10, "change_email");
    let form =
        json!({"current_password": "x", "new_password": "Abcde1", "confirm_password": "Abcde1"});
    let (passed, _) =
        until_limited(async |_| ada.browser.post("/change-password", &form).await).await;
    assert_eq!(passed, 5, "change_password");
}

on_both_databases!(a_mailbox_gets_ten_mails_per_hour_from_each_budget);
// security: RL-5
// Strangers can cause mails of the first budget, which must not use up the second.
async fn a_mailbox_gets_ten_mails_per_hour_from_each_budget(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.reset_address = "1000/m".parse().unwrap();
            c.limits.resend_address = "1000/m".parse().unwrap();
        })
        .await;
    let ada = site.registered("ada").await.0;
    // Verification links come from `mail_address`, resets from `mail_recovery`.
    let mut mails = 1;
    for round in 0..2 {
        for _ in 0..15 {
            let (one, other, body) = (site.browser(), site.browser(), json!({"email": ada.email}));
            let reset = one.post("/reset-password", &body);
            let resend = other.post("/resend-verification", &body);
            let (reset, resend) = tokio::join!(reset, resend);
            assert_eq!(
                (reset.status, resend.status),
                (StatusCode::OK, StatusCode::OK)
            );
            mails += site.mails().await.len();
        }
        assert_eq!(mails, 20 * (round + 1));
        site.advance("1h");
    }
}

on_both_databases!(a_wrong_clock_locks_out_no_account);
// security: FI-8
async fn a_wrong_clock_locks_out_no_account(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    site.advance("40d");
    let browser = site.browser();
    until_limited(async |_| fail_sign_in(&browser, &ada.email).await).await;
    site.set_clock("2026-11-21T11:00:00Z");
    ada.sign_in(&browser).await;
    site.advance("1h");
    ada.assert_signed_in(&browser).await;
}

on_both_databases!(limits_are_settings_and_can_be_off);
async fn limits_are_settings_and_can_be_off(db: Database) {
    let two = db
        .site_with(|c| c.limits.signup_ip = "2/2s".parse().unwrap())
        .await;
    let empty = json!({});
    let browser = two.browser();
    for _ in 0..2 {
        let (passed, limited) =
            until_limited(async |_| browser.post("/register", &empty).await).await;
        assert_eq!((passed, limited.header("retry-after")), (2, Some("2")));
        two.advance("2s");
    }
    let off = db.site_without_limits().await;
    let browser = off.browser();
    fail_sign_ins(&browser, "ada@example.org", 40).await;
    // On SQLite this transaction has the only connection that writes: limits that are off need none.
    let _open = off.app.store.write().await.unwrap();
    assert_refused!(browser.get("/confirm-email?token=malformed"), InvalidToken);
}

on_both_databases!(the_counters_contain_no_personal_data);
async fn the_counters_contain_no_personal_data(db: Database) {
    let site = db.site().await;
    let browser = site.browser().moved_to("203.0.113.5");
    browser.post("/register", &form("ada")).await;
    let same_name = form_with("ada", &json!({"email": "bob@example.org"}));
    site.browser().post("/register", &same_name).await;
    fail_sign_in(&browser, "nobody@example.org").await;
    site.mail_to("ada@example.org").await;
    let rows = site.rows("SELECT key, hits FROM limits", &[]).await;
    assert!(rows.len() >= 5);
    for row in rows {
        assert_eq!(row.get::<Vec<u8>>(0).len(), 16);
    }
    site.advance("31d");
    site.run_expiry().await;
    assert_eq!(site.count("limits").await, 0);
}
