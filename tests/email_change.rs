//! Change of the email address: requested while signed in, confirmed from the new mailbox, undone from
//! the old one.

use account::config::Profile;
use account::testing::error::{ErrorCode, Rule};
use account::testing::i18n::Message;
use serde_json::{Value, json};

use crate::support::actors::{PASSWORD, form_with};
use crate::support::{Answer, Browser, Database, Person, Site};

async fn ask(person: &Person, email: &str) -> Answer {
    person
        .browser
        .post("/change-email", &json!({"email": email}))
        .await
}

async fn confirm(browser: &Browser, token: &str) -> Answer {
    browser
        .get(&format!("/confirm-email-change?token={token}"))
        .await
}

fn sent() -> Value {
    json!({"message": "Email change request sent. Please check your email to confirm."})
}

fn changed(email: &str) -> Value {
    json!({"message": "Email changed successfully!", "email": email})
}

/// A person with a pending change, and the token that was mailed to the new address.
async fn asked(db: &Database) -> (Person, String) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    ask(&ada, "new@example.org").await.is(200, &sent());
    let token = site.mail_to("new@example.org").await.token();
    ada.browser
        .get("/users/me")
        .await
        .is(200, &ada.user().await);
    (ada, token)
}

/// Asserts that the undo is mailed to both addresses. Returns the subject of the mail to the restored one.
async fn assert_undo_mails(site: &Site, back: &str, gone: &str) -> String {
    let mails = site.mails().await;
    let subject = |to: &str| {
        let mut found = mails.iter().filter(|mail| mail.to == to);
        let mail = found.next().unwrap_or_else(|| panic!("a mail to {to}"));
        assert!(found.next().is_none() && !mail.has_token());
        mail.subject.clone()
    };
    assert_eq!(mails.len(), 2);
    subject(gone);
    subject(back)
}

both!(a_used_link_confirms_only_while_its_change_is_in_force);
async fn a_used_link_confirms_only_while_its_change_is_in_force(db: Database) {
    let (ada, first) = asked(&db).await;
    let site = &ada.browser.site;
    let phone = ada.elsewhere();
    let done = changed("new@example.org");
    confirm(&phone, &first).await.is(200, &done);
    let undo = site.mail_to(&ada.email).await.token();
    ask(&ada, "third@example.org").await.is(200, &sent());
    let second = site.mail_to("third@example.org").await.token();
    confirm(&phone, &first).await.is(200, &done);
    let done = changed("third@example.org");
    for _ in 0..2 {
        confirm(&phone, &second).await.is(200, &done);
    }
    site.mail_to("new@example.org").await;
    confirm(&phone, &first)
        .await
        .refuses(ErrorCode::InvalidToken);

    let form = json!({"token": undo});
    let undone = phone.post("/undo-email-change", &form).await;
    assert_eq!(undone.status, 200);
    assert_undo_mails(site, &ada.email, "third@example.org").await;
    for token in [&first, &second] {
        confirm(&phone, token)
            .await
            .refuses(ErrorCode::InvalidToken);
    }
}

both!(a_pending_change_ends_with_a_reset_and_with_a_password_change);
async fn a_pending_change_ends_with_a_reset_and_with_a_password_change(db: Database) {
    let (ada, token) = asked(&db).await;
    let site = &ada.browser.site;
    let form = json!({
        "current_password": PASSWORD, "new_password": "Orange-Tree-43",
        "confirm_password": "Orange-Tree-43",
    });
    assert_eq!(
        ada.browser.post("/change-password", &form).await.status,
        200
    );
    site.mail_to(&ada.email).await;
    confirm(&ada.browser, &token)
        .await
        .refuses(ErrorCode::InvalidToken);

    ask(&ada, "new@example.org").await.is(200, &sent());
    let token = site.mail_to("new@example.org").await.token();
    crate::password_reset::ask(&ada.elsewhere(), &ada.email).await;
    let reset = site.mail_to(&ada.email).await.token();
    let answer = crate::password_reset::confirm(&ada.elsewhere(), &reset, "Third-Tree-44").await;
    assert_eq!(answer.status, 200);
    site.mail_to(&ada.email).await;
    confirm(&ada.browser, &token)
        .await
        .refuses(ErrorCode::InvalidToken);
}

both!(a_newer_request_ends_the_older_one_and_a_link_lasts_an_hour);
// security: TK-12
async fn a_newer_request_ends_the_older_one_and_a_link_lasts_an_hour(db: Database) {
    let (ada, first) = asked(&db).await;
    let site = &ada.browser.site;
    ask(&ada, "other@example.org").await.is(200, &sent());
    let second = site.mail_to("other@example.org").await.token();
    confirm(&ada.browser, &first)
        .await
        .refuses(ErrorCode::InvalidToken);
    site.wait("1h");
    confirm(&ada.browser, &second)
        .await
        .refuses(ErrorCode::InvalidToken);
}

both!(a_link_changes_the_requesting_account_in_any_browser);
// security: AZ-5
async fn a_link_changes_the_requesting_account_in_any_browser(db: Database) {
    let (eve, token) = asked(&db).await;
    let site = &eve.browser.site;
    let victim = site.signed_in("victim").await;
    confirm(&victim.browser, &token)
        .await
        .is(200, &changed("new@example.org"));
    victim
        .browser
        .get("/users/me")
        .await
        .is(200, &victim.user().await);
    eve.browser
        .get("/users/me")
        .await
        .is(200, &eve.user().await);
    site.mail_to(&eve.email).await;
}

