//! The completion form: each of its rules, minors, and the result of a valid form.

use account::config::MigrationZip;
use account::testing::error::{ErrorCode, FieldRule, status_of};
use account::testing::i18n::Language;
use account::testing::i18n::Message;
use serde_json::{Value, json};

use crate::old_accounts::{old, old_with};
use crate::support::{Browser, Database, Response, Site};

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

pub(crate) async fn complete(browser: &Browser, token: &str, changes: &Value) -> Response {
    let mut form = completion_form(token);
    for (key, value) in changes.as_object().unwrap() {
        form[key] = value.clone();
    }
    post_form(browser, &form).await
}

async fn post_form(browser: &Browser, form: &Value) -> Response {
    browser.post("/migration/complete", form).await
}

/// The token of a completion link.
pub(crate) async fn completion_token(site: &Site, email: &str) -> String {
    let body = json!({"email": email});
    site.browser().post("/migration", &body).await;
    site.mail_to(email).await.token()
}

/// Imports a legacy account without a zip code. Returns the token of its completion link.
async fn incomplete_account(site: &Site) -> String {
    site.import_accounts(&[old_with("ada", &json!({"zipcode": null, "username": null}))])
        .await;
    completion_token(site, "ada@example.org").await
}

/// Asserts a refusal without fields, whose message is under `error` in this form.
#[track_caller]
fn assert_form_error(response: &Response, code: ErrorCode, sentence: impl Into<Message>) {
    let detail = json!({"error": sentence.into().text(Language::En)});
    response.assert_json(
        status_of(code).as_u16(),
        &json!({"code": code, "detail": detail}),
    );
}

on_both_databases!(a_valid_form_migrates_the_account);
async fn a_valid_form_migrates_the_account(db: Database) {
    let site = db.site().await;
    let token = incomplete_account(&site).await;
    let browser = site.browser();
    let me = json!({"email": "ada@example.org", "username": "AdaLovelace"});
    let response = complete(&browser, &token, &json!({})).await;
    response.assert_json(200, &me);
    assert!(response.set_cookie("session").is_none());
    let sql = "SELECT country, zipcode, birthday, last_name, marketing_consent FROM accounts";
    let row = &site.rows(sql, &[]).await[0];
    let text = |at| row.get::<String>(at);
    assert_eq!((text(0), text(1)), ("us".into(), "90210-1234".into()));
    assert_eq!((text(2), text(3)), ("1990-12-10".into(), "Lovelace".into()));
    assert!(row.get::<bool>(4));
    let record = &site
        .rows("SELECT consent, text_version, language FROM consents", &[])
        .await[0];
    assert_eq!((record.get(0), record.get(1)), (true, 1));
    assert_eq!(record.get::<String>(2), "en");
    let login = json!({"email": "ada@example.org", "password": NEW_PASSWORD});
    browser.post("/login", &login).await.assert_json(200, &me);
    let again = complete(&browser, &token, &json!({})).await;
    assert_form_error(
        &again,
        ErrorCode::InvalidToken,
        Message::ErrorMigrationLinkInvalid,
    );
}

on_both_databases!(each_field_has_its_message_and_the_link_stays_valid);
async fn each_field_has_its_message_and_the_link_stays_valid(db: Database) {
    use FieldRule::{
        BirthdayInvalid, CountryMissing, MissingField, PasswordsDiffer, ValidationFailed,
        ZipcodeInvalid,
    };

    let site = db.site_without_limits().await;
    let token = incomplete_account(&site).await;
    let browser = site.browser();
    let long = "x".repeat(101);
    for (changes, field, rule) in [
        (json!({"country": "xx"}), "country", CountryMissing),
        (json!({"country": null}), "country", CountryMissing),
        (json!({"first_name": "  "}), "first_name", MissingField),
        (json!({"last_name": null}), "last_name", MissingField),
        (json!({"last_name": long}), "last_name", ValidationFailed),
        (
            json!({"first_name": "A\nB"}),
            "first_name",
            ValidationFailed,
        ),
        (
            json!({"first_name": "\u{202e}evil"}),
            "first_name",
            ValidationFailed,
        ),
        (
            json!({"last_name": "\u{200b}\u{3164}"}),
            "last_name",
            MissingField,
        ),
        (
            json!({"birthday_day": 31, "birthday_month": 2}),
            "birthday",
            BirthdayInvalid,
        ),
        (json!({"birthday_day": "1"}), "birthday", BirthdayInvalid),
        (json!({"zipcode": "1234"}), "zipcode", ZipcodeInvalid),
        (
            json!({"confirm_password": "x"}),
            "password",
            PasswordsDiffer,
        ),
    ] {
        let response = complete(&browser, &token, &changes).await;
        response.assert_invalid_field(field, rule);
    }
    assert_eq!(site.count("accounts").await, 0);
    assert_eq!(complete(&browser, &token, &json!({})).await.status, 200);
}

on_both_databases!(an_empty_form_names_every_field_at_once);
async fn an_empty_form_names_every_field_at_once(db: Database) {
    let site = db.site().await;
    let token = incomplete_account(&site).await;
    let form = json!({"token": token, "first_name": ""});
    let response = post_form(&site.browser(), &form).await;
    response.assert_field_errors(
        ErrorCode::ValidationFailed,
        &[
            ("country", FieldRule::CountryMissing),
            ("first_name", FieldRule::MissingField),
            ("last_name", FieldRule::MissingField),
            ("birthday", FieldRule::BirthdayInvalid),
            ("zipcode", FieldRule::ZipcodeInvalid),
            ("password", FieldRule::PasswordCriteria),
        ],
    );
}

