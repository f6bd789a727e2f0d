//! Change of the email address: requested while signed in, confirmed from the new mailbox, undone from
//! the old one.

use account::config::Profile;
use account::testing::error::{ErrorCode, FieldRule};
use account::testing::i18n::Message;
use serde_json::{Value, json};

use crate::password_change::change_password;
use crate::support::actors::{PASSWORD, form_with};
use crate::support::{Browser, Database, Person, Response};

async fn confirm(browser: &Browser, token: &str) -> Response {
    browser.confirm_email_change(token).await
}

/// Changes the address of the session, and confirms it with the link in the new mailbox.
pub(crate) async fn change_email(browser: &Browser, new: &str) {
    assert_status!(browser.request_email_change(new), 200);
    let token = browser.site.mail_to(new).await.token();
    assert_status!(browser.confirm_email_change(&token), 200);
}

fn sent_body() -> Value {
    json!({"message": "Email change request sent. Please check your email to confirm."})
}

fn changed_body(email: &str) -> Value {
    json!({"message": "Email changed successfully!", "email": email})
}

/// Requests the change, which mails a link to this address.
async fn mail_change_link(person: &Person, email: &str) {
    let response = person.browser.request_email_change(email).await;
    response.assert_json(200, &sent_body());
}

/// Opens the mailed link, which changes the address to this one.
async fn confirm_change(browser: &Browser, token: &str, email: &str) {
    assert_json!(confirm(browser, token), 200, &changed_body(email));
}

/// A person with a pending change, and the token that was mailed to the new address.
async fn person_with_pending_change(db: &Database) -> (Person, String) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    mail_change_link(&ada, "new@example.org").await;
    let token = site.mail_to("new@example.org").await.token();
    ada.assert_signed_in(&ada.browser).await;
    (ada, token)
}

/// Asserts that the undo of a change is mailed to both addresses. The mail to the one that lost the account, which
/// may be a stranger's, does not contain the username.
async fn assert_undo_mails(person: &Person, gone: &str) {
    let mut mails = person.browser.site.mails().await;
    mails.sort_by_key(|mail| mail.to == gone);
    let seen: Vec<_> = mails.iter().map(|m| (&*m.to, &*m.subject)).collect();
    let back = "Your localhost account is back at this address";
    let no_longer = "An account at localhost no longer uses this address";
    assert_eq!(seen, [(&*person.email, back), (gone, no_longer)]);
    assert!(mails.iter().all(|mail| !mail.has_token()));
    assert!(!mails[1].text.contains(&person.name));
}

on_both_databases!(another_spelling_of_the_own_address_is_a_change);
async fn another_spelling_of_the_own_address_is_a_change(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let respelled = "Ada@Example.ORG";
    assert_refused!(ada.browser.request_email_change(&ada.email), EmailUnchanged);
    mail_change_link(&ada, respelled).await;
    let token = site.mail_to(respelled).await.token();
    confirm_change(&ada.browser, &token, respelled).await;
    let undo = site.mail_to(&ada.email).await.token();
    assert_eq!(ada.user().await["email"], respelled);
    assert_status!(ada.new_browser().undo_email_change(&undo), 200);
    assert_eq!(ada.user().await["email"], ada.email);
    assert_undo_mails(&ada, respelled).await;
}

on_both_databases!(only_the_verified_mailbox_is_greeted_by_username);
async fn only_the_verified_mailbox_is_greeted_by_username(db: Database) {
    let site = db.site().await;
    let ada = site.person("ada");
    let form = form_with("ada", &json!({}));
    assert_status!(ada.browser.post("/register", &form), 201);
    let verification = site.mail_to(&ada.email).await;
    let token = verification.token();
    assert_eq!(ada.browser.confirm_email(&token).await.status, 200);
    ada.sign_in(&ada.browser).await;
    mail_change_link(&ada, "new@example.org").await;
    let confirmation = site.mail_to("new@example.org").await;
    let token = confirmation.token();
    confirm_change(&ada.browser, &token, "new@example.org").await;
    let to_former = site.mail_to(&ada.email).await;
    for mail in [verification, confirmation, to_former] {
        assert!(mail.text.starts_with("Hi there,"), "{}", mail.text);
    }
    assert_status!(change_password(&ada.browser, PASSWORD, "Another-1"), 200);
    for mail in site.mails().await {
        let greeting = match mail.to.as_str() {
            "new@example.org" => "Hi ada,",
            _ => "Hi there,",
        };
        assert!(mail.text.starts_with(greeting), "{}", mail.text);
    }
}