both!(the_current_and_a_taken_address_are_refused);
// security: EN-5
async fn the_current_and_a_taken_address_are_refused(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.member("bob").await);
    ask(&ada, "ADA@example.org")
        .await
        .refuses(ErrorCode::EmailUnchanged);
    ask(&ada, &bob.email)
        .await
        .refuses_with(ErrorCode::AccountExists, Message::ErrorEmailTaken);
    for (email, rule) in [("", Rule::EmailMissing), ("bob", Rule::EmailInvalid)] {
        ask(&ada, email).await.breaks(rule);
    }
    let strict = db.site_with(|c| c.security.profile = Profile::Strict).await;
    let ada = Person {
        browser: strict.browser(),
        ..ada
    };
    ada.browser
        .post("/login", &ada.credentials())
        .await
        .refuses(ErrorCode::NewDevice);
    let token = strict.mail_to(&ada.email).await.token();
    ada.browser
        .get(&format!("/confirm-email?token={token}"))
        .await;
    ada.browser
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    ask(&ada, &bob.email).await.is(200, &sent());
    let mail = strict.mail_to(&bob.email).await;
    assert_eq!(mail.subject, "Someone entered your address at localhost");
    assert!(!mail.has_token());
    ask(&ada, "free@example.org").await.is(200, &sent());
    strict.mail_to("free@example.org").await;
}

both!(an_address_that_was_verified_meanwhile_is_a_conflict);
async fn an_address_that_was_verified_meanwhile_is_a_conflict(db: Database) {
    let (ada, token) = asked(&db).await;
    let site = &ada.browser.site;
    let form = form_with("kim", &json!({"email": "new@example.org"}));
    let kim = site.browser();
    assert_eq!(kim.post("/register", &form).await.status, 201);
    let proof = site.mail_to("new@example.org").await.token();
    kim.get(&format!("/confirm-email?token={proof}")).await;
    confirm(&ada.browser, &token)
        .await
        .refuses_with(ErrorCode::AccountExists, Message::ErrorEmailTaken);
    let user = ada.user().await;
    ada.browser.get("/users/me").await.is(200, &user);
}

both!(an_unverified_registration_yields_to_an_address_change);
// security: SE-4
async fn an_unverified_registration_yields_to_an_address_change(db: Database) {
    let (ada, token) = asked(&db).await;
    let site = &ada.browser.site;
    let form = form_with("kim", &json!({"email": "new@example.org"}));
    assert_eq!(site.browser().post("/register", &form).await.status, 201);
    let proof = site.mail_to("new@example.org").await.token();
    let answer = confirm(&ada.browser, &token).await;
    answer.is(200, &changed("new@example.org"));
    let path = format!("/confirm-email?token={proof}");
    site.browser()
        .get(&path)
        .await
        .refuses(ErrorCode::InvalidToken);
    site.mail_to(&ada.email).await;
}

both!(a_head_request_prefetch_or_foreign_site_confirms_no_change);
// security: CS-5
async fn a_head_request_prefetch_or_foreign_site_confirms_no_change(db: Database) {
    let (ada, token) = asked(&db).await;
    let path = format!("/confirm-email-change?token={token}");
    let browser = ada.elsewhere();
    for (name, value) in [
        ("sec-purpose", "prefetch"),
        ("x-moz", "prefetch"),
        ("purpose", "preview"),
    ] {
        let request = browser
            .fetch(axum::http::Method::GET, &path)
            .header(name, value);
        browser.send(request).await.refuses(ErrorCode::CrossSite);
    }
    browser
        .open(&format!("/account/account-api{path}"))
        .await
        .refuses(ErrorCode::CrossSite);
    let head = browser
        .send(browser.fetch(axum::http::Method::HEAD, &path))
        .await;
    assert_eq!(head.status, 405);
    ada.browser
        .get("/users/me")
        .await
        .is(200, &ada.user().await);
}

mod undo_link;

// finding: F5(a)
both!(a_new_request_ends_any_pending_change);
// security: EN-5
async fn a_new_request_ends_any_pending_change(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let name = format!("{profile:?}").to_lowercase();
        let taken = site.member(&format!("{name}taken")).await.email;
        let old = format!("{name}old");
        site.imports(&[crate::old_accounts::old(&old)]).await;
        let targets = [
            format!("{name}free@example.org"),
            taken,
            format!("{old}@example.org"),
        ];
        for (n, target) in targets.iter().enumerate() {
            let ada = site.signed_in(&format!("{name}{n}")).await;
            let own = format!("{name}{n}-new@example.org");
            ask(&ada, &own).await.is(200, &sent());
            let token = site.mail_to(&own).await.token();
            let answer = ask(&ada, target).await;
            if profile == Profile::Strict || n == 0 {
                answer.is(200, &sent());
                site.mail_to(target).await;
            } else {
                answer.refuses_with(ErrorCode::AccountExists, Message::ErrorEmailTaken);
            }
            confirm(&ada.browser, &token)
                .await
                .refuses(ErrorCode::InvalidToken);
        }
    }
}
