//! Minors: refused, counted in a signed cookie, and not stored.

use account::testing::error::{ErrorCode, FieldRule};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::actors::form_with;
use crate::support::{Browser, Database, Response, form};

async fn register_minor(browser: &Browser) -> Response {
    let form = form_with("kid", &json!({"birthday_year": 2015}));
    browser.post("/register", &form).await
}

#[track_caller]
fn assert_underage(response: &Response) {
    response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
}

on_both_databases!(after_three_attempts_a_browser_is_refused_with_any_birthday);
async fn after_three_attempts_a_browser_is_refused_with_any_birthday(db: Database) {
    let site = db.site().await;
    let (browser, other) = (site.browser(), site.browser());
    for _ in 0..3 {
        assert_underage(&register_minor(&browser).await);
    }
    assert_underage(&browser.post("/register", &form("kid")).await);
    let wrong = form_with(
        "kid",
        &json!({"username": "", "birthday_day": 31, "birthday_month": 2}),
    );
    assert_underage(&browser.post("/register", &wrong).await);
    assert_eq!(other.post("/register", &form("kim")).await.status, 201);
    site.mail_to("kim@example.org").await;
    assert_eq!(site.count("accounts").await, 1);
}

on_both_databases!(a_third_attempt_with_an_adult_birthday_registers);
async fn a_third_attempt_with_an_adult_birthday_registers(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    register_minor(&browser).await;
    register_minor(&browser).await;
    assert_eq!(browser.post("/register", &form("kim")).await.status, 201);
    site.mail_to("kim@example.org").await;
}

on_both_databases!(the_count_ends_a_day_after_the_first_attempt);
async fn the_count_ends_a_day_after_the_first_attempt(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let first = register_minor(&browser).await;
    let attributes = "Path=/; HttpOnly; SameSite=Lax; Max-Age=86400";
    assert!(first.set_cookie("attempts").unwrap().ends_with(attributes));
    site.advance("23h 59m");
    register_minor(&browser).await;
    let third = register_minor(&browser).await;
    assert!(
        third
            .set_cookie("attempts")
            .unwrap()
            .ends_with("Max-Age=60")
    );
    assert_underage(&browser.post("/register", &form("kim")).await);
    site.advance("1m 1s");
    assert_eq!(browser.post("/register", &form("kim")).await.status, 201);
    site.mail_to("kim@example.org").await;
}

on_both_databases!(a_count_with_a_wrong_signature_is_ignored);
async fn a_count_with_a_wrong_signature_is_ignored(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    register_minor(&browser).await;
    let signed = browser.cookie("attempts").unwrap();
    let (content, signature) = signed.split_once('.').unwrap();
    let mut forged: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(content).unwrap()).unwrap();
    assert_eq!(forged["count"], 1);
    forged["count"] = 99.into();
    let forged = URL_SAFE_NO_PAD.encode(forged.to_string());
    for forged in [
        format!("{forged}.{signature}"),
        format!("{content}.{}", "A".repeat(43)),
        forged,
        "..".to_owned(),
        "-1.x.y".to_owned(),
    ] {
        let browser = site.browser();
        browser.set_cookie("attempts", &forged);
        let response = browser
            .post("/register", &form_with("x", &json!({"zipcode": ""})))
            .await;
        response.assert_invalid_field("zipcode", FieldRule::ZipcodeInvalid);
    }
}

on_both_databases!(no_data_of_a_refused_minor_is_stored);
// security: LG-4
async fn no_data_of_a_refused_minor_is_stored(db: Database) {
    let site = db.site().await;
    let response = register_minor(&site.browser()).await;
    assert_eq!(response.set_cookies().count(), 1);
    for table in [
        "accounts", "devices", "sessions", "tokens", "outbox", "legacy_accounts",
    ] {
        assert_eq!(site.count(table).await, 0, "{table}");
    }
}

