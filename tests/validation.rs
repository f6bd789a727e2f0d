//! The table of cases in `testdata/validation.json`, which the tests of the screens also run, sent to the server.

use std::collections::BTreeSet;

use account::testing::domain::email::Email;
use account::testing::domain::zipcode;
use account::testing::i18n::Language;
use serde::Deserialize;

use crate::migration_completion::completion_token;
use crate::old_accounts::{old, old_with};
use crate::support::prelude::*;

const TABLE: &str = include_str!("../testdata/validation.json");

#[derive(Debug, Deserialize)]
struct Case {
    rule: String,
    input: Value,
    today: Option<String>,
    code: Option<String>,
}

fn cases(rules: &[&str]) -> Vec<Case> {
    let all: Vec<Case> = serde_json::from_str(TABLE).unwrap();
    let mine: Vec<_> = all
        .into_iter()
        .filter(|case| rules.contains(&case.rule.as_str()))
        .collect();
    assert!(mine.len() >= rules.len(), "cases of {rules:?}");
    mine
}

#[test]
fn addresses_and_zip_codes_follow_the_table() {
    for case in cases(&["email", "zipcode", "zipcode_us"]) {
        let text = case.input.as_str().unwrap();
        let came = match case.rule.as_str() {
            "email" => Email::parse(text).err(),
            "zipcode" => zipcode::parse(text).err(),
            _ => zipcode::parse_migration(text, account::config::MigrationZip::Us).err(),
        };
        assert_eq!(
            came.map(FieldRule::as_str),
            case.code.as_deref(),
            "{case:?}"
        );
    }
}

/// A row of `testdata/addresses.json`, which the tests of the screens also run.
#[derive(Debug, Deserialize)]
struct AddressCase {
    input: String,
    /// The key of the mailbox. None: the text is no address.
    key: Option<String>,
}

