//! The completion form: each of its rules, minors, and the result of a valid form.

use account::config::MigrationZip;
use account::testing::error::status_of;
use account::testing::i18n::Language;

use crate::old_accounts::{old, old_with};
use crate::support::fixture::Fixture;
use crate::support::prelude::*;

const NEW_PASSWORD: &str = "Orange-Tree-42";

fn completion_form(token: &str) -> Value {
    json!({
        "token": token,
        "first_name": "Ada",
        "last_name": "Lovelace",
        "country": "us",
        "birthday_day": 10,
        "birthday_month": 12,
        "birthday_year": 1990,
        "zipcode": "90210-1234",
        "password": NEW_PASSWORD,
        "confirm_password": NEW_PASSWORD,
        "marketing_consent": true,
    })
}

/// The payload of the short form: no names and no day.
fn short_form(token: &str) -> Value {
    json!({
        "token": token,
        "password": "Lemon1",
        "confirm_password": "Lemon1",
        "country": "gb",
        "birthday_month": 11,
        "birthday_year": 2008,
        "zipcode": "SW1A 1AA",
        "marketing_consent": false,
    })
}

/// Posts a form with some fields changed.
async fn post_changed(browser: &Browser, mut form: Value, changes: &Value) -> Response {
    for (key, value) in changes.as_object().unwrap() {
        form[key] = value.clone();
    }
    browser.post("/migration/complete", &form).await
}

pub async fn complete(browser: &Browser, token: &str, changes: &Value) -> Response {
    post_changed(browser, completion_form(token), changes).await
}

async fn complete_short(browser: &Browser, token: &str, changes: &Value) -> Response {
    post_changed(browser, short_form(token), changes).await
}

/// The token of a completion link.
pub async fn completion_token(site: &Site, email: &str) -> String {
    let body = json!({"email": email});
    site.browser().post("/migration", &body).await;
    site.mail_to(email).await.token()
}

/// A site with a legacy account without a zip code, a browser, and the token of the account's completion link.
struct Incomplete(Site, Browser, String);

impl Incomplete {
    async fn at(site: Site) -> Incomplete {
        let missing = json!({"zipcode": null, "username": null});
        site.import_accounts(&[old_with("ada", &missing)]).await;
        let token = completion_token(&site, "ada@example.org").await;
        let browser = site.browser();
        Incomplete(site, browser, token)
    }
}

impl Fixture for Incomplete {
    async fn of(db: &Database) -> Incomplete {
        Incomplete::at(db.site().await).await
    }
}

#[track_caller]
fn assert_underage(response: &Response) {
    response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
}

/// Asserts a refusal without fields, whose message is under `error` in this form.
#[track_caller]
fn assert_form_error(response: &Response, code: ErrorCode, sentence: impl Into<Message>) {
    let detail = json!({"error": sentence.into().text(Language::En)});
    let body = json!({"code": code, "detail": detail});
    response.assert_json(status_of(code).as_u16(), &body);
}

on_both_databases!(
    a_valid_form_migrates_the_account,
    after_three_under_age_attempts_a_browser_is_refused,
    the_birthday_of_the_legacy_account_is_checked_too,
    the_short_form_has_its_own_rules,
    the_short_form_keeps_the_day_and_names_of_the_legacy_account,
);

// The rules are checked before the database is changed.
on_sqlite!(
    each_field_has_its_message_and_the_link_stays_valid,
    every_missing_field_is_named_at_once,
    a_form_without_a_link_is_refused_with_the_specified_message,
    zip_codes_follow_the_region,
);

async fn a_valid_form_migrates_the_account(Incomplete(site, browser, token): Incomplete) {
    let me = json!({"email": "ada@example.org", "username": "AdaLovelace"});
    let response = complete(&browser, &token, &json!({})).await;
    response.assert_json(200, &me);
    assert!(response.set_cookie("session").is_none());
    for row in [
        "accounts WHERE country = 'us' AND zipcode = '90210-1234' AND birthday = '1990-12-10'
           AND last_name = 'Lovelace' AND marketing_consent = 1",
        "consents WHERE consent = 1 AND text_version = 1 AND language = 'en'",
    ] {
        site.assert_count(row, 1).await;
    }
    assert_json!(
        browser.try_sign_in("ada@example.org", NEW_PASSWORD),
        200,
        &me
    );
    let again = complete(&browser, &token, &json!({})).await;
    let invalid = Message::ErrorMigrationLinkInvalid;
    assert_form_error(&again, ErrorCode::InvalidToken, invalid);
}

async fn each_field_has_its_message_and_the_link_stays_valid(db: Database) {
    use FieldRule::{
        BirthdayInvalid, CountryMissing, MissingField, PasswordsDiffer, ValidationFailed,
        ZipcodeInvalid,
    };

    let Incomplete(site, browser, token) = Incomplete::at(db.site_without_limits().await).await;
    let long = "x".repeat(101);
    for (key, value, rule) in [
        ("country", json!("xx"), CountryMissing),
        ("country", json!(null), CountryMissing),
        ("first_name", json!("  "), MissingField),
        ("last_name", json!(null), MissingField),
        ("last_name", json!(long), ValidationFailed),
        ("first_name", json!("A\nB"), ValidationFailed),
        ("first_name", json!("\u{202e}evil"), ValidationFailed),
        ("last_name", json!("\u{200b}\u{3164}"), MissingField),
        ("birthday_day", json!(32), BirthdayInvalid),
        ("birthday_day", json!("1"), BirthdayInvalid),
        ("zipcode", json!("1234"), ZipcodeInvalid),
        ("confirm_password", json!("x"), PasswordsDiffer),
    ] {
        let field = match key {
            "birthday_day" => "birthday",
            "confirm_password" => "password",
            key => key,
        };
        let response = complete(&browser, &token, &json!({key: value})).await;
        response.assert_invalid_field(field, rule);
    }
    site.assert_count("accounts", 0).await;
    assert_ok!(complete(&browser, &token, &json!({})));
}