on_both_databases!(the_minimum_age_of_seventeen_is_in_years_of_365_25_days);
// security: BI-9
async fn the_minimum_age_of_seventeen_is_in_years_of_365_25_days(db: Database) {
    let site = db.site_with(|c| c.age.registration = 17).await;
    db.allow_unread_mails();
    // 20 November 2009 is 6210 days earlier.
    let born = json!({"birthday_day": 20, "birthday_month": 11, "birthday_year": 2009});
    site.set_clock("2026-11-20T23:59:59Z");
    let form = form_with("kim", &born);
    assert_underage(&site.browser().post("/register", &form).await);
    site.set_clock("2026-11-21T00:00:00Z");
    assert_status!(site.browser().post("/register", &form), 201);
}

on_both_databases!(the_minimum_age_and_the_attempts_are_settings_independent_of_limits);
async fn the_minimum_age_and_the_attempts_are_settings_independent_of_limits(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            c.age.registration = 40;
            c.age.attempts = 1;
        })
        .await;
    let browser = site.browser();
    assert_underage(&browser.post("/register", &form("kim")).await);
    let old = form_with("kim", &json!({"birthday_year": 1950}));
    assert_underage(&browser.post("/register", &old).await);
    assert_eq!(site.browser().post("/register", &old).await.status, 201);
    site.mail_to("kim@example.org").await;
}

on_both_databases!(refusals_of_the_screen_and_of_the_server_count_after_a_reload);
async fn refusals_of_the_screen_and_of_the_server_count_after_a_reload(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let blocked = |yes: bool| json!({"blocked": yes});
    for _ in 0..3 {
        assert_json!(browser.get("/age-refusals"), 200, &blocked(false));
        browser.post_empty("/age-refusals").await.assert_empty();
    }
    assert_json!(browser.get("/age-refusals"), 200, &blocked(true));
    assert_underage(&browser.post("/register", &form("kid")).await);
    let other = site.browser();
    assert_json!(other.get("/age-refusals"), 200, &blocked(false));
    assert_eq!(other.post("/register", &form("kim")).await.status, 201);
    site.mail_to("kim@example.org").await;

    let browser = site.browser();
    register_minor(&browser).await;
    browser.post_empty("/age-refusals").await.assert_empty();
    register_minor(&browser).await;
    assert_json!(browser.get("/age-refusals"), 200, &blocked(true));
    site.advance("24h");
    assert_json!(browser.get("/age-refusals"), 200, &blocked(false));
}

on_both_databases!(registration_and_completion_count_apart);
async fn registration_and_completion_count_apart(db: Database) {
    let site = db.site().await;
    let status = async |browser: &Browser, form: &str| {
        let path = format!("/age-refusals?form={form}");
        browser.get(&path).await.json()["blocked"].clone()
    };
    for (counted, other) in [("registration", "migration"), ("migration", "registration")] {
        let browser = site.browser();
        for _ in 0..3 {
            let path = format!("/age-refusals?form={counted}");
            browser.post_empty(&path).await.assert_empty();
        }
        assert_eq!(status(&browser, counted).await, true, "{counted}");
        assert_eq!(status(&browser, other).await, false, "{counted}");
        // The cookie of one form is worth nothing as that of the other.
        let names = ["attempts", "migration-attempts"];
        let [from, to] = match counted {
            "registration" => names,
            _ => [names[1], names[0]],
        };
        browser.set_cookie(to, &browser.cookie(from).unwrap());
        assert_eq!(status(&browser, other).await, false, "{counted}");
    }
    let browser = site.browser();
    for _ in 0..3 {
        browser
            .post_empty("/age-refusals?form=migration")
            .await
            .assert_empty();
    }
    assert_eq!(browser.post("/register", &form("kim")).await.status, 201);
    site.mail_to("kim@example.org").await;
    assert_refused!(browser.get("/age-refusals?form=other"), BadRequest);
}
