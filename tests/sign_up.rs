//! Registration: the rows that it creates, the input that it refuses, the data that it stores.

use crate::support::prelude::*;

on_both_databases!(
    registration_verification_sign_in_and_sign_out,
    a_taken_address_and_username_are_both_reported,
    in_profile_strict_a_taken_address_is_mailed_to_its_owner,
    of_fifty_parallel_registrations_with_one_username_one_succeeds,
);

on_sqlite!(the_mail_is_in_the_language_of_the_registration);

// security: AZ-8, AZ-9
async fn registration_verification_sign_in_and_sign_out(site: Site) {
    site.assert_count("accounts", 0).await;
    let browser = site.browser();
    let me = json!({"email": "Robin@Example.org", "username": "Robin7"});
    let changes = json!({"email": " Robin@Example.org ", "username": "Robin7"});

    let joined = browser.register("x", &changes).await;
    joined.assert_json(201, &me);
    assert!(joined.set_cookie("session").is_none());
    let mail = site.mail_to("Robin@Example.org").await;
    let link = mail.link().strip_prefix("http://localhost:8080").unwrap();
    assert!(link.starts_with("/account/verify-email?token="));
    assert_ok!(browser.open(link));

    let verified = json!({"code": "email_verified", "message": "Your email has been verified"});
    assert_json!(browser.confirm_email(&mail.token()), 200, &verified);
    let credentials = json!({"email": "robin@example.ORG ", "password": PASSWORD, "app": "wiki"});
    assert_json!(browser.post("/login", &credentials), 200, &me);
    let user = site.user(me["username"].as_str().unwrap()).await;
    browser.get("/users/me").await.assert_json(200, &user);
    browser.post_empty("/logout").await.assert_empty();
    browser.assert_signed_out().await;
}

// security: BI-6
async fn a_taken_address_and_username_are_both_reported(site: Site) {
    let robin = site.registered("robin").await.0;
    let browser = site.browser();
    let email = ("email", FieldRule::AccountExists);
    let name = ("username", FieldRule::UsernameInUse);
    let (exists, in_use) = (ErrorCode::AccountExists, ErrorCode::UsernameInUse);
    for (changes, code, fields) in [
        (
            json!({"username": "ROBIN", "email": "ROBIN@example.org"}),
            exists,
            &[email, name][..],
        ),
        (json!({"username": "other"}), exists, &[email]),
        (json!({"email": "other@example.org"}), in_use, &[name]),
    ] {
        let response = browser.register("robin", &changes).await;
        response.assert_field_errors(code, fields);
    }
    site.assert_count("accounts", 1).await;
    assert_eq!(robin.browser.cookie("session"), None);
}

// security: EN-9
async fn in_profile_strict_a_taken_address_is_mailed_to_its_owner(db: Database) {
    let site = db.strict_site().await;
    let robin = site.registered("robin").await.0;
    let mut names = Vec::new();
    for (username, email, subject) in [
        ("sam", &*robin.email, "You already have a localhost account"),
        ("kim", "kim@example.org", "Verify your email for localhost"),
    ] {
        let response = site
            .browser()
            .register(username, &json!({"email": email}))
            .await;
        response.assert_json(201, &json!({"email": email, "username": username}));
        let mail = site.mail_to(email).await;
        assert_eq!(mail.subject, subject);
        assert_eq!(mail.has_token(), username == "kim");
        let mut seen: Vec<_> = response.headers.keys().map(|n| n.to_string()).collect();
        seen.sort();
        names.push(seen);
    }
    site.assert_count("accounts", 2).await;
    assert_eq!(names[0], names[1]);
}

async fn of_fifty_parallel_registrations_with_one_username_one_succeeds(site: Site) {
    let tries = (0..50).map(|n| {
        let browser = site.browser();
        let changes = json!({"email": format!("robin{n}@example.org")});
        async move { browser.register("robin", &changes).await }
    });
    let mut responses = join_all(tries).await;
    responses.sort_by_key(|response| response.status);
    responses[0].assert_status(201);
    for response in &responses[1..] {
        response.assert_username_in_use();
    }
    site.assert_count("accounts", 1).await;
    let body = responses[0].json();
    site.mail_to(body["email"].as_str().unwrap()).await;
}

async fn the_mail_is_in_the_language_of_the_registration(site: Site) {
    for (accepted, language, subject) in [
        (
            "de-AT,de;q=0.9,en;q=0.8",
            "de",
            "Bestätige deine E-Mail-Adresse für localhost",
        ),
        ("es", "es", "Verifica tu correo para localhost"),
        ("pt-BR", "pt", "Confirme seu e-mail para localhost"),
        ("xx, *;q=0.1", "en", "Verify your email for localhost"),
    ] {
        let browser = site.browser();
        let request = browser
            .post_request("/register")
            .header("accept-language", accepted);
        let name = format!("sam{language}");
        assert_status!(browser.send_with(request, form(&name).to_string()), 201);
        let mail = site.mail_to(&format!("{name}@example.org")).await;
        assert_eq!(mail.subject, subject);
        let html = format!("<html lang=\"{language}\"");
        assert!(mail.html.contains(&html), "{}", mail.html);
    }
}