on_both_databases!(a_request_that_the_database_fails_does_not_end_the_pending_link);
async fn a_request_that_the_database_fails_does_not_end_the_pending_link(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let rename = async |from: &str, to: &str| {
        let sql = format!("ALTER TABLE {from} RENAME TO {to}");
        site.execute(&sql, &[]).await;
    };
    rename("legacy_accounts", "away").await;
    assert_status!(ada.browser.request_email_change("other@example.org"), 500);
    rename("away", "legacy_accounts").await;
    let done = changed_body("new@example.org");
    confirm(&ada.browser, &token).await.assert_json(200, &done);
    site.mail_to(&ada.email).await;
}

on_both_databases!(a_used_link_confirms_only_while_its_change_is_in_force);
async fn a_used_link_confirms_only_while_its_change_is_in_force(db: Database) {
    let (ada, first) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let phone = ada.new_browser();
    let done = changed_body("new@example.org");
    confirm(&phone, &first).await.assert_json(200, &done);
    let undo = site.mail_to(&ada.email).await.token();
    mail_change_link(&ada, "third@example.org").await;
    let second = site.mail_to("third@example.org").await.token();
    confirm(&phone, &first).await.assert_json(200, &done);
    let done = changed_body("third@example.org");
    for _ in 0..2 {
        confirm(&phone, &second).await.assert_json(200, &done);
    }
    site.mail_to("new@example.org").await;
    assert_refused!(confirm(&phone, &first), InvalidToken);

    assert_status!(phone.undo_email_change(&undo), 200);
    assert_undo_mails(&ada, "third@example.org").await;
    for token in [&first, &second] {
        assert_refused!(confirm(&phone, token), InvalidToken);
    }
}

on_both_databases!(a_pending_change_ends_with_a_reset_and_with_a_password_change);
async fn a_pending_change_ends_with_a_reset_and_with_a_password_change(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let changed = change_password(&ada.browser, PASSWORD, "Orange-Tree-43");
    assert_status!(changed, 200);
    site.mail_to(&ada.email).await;
    pending::assert_pending(&ada.browser, None).await;
    assert_refused!(confirm(&ada.browser, &token), InvalidToken);

    mail_change_link(&ada, "new@example.org").await;
    let token = site.mail_to("new@example.org").await.token();
    ada.new_browser().request_reset(&ada.email).await;
    let reset = site.mail_to(&ada.email).await.token();
    let response =
        crate::password_reset::confirm_reset(&ada.new_browser(), &reset, "Third-Tree-44").await;
    assert_eq!(response.status, 200);
    site.mail_to(&ada.email).await;
    assert_refused!(confirm(&ada.browser, &token), InvalidToken);
}

on_both_databases!(a_link_changes_the_requesting_account_in_any_browser);
// security: AZ-5
async fn a_link_changes_the_requesting_account_in_any_browser(db: Database) {
    let (eve, token) = person_with_pending_change(&db).await;
    let site = &eve.browser.site;
    let victim = site.signed_in("victim").await;
    confirm_change(&victim.browser, &token, "new@example.org").await;
    victim.assert_signed_in(&victim.browser).await;
    eve.assert_signed_in(&eve.browser).await;
    site.mail_to(&eve.email).await;
}

on_both_databases!(the_current_and_a_taken_address_are_refused);
// security: EN-5
async fn the_current_and_a_taken_address_are_refused(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.member("bob").await);
    assert_refused!(
        ada.browser.request_email_change(" ada@example.org\u{200b}"),
        EmailUnchanged
    );
    ada.browser
        .request_email_change(&bob.email)
        .await
        .assert_error_with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
    for (email, rule) in [
        ("", FieldRule::EmailMissing),
        ("bob", FieldRule::EmailInvalid),
    ] {
        let response = ada.browser.request_email_change(email).await;
        response.assert_broken_rule(rule);
    }
    let strict = db.strict_site().await;
    let ada = Person {
        browser: strict.browser(),
        ..ada
    };
    ada.assert_needs_approval(&ada.browser).await;
    let token = strict.mail_to(&ada.email).await.token();
    ada.browser.confirm_email(&token).await;
    ada.sign_in(&ada.browser).await;
    mail_change_link(&ada, &bob.email).await;
    let mail = strict.mail_to(&bob.email).await;
    assert_eq!(mail.subject, "Someone entered your address at localhost");
    assert!(!mail.has_token());
    mail_change_link(&ada, "free@example.org").await;
    strict.mail_to("free@example.org").await;
}