async fn every_missing_field_is_named_at_once(db: Database) {
    let Incomplete(_, browser, token) = Incomplete::at(db.site_without_limits().await).await;
    let missing = [
        ("country", FieldRule::CountryMissing),
        ("first_name", FieldRule::MissingField),
        ("last_name", FieldRule::MissingField),
        ("birthday", FieldRule::BirthdayInvalid),
        ("zipcode", FieldRule::ZipcodeInvalid),
        ("password", FieldRule::PasswordCriteria),
    ];
    let empty = json!({"token": token});
    let response = post_changed(&browser, empty, &json!({"first_name": ""})).await;
    response.assert_field_errors(ErrorCode::ValidationFailed, &missing);
    // One key of the full form selects its rules, and the short form has a country.
    for key in ["first_name", "last_name", "birthday_day"] {
        let response = complete_short(&browser, &token, &json!({key: ""})).await;
        response.assert_field_errors(ErrorCode::ValidationFailed, &missing[1..]);
    }
}

async fn a_form_without_a_link_is_refused_with_the_specified_message(site: Site) {
    site.import_accounts(&[old("kim")]).await;
    let migration = completion_token(&site, "kim@example.org").await;
    for token in ["", "x", &migration] {
        let response = complete(&site.browser(), token, &json!({})).await;
        let invalid = Message::ErrorMigrationLinkInvalid;
        assert_form_error(&response, ErrorCode::InvalidToken, invalid);
    }
}

async fn zip_codes_follow_the_region(db: Database) {
    let site = db
        .site_with(|c| c.regions[0].migration_zip = MigrationZip::Any)
        .await;
    let Incomplete(_, browser, token) = Incomplete::at(site).await;
    assert_ok!(complete(&browser, &token, &json!({"zipcode": "SW1A 1AA"})));
}

async fn after_three_under_age_attempts_a_browser_is_refused(
    Incomplete(site, browser, token): Incomplete,
) {
    // The form asks for the day, so the age counts from the day and not from the first of the month.
    let born = |day: u8| json!({"birthday_year": 2008, "birthday_month": 11, "birthday_day": day});
    for _ in 0..3 {
        assert_underage(&complete(&browser, &token, &born(30)).await);
    }
    let response = complete(&browser, &token, &json!({})).await;
    let too_many = ErrorCode::TooManyAttempts;
    assert_form_error(&response, too_many, too_many);
    let refused_at = site.legacy_timestamp("refused_at", "ada@example.org").await;
    assert_eq!(refused_at, Some(site.now()));
    site.assert_count("accounts", 0).await;
    // No input of the minor is stored.
    site.assert_count("legacy_accounts WHERE birthday_year = 1990", 1)
        .await;
    assert_ok!(complete(&site.browser(), &token, &born(1)));
}

async fn the_birthday_of_the_legacy_account_is_checked_too(site: Site) {
    let kid = json!({"birthday_year": 2012, "zipcode": null});
    site.import_accounts(&[old_with("kid", &kid)]).await;
    let token = completion_token(&site, "kid@example.org").await;
    assert_underage(&complete(&site.browser(), &token, &json!({})).await);
}

async fn the_short_form_has_its_own_rules(Unlimited(site): Unlimited) {
    let Incomplete(site, browser, token) = Incomplete::at(site).await;
    for (key, value, rule) in [
        ("country", json!(""), FieldRule::CountryMissing),
        ("zipcode", json!("1"), FieldRule::ZipcodeInvalid),
        ("zipcode", json!("1234567890123"), FieldRule::ZipcodeInvalid),
        ("birthday_month", json!(13), FieldRule::BirthdayInvalid),
        ("birthday_year", json!(null), FieldRule::BirthdayInvalid),
        ("password", json!(""), FieldRule::PasswordMissing),
        ("password", json!("Lem1o"), FieldRule::PasswordTooShort),
        ("password", json!("lemon1"), FieldRule::PasswordUppercase),
        ("password", json!("LEMON1"), FieldRule::PasswordLowercase),
        ("password", json!("Lemons"), FieldRule::PasswordDigit),
        ("password", json!("Lemon2"), FieldRule::PasswordsDiffer),
    ] {
        let response = complete_short(&browser, &token, &json!({key: value})).await;
        let field = key.split('_').next().unwrap();
        response.assert_invalid_field(field, rule);
    }
    // The age counts from the first of the month.
    let minor = json!({"birthday_month": 12});
    assert_underage(&complete_short(&browser, &token, &minor).await);
    assert_ok!(complete_short(&browser, &token, &json!({})));
    let row = "accounts WHERE country = 'gb' AND zipcode = 'SW1A 1AA' AND birthday = '2008-11-01'";
    site.assert_count(row, 1).await;
}

async fn the_short_form_keeps_the_day_and_names_of_the_legacy_account(site: Site) {
    let known = json!({"zipcode": null, "first_name": "Ada", "birthday_day": 21,
        "birthday_month": 11, "birthday_year": 2008});
    site.import_accounts(&[old_with("ada", &known)]).await;
    let token = completion_token(&site, "ada@example.org").await;
    assert_ok!(complete_short(&site.browser(), &token, &json!({})));
    site.assert_count(
        "accounts WHERE birthday = '2008-11-21' AND first_name = 'Ada'",
        1,
    )
    .await;
}
