//! The named limits: number, key and window of each, and the actions that reset them.

mod bursts;
mod networks;

use account::testing::error::ErrorCode::{InvalidCredentials, RateLimited};
use axum::http::StatusCode;
use futures_util::stream::{StreamExt, iter};

use crate::password_change::change_password;
use crate::password_reset::reset_password;
use crate::support::prelude::*;

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
pub async fn until_limited(mut next: impl AsyncFnMut(usize) -> Response) -> (usize, Response) {
    for n in 0..200 {
        let response = next(n).await;
        if response.status == 429 {
            assert_eq!(response.json()["code"], "rate_limited");
            return (n, response);
        }
    }
    panic!("never limited");
}

/// Asserts how many requests pass before the first `rate_limited`. Returns that response.
pub async fn assert_limit(
    name: &str,
    limit: usize,
    next: impl AsyncFnMut(usize) -> Response,
) -> Response {
    let (passed, limited) = until_limited(next).await;
    assert_eq!(passed, limit, "{name}");
    limited
}

/// Asserts that only a reset within the next 29 days ends the lock of an account.
async fn assert_locked(ada: &Person, browser: &Browser) {
    let right = ada.try_sign_in(browser).await;
    right.assert_error(RateLimited);
    let seconds: u64 = right.header("retry-after").unwrap().parse().unwrap();
    assert_eq!(seconds / 86_400, 29);
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

on_both_databases!(
    any_address_allows_five_wrong_passwords_in_five_minutes,
    of_two_hundred_parallel_attempts_five_are_verified,
    nodes_share_their_limits,
    failures_of_strangers_do_not_lock_out_a_known_device,
    a_right_password_resets_the_failures_of_its_account,
    a_network_may_fail_ten_times_per_minute_even_after_a_success,
    a_network_may_sign_in_thirty_times_per_minute_and_more_often_with_passkeys,
    a_hundred_failures_in_a_row_require_a_reset,
    a_known_device_has_its_own_failure_streak,
    a_network_may_register_twenty_times_per_minute,
    a_network_may_send_twenty_wrong_links_per_minute_and_route,
    resets_and_changes_have_separate_limits,
    a_mailbox_gets_ten_mails_per_hour_from_each_budget,
    a_wrong_clock_locks_out_no_account,
    limits_are_settings_and_can_be_off,
    the_counters_contain_no_personal_data,
);

// security: RL-6, RL-9, EN-7
async fn any_address_allows_five_wrong_passwords_in_five_minutes(Member(site, ada): Member) {
    for email in [ada.email.as_str(), "nobody@example.org"] {
        let fail = async |_| {
            site.advance("1s");
            fail_sign_in(&site.browser(), email).await
        };
        // Six of the 300 seconds have passed, one of them before the first attempt.
        let limited = assert_limit(email, 5, fail).await;
        limited.assert_header("retry-after", "295");
        site.advance("294s");
        assert_refused!(site.browser().try_sign_in(email, PASSWORD), RateLimited);
        site.advance("1s");
        assert_refused!(fail_sign_in(&site.browser(), email), InvalidCredentials);
    }
}

// security: RL-6
async fn of_two_hundred_parallel_attempts_five_are_verified(Member(site, ada): Member) {
    let tries = (0..200).map(|_| {
        let (browser, body) = (site.browser(), wrong_login(&ada.email));
        async move { browser.post("/login", &body).await.status.as_u16() }
    });
    let mut statuses = join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![401; 5], vec![429; 195]].concat());
}

// security: MN-5
async fn nodes_share_their_limits(db: Database) {
    let nodes = [db.site().await, db.site().await];
    let fail = async |n: usize| fail_sign_in(&nodes[n % 2].browser(), "x@example.org").await;
    assert_limit("login", 5, fail).await;
}

