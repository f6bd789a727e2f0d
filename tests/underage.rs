//! Minors: refused, counted in a signed cookie, and not stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::support::prelude::*;

async fn register_minor(browser: &Browser) -> Response {
    let minor = json!({"birthday_year": 2015});
    browser.register("kid", &minor).await
}

/// Asserts that an adult registers in this browser.
async fn assert_registers(browser: &Browser, name: &str) {
    assert_status!(browser.post("/register", &form(name)), 201);
    browser.site.mail_to(&format!("{name}@example.org")).await;
}

#[track_caller]
fn assert_underage(response: &Response) {
    response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
}

on_both_databases!(
    after_three_attempts_a_browser_is_refused_with_any_birthday,
    no_data_of_a_refused_minor_is_stored,
);

// The attempts are counted in a cookie.
on_sqlite!(
    the_count_ends_a_day_after_the_first_attempt,
    a_count_with_a_wrong_signature_is_ignored,
    refusals_of_the_screen_and_of_the_server_count_after_a_reload,
    registration_and_completion_count_apart,
    the_minimum_age_is_a_setting_and_the_attempts_are_independent_of_limits,
);

async fn after_three_attempts_a_browser_is_refused_with_any_birthday(site: Site) {
    let (browser, other) = (site.browser(), site.browser());
    for _ in 0..3 {
        assert_underage(&register_minor(&browser).await);
    }
    assert_underage(&browser.post("/register", &form("kid")).await);
    let wrong = json!({"username": "", "birthday_day": 31, "birthday_month": 2});
    assert_underage(&browser.register("kid", &wrong).await);
    for _ in 0..2 {
        register_minor(&other).await;
    }
    assert_registers(&other, "kim").await;
    site.assert_count("accounts", 1).await;
}

async fn the_count_ends_a_day_after_the_first_attempt(site: Site) {
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
    assert_registers(&browser, "kim").await;
}

async fn a_count_with_a_wrong_signature_is_ignored(site: Site) {
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
        let response = browser.register("x", &json!({"zipcode": ""})).await;
        response.assert_invalid_field("zipcode", FieldRule::ZipcodeInvalid);
    }
}

// security: LG-4
async fn no_data_of_a_refused_minor_is_stored(site: Site) {
    let response = register_minor(&site.browser()).await;
    assert_eq!(response.set_cookies().count(), 1);
    for table in [
        "accounts", "devices", "sessions", "tokens", "outbox", "legacy_accounts",
    ] {
        site.assert_count(table, 0).await;
    }
}

async fn the_minimum_age_is_a_setting_and_the_attempts_are_independent_of_limits(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            c.age.registration = 40;
        })
        .await;
    let browser = site.browser();
    for _ in 0..3 {
        assert_underage(&browser.post("/register", &form("kim")).await);
    }
    let old = form_with("kim", &json!({"birthday_year": 1950}));
    assert_underage(&browser.post("/register", &old).await);
    assert_status!(site.browser().post("/register", &old), 201);
    site.mail_to("kim@example.org").await;
}

async fn refusals_of_the_screen_and_of_the_server_count_after_a_reload(site: Site) {
    let assert_blocked = async |browser: &Browser, is_blocked: bool| {
        assert_json!(
            browser.get("/age-refusals"),
            200,
            &json!({"blocked": is_blocked})
        );
    };
    let browser = site.browser();
    for _ in 0..3 {
        assert_blocked(&browser, false).await;
        browser.post_empty("/age-refusals").await.assert_empty();
    }
    assert_blocked(&browser, true).await;
    assert_underage(&browser.post("/register", &form("kid")).await);
    let other = site.browser();
    assert_blocked(&other, false).await;
    assert_registers(&other, "kim").await;

    let browser = site.browser();
    register_minor(&browser).await;
    browser.post_empty("/age-refusals").await.assert_empty();
    register_minor(&browser).await;
    assert_blocked(&browser, true).await;
    site.advance("24h");
    assert_blocked(&browser, false).await;
}

async fn registration_and_completion_count_apart(site: Site) {
    let is_blocked = async |browser: &Browser, form: &str| {
        let path = format!("/age-refusals?form={form}");
        browser.get_json(&path).await["blocked"] == true
    };
    let forms = [
        ("registration", "attempts"),
        ("migration", "migration-attempts"),
    ];
    for ((counted, from), (other, to)) in [(forms[0], forms[1]), (forms[1], forms[0])] {
        let browser = site.browser();
        for _ in 0..3 {
            let path = format!("/age-refusals?form={counted}");
            browser.post_empty(&path).await.assert_empty();
        }
        let blocked = (
            is_blocked(&browser, counted).await,
            is_blocked(&browser, other).await,
        );
        assert_eq!(blocked, (true, false), "{counted}");
        // The cookie of one form is worth nothing as that of the other.
        browser.set_cookie(to, &browser.cookie(from).unwrap());
        assert!(!is_blocked(&browser, other).await, "{counted}");
        if counted == "migration" {
            assert_registers(&browser, "kim").await;
        }
    }
    assert_refused!(site.browser().get("/age-refusals?form=other"), BadRequest);
}