on_both_databases!(an_address_that_was_verified_meanwhile_is_a_conflict);
async fn an_address_that_was_verified_meanwhile_is_a_conflict(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let form = form_with("kim", &json!({"email": "new@example.org"}));
    let kim = site.browser();
    assert_eq!(kim.post("/register", &form).await.status, 201);
    let proof = site.mail_to("new@example.org").await.token();
    kim.confirm_email(&proof).await;
    confirm(&ada.browser, &token)
        .await
        .assert_error_with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
    let user = ada.user().await;
    ada.browser.get("/users/me").await.assert_json(200, &user);
}

on_both_databases!(an_unverified_registration_yields_to_an_address_change);
// security: SE-4
async fn an_unverified_registration_yields_to_an_address_change(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let form = form_with("kim", &json!({"email": "new@example.org"}));
    assert_eq!(site.browser().post("/register", &form).await.status, 201);
    let proof = site.mail_to("new@example.org").await.token();
    confirm_change(&ada.browser, &token, "new@example.org").await;
    site.browser().assert_email_link_ended(&proof).await;
    site.mail_to(&ada.email).await;
    // The registration may also be older than the request, and be repeated.
    let form = form_with("kit", &json!({"email": "mine@example.org"}));
    assert_eq!(site.browser().post("/register", &form).await.status, 201);
    site.mail_to("mine@example.org").await;
    mail_change_link(&ada, "mine@example.org").await;
    let token = site.mail_to("mine@example.org").await.token();
    confirm_change(&ada.browser, &token, "mine@example.org").await;
    site.mail_to("new@example.org").await;
}

on_both_databases!(a_head_request_prefetch_or_foreign_site_confirms_no_change);
// security: CS-5
async fn a_head_request_prefetch_or_foreign_site_confirms_no_change(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let path = format!("/confirm-email-change?token={token}");
    let browser = ada.new_browser();
    for (name, value) in [
        ("sec-purpose", "prefetch"),
        ("x-moz", "prefetch"),
        ("purpose", "preview"),
    ] {
        let request = browser
            .fetch(axum::http::Method::GET, &path)
            .header(name, value);
        assert_refused!(browser.send(request), CrossSite);
    }
    browser
        .open(&format!("/account/account-api{path}"))
        .await
        .assert_error_with_message(
            ErrorCode::CrossSite,
            account::testing::i18n::Message::ErrorOwnPageOnly,
        );
    let head = browser
        .send(browser.fetch(axum::http::Method::HEAD, &path))
        .await;
    assert_eq!(head.status, 405);
    ada.assert_signed_in(&ada.browser).await;
}

mod pending;
mod undo_link;

// If only a free address ended the pending change, the earlier link would reveal which addresses are taken.
on_both_databases!(a_new_request_ends_any_pending_change);
// security: EN-5
async fn a_new_request_ends_any_pending_change(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let name = format!("{profile:?}").to_lowercase();
        let taken = site.member(&format!("{name}taken")).await.email;
        let old = format!("{name}old");
        site.import_accounts(&[crate::old_accounts::old(&old)])
            .await;
        let targets = [
            format!("{name}free@example.org"),
            taken,
            format!("{old}@example.org"),
        ];
        for (n, target) in targets.iter().enumerate() {
            let ada = site.signed_in(&format!("{name}{n}")).await;
            let own = format!("{name}{n}-new@example.org");
            mail_change_link(&ada, &own).await;
            let token = site.mail_to(&own).await.token();
            let response = ada.browser.request_email_change(target).await;
            if profile == Profile::Strict || n == 0 {
                response.assert_json(200, &sent_body());
                site.mail_to(target).await;
            } else {
                response
                    .assert_error_with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
            }
            assert_refused!(confirm(&ada.browser, &token), InvalidToken);
        }
    }
}