on_both_databases!(a_form_without_a_link_is_refused_with_the_specified_message);
async fn a_form_without_a_link_is_refused_with_the_specified_message(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("kim")]).await;
    let migration = completion_token(&site, "kim@example.org").await;
    for token in ["", "x", &migration] {
        let response = complete(&site.browser(), token, &json!({})).await;
        assert_form_error(
            &response,
            ErrorCode::InvalidToken,
            Message::ErrorMigrationLinkInvalid,
        );
    }
}

on_both_databases!(zip_codes_follow_the_region);
async fn zip_codes_follow_the_region(db: Database) {
    let site = db
        .site_with(|c| c.regions[0].migration_zip = MigrationZip::Any)
        .await;
    let token = incomplete_account(&site).await;
    let response = complete(&site.browser(), &token, &json!({"zipcode": "SW1A 1AA"})).await;
    assert_eq!(response.status, 200);
}

on_both_databases!(after_three_under_age_attempts_a_browser_is_refused);
async fn after_three_under_age_attempts_a_browser_is_refused(db: Database) {
    let site = db.site().await;
    let token = incomplete_account(&site).await;
    let (browser, other) = (site.browser(), site.browser());
    // The form asks for the day, so the age counts from the day and not from the first of the month.
    let minor = json!({"birthday_year": 2008, "birthday_month": 11, "birthday_day": 30});
    for _ in 0..3 {
        let response = complete(&browser, &token, &minor).await;
        response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
    }
    let response = complete(&browser, &token, &json!({})).await;
    assert_form_error(
        &response,
        ErrorCode::TooManyAttempts,
        ErrorCode::TooManyAttempts,
    );
    assert_eq!(
        site.legacy_timestamp("refused_at", "ada@example.org").await,
        Some(site.now())
    );
    assert_eq!(site.count("accounts").await, 0);
    // No input of the minor is stored.
    let sql = "SELECT birthday_year FROM legacy_accounts";
    assert_eq!(
        site.rows(sql, &[]).await[0].get::<Option<i64>>(0),
        Some(1990)
    );
    let adult = json!({"birthday_year": 2008, "birthday_month": 11, "birthday_day": 1});
    assert_eq!(complete(&other, &token, &adult).await.status, 200);
}

on_both_databases!(the_birthday_of_the_legacy_account_is_checked_too);
async fn the_birthday_of_the_legacy_account_is_checked_too(db: Database) {
    let site = db.site().await;
    let kid = json!({"birthday_year": 2012, "zipcode": null});
    site.import_accounts(&[old_with("kid", &kid)]).await;
    let token = completion_token(&site, "kid@example.org").await;
    let response = complete(&site.browser(), &token, &json!({})).await;
    response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
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

on_both_databases!(the_short_form_has_its_own_rules);
async fn the_short_form_has_its_own_rules(db: Database) {
    let site = db.site_without_limits().await;
    let token = incomplete_account(&site).await;
    let browser = site.browser();
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
        let mut form = short_form(&token);
        form[key] = value;
        let response = post_form(&browser, &form).await;
        let field = key.split('_').next().unwrap();
        response.assert_invalid_field(field, rule);
    }
    let response = post_form(&browser, &short_form(&token)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let sql = "SELECT country, zipcode, birthday FROM accounts";
    let row = &site.rows(sql, &[]).await[0];
    let text = |at| row.get::<String>(at);
    assert_eq!((text(0), text(1)), ("gb".into(), "SW1A 1AA".into()));
    assert_eq!(text(2), "2008-11-01");
}

on_both_databases!(one_key_of_the_full_form_selects_its_rules);
async fn one_key_of_the_full_form_selects_its_rules(db: Database) {
    let site = db.site_without_limits().await;
    let token = incomplete_account(&site).await;
    for key in ["first_name", "last_name", "birthday_day"] {
        let mut form = short_form(&token);
        form[key] = json!("");
        let response = post_form(&site.browser(), &form).await;
        let expected = [
            ("first_name", FieldRule::MissingField),
            ("last_name", FieldRule::MissingField),
            ("birthday", FieldRule::BirthdayInvalid),
            ("zipcode", FieldRule::ZipcodeInvalid),
            ("password", FieldRule::PasswordCriteria),
        ];
        response.assert_field_errors(ErrorCode::ValidationFailed, &expected);
    }
}

on_both_databases!(the_short_form_counts_the_age_from_the_first_of_the_month);
async fn the_short_form_counts_the_age_from_the_first_of_the_month(db: Database) {
    let site = db.site().await;
    let token = incomplete_account(&site).await;
    let browser = site.browser();
    let mut form = short_form(&token);
    form["birthday_month"] = json!(12);
    let response = post_form(&browser, &form).await;
    response.assert_field_errors(ErrorCode::Underage, &[("birthday", FieldRule::Underage)]);
    let response = post_form(&browser, &short_form(&token)).await;
    assert_eq!(response.status, 200);
}

on_both_databases!(the_short_form_keeps_the_day_and_names_of_the_legacy_account);
async fn the_short_form_keeps_the_day_and_names_of_the_legacy_account(db: Database) {
    let site = db.site().await;
    let known = json!({"zipcode": null, "first_name": "Ada", "birthday_day": 21,
        "birthday_month": 11, "birthday_year": 2008});
    site.import_accounts(&[old_with("ada", &known)]).await;
    let token = completion_token(&site, "ada@example.org").await;
    let response = post_form(&site.browser(), &short_form(&token)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let sql = "SELECT birthday, first_name FROM accounts";
    let row = &site.rows(sql, &[]).await[0];
    let text = |at| row.get::<String>(at);
    assert_eq!((text(0), text(1)), ("2008-11-21".into(), "Ada".into()));
}