async fn failures_of_strangers_do_not_lock_out_a_known_device((site, ada): (Site, Person)) {
    let fail = async |browser: &Browser| fail_sign_in(browser, &ada.email).await;
    assert_limit("strangers", 5, async |_| fail(&site.browser()).await).await;
    ada.sign_in(&ada.browser).await;
    assert_ok!(change_password(&ada.browser, PASSWORD, "Orange-Tree-42"));
    ada.mail().await;
    // The known device has a counter of its own with the same limit.
    assert_limit("device", 5, async |_| fail(&ada.browser).await).await;
    assert_refused!(ada.try_sign_in(&ada.browser), RateLimited);
}

async fn a_right_password_resets_the_failures_of_its_account(Member(site, ada): Member) {
    for _ in 0..2 {
        fail_sign_ins(&ada.browser, &ada.email, 4).await;
        site.advance("1m");
        ada.sign_in(&ada.browser).await;
    }
}

// security: RL-7
async fn a_network_may_fail_ten_times_per_minute_even_after_a_success(Member(site, ada): Member) {
    let attempt = async |n| match n {
        5 => ada.try_sign_in(&ada.browser).await,
        _ => fail_sign_in(&ada.browser, &format!("n{n}@example.org")).await,
    };
    let limited = assert_limit("network", 11, attempt).await;
    limited.assert_header("retry-after", "60");
    site.advance("1m");
    assert_refused!(
        fail_sign_in(&ada.browser, "x@example.org"),
        InvalidCredentials
    );
}

async fn a_network_may_sign_in_thirty_times_per_minute_and_more_often_with_passkeys(
    Member(_, ada): Member,
) {
    assert_limit("login", 30, async |_| ada.try_sign_in(&ada.browser).await).await;
    let path = "/passkeys/sign-in/options";
    assert_limit(path, 60, async |_| ada.browser.post_defaults(path).await).await;
}

// security: RL-6
async fn a_hundred_failures_in_a_row_require_a_reset(Member(site, ada): Member) {
    for _ in 0..20 {
        fail_sign_ins(&site.browser(), &ada.email, 5).await;
        site.advance("5m");
    }
    assert_locked(&ada, &site.browser()).await;
    ada.sign_in(&ada.browser).await;

    let (stranger, new) = (site.browser(), "Orange-Tree-43");
    reset_password(&ada, &stranger, new).await;
    ada.sign_in_with(&stranger, new).await;
}

// security: RL-6
async fn a_known_device_has_its_own_failure_streak((site, ada): (Site, Person)) {
    // The nineteen rounds of an unknown browser do not count for the known device.
    for (browser, rounds) in [(&site.browser(), 19), (&ada.browser, 20)] {
        for _ in 0..rounds {
            fail_sign_ins(browser, &ada.email, 5).await;
            site.advance("5m");
        }
    }
    assert_locked(&ada, &ada.browser).await;
    // A reset by mail ends the lock, despite earlier failures of this browser.
    let new = "Orange-Tree-43";
    reset_password(&ada, &ada.browser, new).await;
    ada.sign_in_with(&ada.browser, new).await;
}

// security: RL-8
async fn a_network_may_register_twenty_times_per_minute(browser: Browser) {
    let register = async |_| browser.post_defaults("/register").await;
    let limited = assert_limit("signup_ip", 20, register).await;
    limited.assert_header("retry-after", "60");
    let sentence = "Too many attempts. Please wait 1 minute and try again.";
    assert_eq!(limited.json()["detail"]["error"], sentence);
}

// security: TK-11
async fn a_network_may_send_twenty_wrong_links_per_minute_and_route(site: Site) {
    let (ada, token) = site.registered("ada").await;
    let guess = "A".repeat(43);
    for path in ["/confirm-email", "/confirm-email-change"] {
        let path = format!("{path}?token={guess}");
        assert_limit(&path, 20, async |_| ada.browser.get(&path).await).await;
    }
    for path in [
        "/reset-password/confirm", "/confirm-device", "/undo-email-change", "/migration/confirm",
        "/undo-credential/details",
    ] {
        let form = json!({"token": guess, "approve": true, "password": PASSWORD,
            "confirm_password": PASSWORD});
        assert_limit(path, 20, async |_| ada.browser.post(path, &form).await).await;
    }
    assert_refused!(ada.browser.confirm_email(&token), RateLimited);
    // A valid link is not counted.
    for _ in 0..30 {
        let other = ada.new_browser().moved_to("192.0.2.1");
        assert_ok!(other.confirm_email(&token));
    }
}