#[test]
fn addresses_of_the_standards_have_the_key_of_their_mailbox() {
    let table: Vec<AddressCase> =
        serde_json::from_str(include_str!("../testdata/addresses.json")).unwrap();
    let wrong: Vec<_> = table
        .iter()
        .filter_map(|case| {
            let key = Email::parse(&case.input).ok();
            let key = key.map(|email| email.key().to_owned());
            (key != case.key).then_some((case, key))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

on_sqlite!(
    registration_follows_the_table,
    new_passwords_follow_the_table,
    sign_in_and_reset_follow_the_table,
    addresses_have_one_rule_on_every_route,
    completion_follows_the_table,
    confirming_a_migration_follows_the_table,
);

// security: BI-6, BI-7, BI-8, BI-9
async fn registration_follows_the_table(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            c.age.registration = 17;
        })
        .await;
    db.allow_unread_mails();
    let noon = now(&site);
    for (n, case) in cases(&[
        "email_registration", "username", "password6", "country", "zipcode", "birthday",
    ])
    .into_iter()
    .enumerate()
    {
        let (field, change) = match case.rule.as_str() {
            "email_registration" => ("email", json!({"email": case.input})),
            "password6" => ("password", json!({"password": case.input})),
            "birthday" => ("birthday", birthday(&case.input)),
            rule => (rule, json!({rule: case.input})),
        };
        set_day(&site, &case, &noon);
        let response = site.browser().register(&format!("n{n}"), &change).await;
        let Some(code) = &case.code else {
            assert!(matches!(response.status.as_u16(), 201 | 409), "{case:?}");
            continue;
        };
        let rule = *FieldRule::ALL
            .iter()
            .find(|rule| rule.as_str() == code)
            .unwrap();
        let error = match rule {
            FieldRule::Underage => ErrorCode::Underage,
            _ => ErrorCode::ValidationFailed,
        };
        response.assert_field_errors(error, &[(field, rule)]);
    }
}

fn now(site: &Site) -> String {
    site.app.clock.now().to_string()
}

/// Sets the clock to noon of the day of this row.
fn set_day(site: &Site, case: &Case, otherwise: &str) {
    let day = case.today.as_ref().map(|day| format!("{day}T12:00:00Z"));
    site.set_clock(day.as_deref().unwrap_or(otherwise));
}

fn birthday(input: &Value) -> Value {
    json!({
        "birthday_day": input["day"], "birthday_month": input["month"],
        "birthday_year": input["year"],
    })
}

/// The broken rule in a response. None if the error is not a rule of the form.
fn broken_rule(response: &Response) -> Option<String> {
    let body = response.json();
    (body["code"] == "validation_failed").then(|| {
        let sentence = body["detail"].as_str().unwrap();
        let rules = FieldRule::ALL
            .iter()
            .map(|rule| (rule.as_str(), rule.message()));
        // A sign-in with a too short password gets the message of wrong credentials.
        let wrong = ErrorCode::InvalidCredentials;
        let mut sentences = rules.chain([(wrong.as_str(), wrong.message())]);
        let found = sentences.find(|(_, message)| message.text(Language::En) == sentence);
        found.unwrap().0.to_owned()
    })
}

// security: BI-8
async fn new_passwords_follow_the_table(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    for case in cases(&["new_password6", "confirmation"]) {
        let (new, confirmation) = match case.input.as_object() {
            None => (case.input.clone(), case.input.clone()),
            Some(both) => (both["password"].clone(), both["confirmation"].clone()),
        };
        let form = json!({
            "current_password": "wrong", "new_password": new, "confirm_password": confirmation,
        });
        let response = ada.browser.post("/change-password", &form).await;
        assert_eq!(broken_rule(&response), case.code, "{case:?}");
    }
}

// security: BI-7, BI-8
async fn sign_in_and_reset_follow_the_table(Unlimited(site): Unlimited) {
    let browser = site.browser();
    for case in cases(&["sign_in", "email_reset", "email_migration"]) {
        let response = match case.rule.as_str() {
            "sign_in" => browser.post("/login", &case.input).await,
            rule => {
                let path = match rule {
                    "email_reset" => "/reset-password",
                    _ => "/migration",
                };
                browser.post(path, &json!({"email": case.input})).await
            }
        };
        assert_eq!(broken_rule(&response), case.code, "{case:?}");
    }
}

// security: BI-7
async fn addresses_have_one_rule_on_every_route(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let (ada, stranger) = (site.signed_in("ada").await, site.browser());
    for (n, case) in cases(&["email"]).into_iter().enumerate() {
        let email = case.input;
        let refused = case.code.is_some();
        let form = form_with(&format!("n{n}"), &json!({"email": email}));
        let with_password = json!({"email": email, "password": PASSWORD});
        let alone = json!({"email": email});
        // At once, because the program pads each response to 50 ms.
        let sent = [
            (&stranger, "/register", &form),
            (&stranger, "/login", &with_password),
            (&stranger, "/reset-password", &alone),
            (&stranger, "/migration", &alone),
            (&stranger, "/resend-verification", &alone),
            (&ada.browser, "/change-email", &alone),
        ]
        .map(|(browser, path, body)| async move { (path, browser.post(path, body).await) });
        for (path, response) in join_all(sent).await {
            assert_eq!(
                response.status == 422,
                refused,
                "{path} {email}: {}",
                response.text()
            );
        }
    }
}

// security: BI-8, BI-9
async fn completion_follows_the_table(Unlimited(site): Unlimited) {
    let nothing = json!({
        "zipcode": null, "birthday_day": null, "birthday_month": null, "birthday_year": null,
    });
    site.import_accounts(&[old_with("ada", &nothing)]).await;
    let token = completion_token(&site, "ada@example.org").await;
    let noon = now(&site);
    for case in cases(&["password_completion", "zipcode_us", "birthday_completion"]) {
        // The missing name makes every form invalid, so the link stays usable.
        let mut form = json!({"token": token, "first_name": ""});
        let field = match case.rule.as_str() {
            "password_completion" => {
                form["password"] = case.input.clone();
                form["confirm_password"] = case.input.clone();
                "password"
            }
            "zipcode_us" => {
                form["zipcode"] = case.input.clone();
                "zipcode"
            }
            _ => {
                // A row without a day is a form that asks for none.
                form["birthday_day"] = case.input.get("day").unwrap_or(&json!(1)).clone();
                form["birthday_month"] = case.input["month"].clone();
                form["birthday_year"] = case.input["year"].clone();
                "birthday"
            }
        };
        set_day(&site, &case, &noon);
        let response = site.browser().post("/migration/complete", &form).await;
        let code = response.json()["fields"][field].as_str().map(str::to_owned);
        assert_eq!(code, case.code, "{case:?}");
    }
}

// security: BI-8
async fn confirming_a_migration_follows_the_table(Unlimited(site): Unlimited) {
    site.import_accounts(&[old("ada")]).await;
    let token = completion_token(&site, "ada@example.org").await;
    for case in cases(&["password8"]) {
        // The confirmation is compared after the rules are checked; a difference keeps the link usable.
        let form = json!({"token": token, "password": case.input, "confirm_password": "other"});
        let response = site.browser().post("/migration/confirm", &form).await;
        let expected = case.code.clone().unwrap_or("passwords_differ".to_owned());
        assert_eq!(broken_rule(&response), Some(expected), "{case:?}");
    }
}

#[test]
fn every_rule_of_the_table_is_tested() {
    let table: Vec<Case> = serde_json::from_str(TABLE).unwrap();
    let rules: BTreeSet<_> = table.iter().map(|case| case.rule.as_str()).collect();
    let run = [
        "birthday", "birthday_completion", "confirmation", "country", "email", "email_migration",
        "email_registration", "email_reset", "new_password6", "password6", "password8",
        "password_completion", "sign_in", "username", "zipcode", "zipcode_us",
    ];
    assert_eq!(rules, BTreeSet::from(run));
}
