//! Registration: the rows that it creates, the input that it refuses, the data that it stores.

use account::testing::error::{ErrorCode, FieldRule};
use serde_json::json;

use crate::support::actors::{PASSWORD, form_with};
use crate::support::{Database, form};

on_both_databases!(registration_verification_sign_in_and_sign_out);
// security: AZ-8, AZ-9
async fn registration_verification_sign_in_and_sign_out(db: Database) {
    let site = db.site().await;
    assert_eq!(site.count("accounts").await, 0);
    let browser = site.browser();
    let me = json!({"email": "Robin@Example.org", "username": "Robin7"});
    let changes = json!({"email": " Robin@Example.org ", "username": "Robin7"});

    let joined = browser.post("/register", &form_with("x", &changes)).await;
    joined.assert_json(201, &me);
    assert!(joined.set_cookie("session").is_none());
    let mail = site.mail_to("Robin@Example.org").await;
    let link = mail.link().strip_prefix("http://localhost:8080").unwrap();
    assert!(link.starts_with("/account/verify-email?token="));
    assert_eq!(browser.open(link).await.status, 200);

    let verified = json!({"code": "email_verified", "message": "Your email has been verified"});
    assert_json!(browser.confirm_email(&mail.token()), 200, &verified);
    let credentials = json!({"email": "robin@example.ORG ", "password": PASSWORD, "app": "wiki"});
    assert_json!(browser.post("/login", &credentials), 200, &me);
    let user = site.user(me["username"].as_str().unwrap()).await;
    browser.get("/users/me").await.assert_json(200, &user);
    browser.post_empty("/logout").await.assert_empty();
    browser.assert_signed_out().await;
}

on_both_databases!(a_taken_address_and_username_are_both_reported);
// security: BI-6
async fn a_taken_address_and_username_are_both_reported(db: Database) {
    let site = db.site().await;
    let robin = site.registered("robin").await.0;
    let browser = site.browser();
    let (email, name) = (
        ("email", FieldRule::AccountExists),
        ("username", FieldRule::UsernameInUse),
    );

    let same = form_with(
        "robin",
        &json!({"username": "ROBIN", "email": "ROBIN@example.org"}),
    );
    let response = browser.post("/register", &same).await;
    response.assert_field_errors(ErrorCode::AccountExists, &[email, name]);
    let other_name = form_with("robin", &json!({"username": "other"}));
    let response = browser.post("/register", &other_name).await;
    response.assert_field_errors(ErrorCode::AccountExists, &[email]);
    let other_email = form_with("robin", &json!({"email": "other@example.org"}));
    let response = browser.post("/register", &other_email).await;
    response.assert_username_in_use();
    assert_eq!(site.count("accounts").await, 1);
    assert_eq!(robin.browser.cookie("session"), None);
}

on_both_databases!(in_profile_strict_a_taken_address_is_mailed_to_its_owner);
// security: EN-9
async fn in_profile_strict_a_taken_address_is_mailed_to_its_owner(db: Database) {
    let site = db.strict_site().await;
    site.registered("robin").await;
    let (known, unknown) = (site.browser(), site.browser());

    let taken = form_with("robin", &json!({"username": "sam"}));
    let known_answer = known.post("/register", &taken).await;
    known_answer.assert_json(
        201,
        &json!({"email": "robin@example.org", "username": "sam"}),
    );
    let mail = site.mail_to("robin@example.org").await;
    assert_eq!(mail.subject, "You already have a localhost account");
    assert!(!mail.has_token());
    assert_eq!(site.count("accounts").await, 1);

    let response = unknown.post("/register", &form("kim")).await;
    response.assert_json(201, &json!({"email": "kim@example.org", "username": "kim"}));
    site.mail_to("kim@example.org").await;
    let names = |response: &crate::support::Response| {
        let mut names: Vec<_> = response.headers.keys().map(|n| n.to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&known_answer), names(&response));
}

on_both_databases!(of_fifty_parallel_registrations_with_one_username_one_succeeds);
async fn of_fifty_parallel_registrations_with_one_username_one_succeeds(db: Database) {
    let site = db.site().await;
    let tries = (0..50).map(|n| {
        let browser = site.browser();
        let form = form_with("robin", &json!({"email": format!("robin{n}@example.org")}));
        async move { browser.post("/register", &form).await }
    });
    let responses = futures_util::future::join_all(tries).await;

    let made: Vec<_> = responses.iter().filter(|a| a.status == 201).collect();
    assert_eq!(made.len(), 1);
    for response in responses.iter().filter(|a| a.status != 201) {
        response.assert_username_in_use();
    }
    assert_eq!(site.count("accounts").await, 1);
    let email = made[0].json()["email"].as_str().unwrap().to_owned();
    site.mail_to(&email).await;
}

on_both_databases!(marketing_consent_is_stored_with_its_time);
async fn marketing_consent_is_stored_with_its_time(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let browser = site.browser();
    for (name, consent) in [
        ("yes", json!(true)),
        ("no", json!(false)),
        ("none", json!(null)),
    ] {
        let form = form_with(name, &json!({"marketing_consent": consent}));
        assert_eq!(browser.post("/register", &form).await.status, 201);
        site.advance("1h");
    }
    let sql = "SELECT username, marketing_consent, marketing_consent_at FROM accounts ORDER BY created_at";
    let kept: Vec<(String, bool, i64)> = site
        .rows(sql, &[])
        .await
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    let hour = 3_600_000;
    let started = site.now() - 3 * hour;
    let expected = [
        ("yes", true, started),
        ("no", false, started + hour),
        ("none", false, started + 2 * hour),
    ];
    assert_eq!(
        kept,
        expected.map(|(name, yes, at)| (name.to_owned(), yes, at))
    );
}

on_both_databases!(the_mail_is_in_the_language_of_the_registration);
async fn the_mail_is_in_the_language_of_the_registration(db: Database) {
    let site = db.site().await;
    for (language, subject) in [
        (
            "de-AT,de;q=0.9,en;q=0.8",
            "Bestätige deine E-Mail-Adresse für localhost",
        ),
        ("es", "Verifica tu correo para localhost"),
        ("pt-BR", "Confirme seu e-mail para localhost"),
        ("xx, *;q=0.1", "Verify your email for localhost"),
    ] {
        let browser = site.browser();
        let request = browser.post_request("/register");
        let request = request.header("accept-language", language);
        let name = format!("sam{}", &language[..2]);
        assert_status!(browser.send_with(request, form(&name).to_string()), 201);
        let mail = site.mail_to(&format!("{name}@example.org")).await;
        assert_eq!(mail.subject, subject);
        let html = format!(
            "<html lang=\"{}\"",
            if &language[..2] == "xx" {
                "en"
            } else {
                &language[..2]
            }
        );
        assert!(mail.html.contains(&html), "{}", mail.html);
    }
}