// security: RL-8
async fn resets_and_changes_have_separate_limits((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    for email in [ada.email.as_str(), "nobody@example.org"] {
        let passed = count_passed(6, async |_| site.browser().request_reset(email).await).await;
        assert_eq!(passed, 5, "reset_address");
    }
    let (browser, own) = (site.browser(), &ada.browser);
    let request = async |n| browser.request_reset(&format!("n{n}@example.org")).await;
    assert_eq!(count_passed(21, request).await, 20, "reset_ip");
    let ask = async |_| own.request_email_change("new@example.org").await;
    assert_limit("change_email", 10, ask).await;
    let change = async |_| change_password(own, "x", "Abcde1").await;
    assert_limit("change_password", 5, change).await;
}

// security: RL-5
// Strangers can cause mails of the first budget, which must not use up the second.
async fn a_mailbox_gets_ten_mails_per_hour_from_each_budget(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.reset_address = "1000/m".parse().unwrap();
        })
        .await;
    let ada = site.registered("ada").await.0;
    // Verification links come from `mail_address`, resets from `mail_recovery`.
    let mut mails = 1;
    for round in 1..=2 {
        for _ in 0..15 {
            // One verification mail each 3 minutes.
            site.advance("3m");
            let (one, other, body) = (site.browser(), site.browser(), json!({"email": ada.email}));
            let reset = one.post("/reset-password", &body);
            let resend = other.post("/resend-verification", &body);
            for response in <[Response; 2]>::from(tokio::join!(reset, resend)) {
                response.assert_status(200);
            }
            mails += site.mails().await.len();
        }
        assert_eq!(mails, 20 * round);
        site.advance("1h");
    }
}

// security: FI-8
async fn a_wrong_clock_locks_out_no_account(Member(site, ada): Member) {
    site.advance("40d");
    let browser = site.browser();
    until_limited(async |_| fail_sign_in(&browser, &ada.email).await).await;
    site.set_clock("2026-11-21T11:00:00Z");
    ada.sign_in(&browser).await;
    site.advance("1h");
    ada.assert_signed_in(&browser).await;
}

async fn limits_are_settings_and_can_be_off(db: Database) {
    let two = db
        .site_with(|c| c.limits.signup_ip = "2/2s".parse().unwrap())
        .await;
    let browser = two.browser();
    for _ in 0..2 {
        let register = async |_| browser.post_defaults("/register").await;
        let limited = assert_limit("signup_ip", 2, register).await;
        limited.assert_header("retry-after", "2");
        two.advance("2s");
    }
    let off = db.site_without_limits().await;
    let browser = off.browser();
    fail_sign_ins(&browser, "ada@example.org", 40).await;
    // On SQLite this transaction has the only connection that writes: limits that are off need none.
    let _open = off.app.store.write().await.unwrap();
    assert_refused!(browser.get("/confirm-email?token=malformed"), InvalidToken);
}

async fn the_counters_contain_no_personal_data(site: Site) {
    let browser = site.browser().moved_to("203.0.113.5");
    browser.post("/register", &form("ada")).await;
    site.browser()
        .register("ada", &json!({"email": "bob@example.org"}))
        .await;
    fail_sign_in(&browser, "nobody@example.org").await;
    site.mail_to("ada@example.org").await;
    let rows = site.rows("SELECT key, hits FROM limits", &[]).await;
    assert!(rows.len() >= 5);
    for row in rows {
        assert_eq!(row.get::<Vec<u8>>(0).len(), 16);
    }
    site.advance("31d");
    site.run_expiry().await;
    site.assert_count("limits", 0).await;
}
