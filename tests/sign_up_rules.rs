//! Every rule of a registration, checked by the server.

use account::testing::time_limit::TimeLimit;

use crate::support::prelude::*;

on_both_databases!(
    a_password_of_any_script_and_length_up_to_128_works_as_it_was_typed,
    unknown_keys_change_nothing,
);

on_sqlite!(
    the_server_names_every_broken_rule_at_once,
    a_password_in_another_unicode_normal_form_is_the_same_password,
    a_password_over_the_limit_is_refused_before_hashing,
    common_passwords_are_refused_if_configured,
);

// security: BI-8
async fn the_server_names_every_broken_rule_at_once(site: Site) {
    let expected = [
        ("email", FieldRule::EmailInvalid),
        ("username", FieldRule::MissingField),
        ("password", FieldRule::PasswordTooShort),
        ("country", FieldRule::CountryMissing),
        ("zipcode", FieldRule::ZipcodeInvalid),
        ("birthday", FieldRule::BirthdayInvalid),
    ];
    let empty = json!({
        "email": " ", "username": "", "password": "", "country": "", "zipcode": "",
        "birthday_day": null, "birthday_month": null, "birthday_year": null,
    });
    let mistyped = json!({
        "email": 1, "username": true, "password": ["Lemon-Tree-42"], "country": {"a": 1},
        "zipcode": 90210, "birthday_day": "5", "birthday_month": 7.5, "birthday_year": "1990",
    });
    for form in [json!({}), empty, mistyped] {
        let response = site.browser().post("/register", &form).await;
        response.assert_field_errors(ErrorCode::ValidationFailed, &expected);
    }
    site.assert_count("accounts", 0).await;
}

// security: BI-5, AZ-7
async fn a_password_of_any_script_and_length_up_to_128_works_as_it_was_typed(
    Unlimited(site): Unlimited,
) {
    site.allow_unread_mails();
    let long = format!("Aa1{}", "😀".repeat(125));
    for (n, password) in [" Pä55 wörd  ", "Ab1\u{0}def", &long, "ЖжЖж12"]
        .into_iter()
        .enumerate()
    {
        let (browser, email) = (site.browser(), format!("ada{n}@example.org"));
        let changes = json!({"password": password});
        assert_status!(browser.register(&format!("ada{n}"), &changes), 201);
        let token = site.mail_to(&email).await.token();
        browser.confirm_email(&token).await;
        let prefix: String = password.chars().take(64).collect();
        for twin in [password.trim().to_owned(), password.to_lowercase(), prefix] {
            if twin != password {
                assert_refused!(browser.try_sign_in(&email, &twin), InvalidCredentials);
            }
        }
        let response = browser.try_sign_in(&email, password).await;
        assert_eq!(response.status, 200, "{password:?}");
    }
}

// security: AZ-7
async fn a_password_in_another_unicode_normal_form_is_the_same_password(site: Site) {
    let (browser, email) = (site.browser(), "ada@example.org");
    browser
        .register("ada", &json!({"password": "P\u{e4}ssword1"}))
        .await;
    let token = site.mail_to(email).await.token();
    browser.confirm_email(&token).await;
    assert_ok!(browser.try_sign_in(email, "Pa\u{308}ssword1"));
}

// security: BI-5
async fn a_password_over_the_limit_is_refused_before_hashing(db: Database) {
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            // A hash with this memory would take seconds.
            c.password.memory_kib = 1 << 19;
            c.password.iterations = 8;
        })
        .await;
    let browser = site.browser();
    let started = std::time::Instant::now();
    for length in [129, 1025, 8000] {
        let password = format!("Aa1{}", "x".repeat(length - 3));
        let changes = json!({"password": password});
        let response = browser.register("ada", &changes).await;
        response.assert_invalid_field("password", FieldRule::PasswordTooLong);
        let sign_in = browser.try_sign_in("ada@example.org", &password);
        assert_refused!(sign_in, InvalidCredentials);
    }
    assert!(started.elapsed() < TimeLimit::from_secs(4).get());
}

// security: AZ-4
async fn unknown_keys_change_nothing(site: Site) {
    let extra = json!({
        "email_verified": true, "verified": true, "verified_at": 1, "email_verified_at": 1,
        "role": "admin", "is_admin": true, "id": "1", "user_id": "1", "password_hash": "x",
        "created_at": 1, "first_sign_in_at": 1, "region": "de", "language": "pt",
    });
    let response = site.browser().register("ada", &extra).await;
    response.assert_json(201, &json!({"email": "ada@example.org", "username": "ada"}));
    site.mail_to("ada@example.org").await;
    let row = "accounts WHERE email_verified_at IS NULL AND region = 'us' AND language = 'en' AND created_at = ";
    site.assert_count(&format!("{row}{}", site.now()), 1).await;
}

async fn common_passwords_are_refused_if_configured(db: Database) {
    use account::config::CommonPasswords;
    let advising = db.site().await;
    let refusing = db
        .site_with(|c| c.security.common_passwords = Some(CommonPasswords::Refuse))
        .await;
    for (name, password) in [
        ("ada", "Password1"),
        ("lovelace", "Lovelace77"),
        ("bob", "Account2026"),
    ] {
        let form = form_with(name, &json!({"password": password}));
        let response = refusing.browser().post("/register", &form).await;
        response.assert_invalid_field("password", FieldRule::PasswordCommon);
        assert_status!(advising.browser().post("/register", &form), 201);
    }
    assert_status!(refusing.browser().post("/register", &form("eve")), 201);
    db.allow_unread_mails();
}
