//! Recovery: requesting a link, and choosing a new password with it.

use account::testing::error::{ErrorCode, FieldRule};
use account::testing::i18n::Message;
use serde_json::{Value, json};

use crate::email_change::change_email;
use crate::password_change::change_password;
use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Person, Response};

const NEW_PASSWORD: &str = "Orange-Tree-43";

pub(crate) async fn confirm_reset(browser: &Browser, token: &str, new: &str) -> Response {
    let form = json!({"token": token, "new_password": new, "confirm_password": new});
    browser.post("/reset-password/confirm", &form).await
}

/// Sets a new password with a mailed link, all in this browser. Reads both mails.
pub(crate) async fn reset_password(person: &Person, browser: &Browser, new: &str) {
    let site = &browser.site;
    browser.request_reset(&person.email).await;
    let token = site.mail_to(&person.email).await.token();
    assert_status!(confirm_reset(browser, &token, new), 200);
    site.mail_to(&person.email).await;
}

fn sent_body() -> Value {
    let message = "If an account exists, a reset link has been sent.";
    json!({"success": true, "code": "reset_sent", "message": message})
}

fn done_body() -> Value {
    let message = "Your password has been reset. You can sign in now.";
    json!({"success": true, "message": message})
}

/// Asserts that this link sets a new password.
async fn assert_resets(browser: &Browser, token: &str, new: &str) {
    assert_json!(confirm_reset(browser, token, new), 200, &done_body());
}

/// Asserts that this link is invalid.
async fn assert_link_ended(browser: &Browser, token: &str) {
    assert_refused!(confirm_reset(browser, token, "Third-Tree-44"), InvalidToken);
}

async fn person_with_reset_link(db: &Database) -> (Person, String) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    ada.new_browser()
        .request_reset(&ada.email)
        .await
        .assert_json(200, &sent_body());
    let token = site.mail_to(&ada.email).await.token();
    (ada, token)
}

on_both_databases!(a_reset_ends_every_session_and_forgets_every_other_device);
// security: SE-3
async fn a_reset_ends_every_session_and_forgets_every_other_device(db: Database) {
    let (ada, token) = person_with_reset_link(&db).await;
    let site = &ada.browser.site;
    let stranger = ada.new_browser();
    let response = confirm_reset(&stranger, &token, NEW_PASSWORD).await;
    response.assert_json(200, &done_body());
    assert_eq!(stranger.cookie("session"), None);
    ada.browser.assert_signed_out().await;
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);
    let notice = site.mail_to(&ada.email).await;
    assert_eq!(notice.subject, "Your localhost password was reset");
    assert!(!notice.has_token());
    // The device of a thief, who knows the new password, would otherwise remain known after the reset.
    let credentials = ada.credentials_with(NEW_PASSWORD);
    assert_refused!(ada.browser.post("/login", &credentials), NewDevice);
    site.mail_to(&ada.email).await;
    // The mailed link has proved that this browser belongs to the owner.
    ada.sign_in_with(&stranger, NEW_PASSWORD).await;
}

on_both_databases!(a_link_works_once);
// security: TK-4
async fn a_link_works_once(db: Database) {
    let (ada, token) = person_with_reset_link(&db).await;
    let stranger = ada.new_browser();
    assert_resets(&stranger, &token, NEW_PASSWORD).await;
    assert_link_ended(&stranger, &token).await;
    let restarted = db.site().await;
    assert_link_ended(&restarted.browser(), &token).await;
    let credentials = ada.credentials_with(NEW_PASSWORD);
    assert_refused!(ada.new_browser().post("/login", &credentials), NewDevice);
    db.allow_unread_mails();
}

on_both_databases!(of_fifty_parallel_uses_on_two_nodes_one_succeeds);
// security: TK-4, MN-3
async fn of_fifty_parallel_uses_on_two_nodes_one_succeeds(db: Database) {
    let (ada, token) = person_with_reset_link(&db).await;
    let nodes = [ada.browser.site.clone(), db.site().await];
    let tries = (0..50).map(|n| {
        let (browser, token) = (nodes[n % 2].browser(), token.clone());
        async move {
            let response = confirm_reset(&browser, &token, &format!("Number-{n}-Tree")).await;
            (browser, response)
        }
    });
    let tried = futures_util::future::join_all(tries).await;
    let winners: Vec<_> = (0..50).filter(|n| tried[*n].1.status == 200).collect();
    assert_eq!(winners.len(), 1);
    for (_, response) in tried.iter().filter(|(_, a)| a.status != 200) {
        response.assert_error(ErrorCode::InvalidToken);
    }
    let site = &ada.browser.site;
    site.mail_to(&ada.email).await;
    let password = format!("Number-{}-Tree", winners[0]);
    tried[winners[0]]
        .0
        .post("/login", &ada.credentials_with(&password))
        .await
        .assert_json(200, &ada.me());
}

on_both_databases!(a_newer_link_and_any_use_end_the_older_links);
// security: TK-5
async fn a_newer_link_and_any_use_end_the_older_links(db: Database) {
    let (ada, first) = person_with_reset_link(&db).await;
    let site = &ada.browser.site;
    ada.browser.request_reset(&ada.email).await;
    let second = site.mail_to(&ada.email).await.token();
    assert_link_ended(&ada.browser, &first).await;
    assert_resets(&ada.browser, &second, NEW_PASSWORD).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(a_password_or_address_change_ends_pending_links);
// security: TK-5
async fn a_password_or_address_change_ends_pending_links(db: Database) {
    let (ada, first) = person_with_reset_link(&db).await;
    let site = &ada.browser.site;
    assert_status!(change_password(&ada.browser, PASSWORD, NEW_PASSWORD), 200);
    site.mail_to(&ada.email).await;
    assert_link_ended(&ada.new_browser(), &first).await;

    ada.new_browser().request_reset(&ada.email).await;
    let second = site.mail_to(&ada.email).await.token();
    change_email(&ada.browser, "new@example.org").await;
    site.mail_to(&ada.email).await;
    assert_link_ended(&ada.new_browser(), &second).await;
}

on_both_databases!(an_invalid_form_does_not_redeem_the_link);
// security: BI-8
async fn an_invalid_form_does_not_redeem_the_link(db: Database) {
    let (ada, token) = person_with_reset_link(&db).await;
    for (new, again, rule) in [
        ("", "", FieldRule::PasswordMissing),
        ("Ab1", "Ab1", FieldRule::PasswordTooShort),
        ("abcdef", "abcdef", FieldRule::PasswordUppercase),
        ("ABCDEF", "ABCDEF", FieldRule::PasswordLowercase),
        ("Abcdef", "Abcdef", FieldRule::PasswordDigit),
        (NEW_PASSWORD, "Orange-Tree-44", FieldRule::PasswordsDiffer),
        (NEW_PASSWORD, "", FieldRule::PasswordsDiffer),
    ] {
        let form = json!({"token": token, "new_password": new, "confirm_password": again});
        ada.browser
            .post("/reset-password/confirm", &form)
            .await
            .assert_broken_rule(rule);
    }
    assert_refused!(
        confirm_reset(&ada.browser, &token, PASSWORD),
        PasswordEqualsCurrent
    );
    assert_resets(&ada.browser, &token, NEW_PASSWORD).await;
    ada.browser.site.mail_to(&ada.email).await;
}

on_both_databases!(without_a_token_the_specified_message_is_returned);
async fn without_a_token_the_specified_message_is_returned(db: Database) {
    let site = db.site().await;
    for form in [
        json!({}),
        json!({"token": ""}),
        json!({"token": null, "new_password": NEW_PASSWORD}),
    ] {
        let response = site.browser().post("/reset-password/confirm", &form).await;
        response
            .assert_error_with_message(ErrorCode::InvalidToken, Message::ErrorResetTokenMissing);
    }
}

on_both_databases!(a_recently_used_password_is_refused);
async fn a_recently_used_password_is_refused(db: Database) {
    let (ada, mut token) = person_with_reset_link(&db).await;
    let site = &ada.browser.site;
    for n in 1..=5 {
        assert_resets(&ada.browser, &token, &format!("Number-{n}-Tree")).await;
        site.mail_to(&ada.email).await;
        site.advance("1h");
        ada.browser.request_reset(&ada.email).await;
        token = site.mail_to(&ada.email).await.token();
    }
    // The current password and the four before it.
    for n in 1..=4 {
        assert_refused!(
            confirm_reset(&ada.browser, &token, &format!("Number-{n}-Tree")),
            PasswordReused
        );
    }
    assert_resets(&ada.browser, &token, PASSWORD).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(a_reset_verifies_the_address_and_ends_other_access);
// security: SE-4
async fn a_reset_verifies_the_address_and_ends_other_access(db: Database) {
    let site = db.site().await;
    let (eve, link) = site.registered("victim").await;
    let victim = site.browser();
    assert_json!(victim.request_reset(&eve.email), 200, &sent_body());
    let token = site.mail_to(&eve.email).await.token();
    assert_resets(&victim, &token, NEW_PASSWORD).await;
    site.mail_to(&eve.email).await;

    assert_refused!(eve.try_sign_in(&eve.browser), InvalidCredentials);
    eve.browser.assert_email_link_ended(&link).await;
    assert_eq!(site.count("devices").await, 1);
    eve.sign_in_with(&victim, NEW_PASSWORD).await;
    site.assert_count("security_events WHERE kind = 'email_verified'", 1)
        .await;
    assert_refused!(
        eve.browser
            .post("/login", &eve.credentials_with(NEW_PASSWORD)),
        NewDevice
    );
    site.mail_to(&eve.email).await;
}

on_both_databases!(the_link_is_mailed_to_the_stored_spelling_of_the_address);
// security: IN-3
async fn the_link_is_mailed_to_the_stored_spelling_of_the_address(db: Database) {
    let site = db.site().await;
    site.member("ada").await;
    site.browser()
        .request_reset(" ADA@EXAMPLE.ORG ")
        .await
        .assert_json(200, &sent_body());
    let mail = site.mail_to("ada@example.org").await;
    assert!(
        mail.link()
            .starts_with("http://localhost:8080/account/reset-password?token=")
    );
    for other in [
        "аda@example.org", "ada@example.org.evil.example", "ada+x@example.org",
    ] {
        assert_json!(site.browser().request_reset(other), 200, &sent_body());
    }
}

on_both_databases!(the_message_is_english_in_every_language);
async fn the_message_is_english_in_every_language(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let request = browser.post_request("/reset-password");
    let request = request.header("accept-language", "de");
    let body = json!({"email": "nobody@example.org"}).to_string();
    assert_json!(browser.send_with(request, body), 200, &sent_body());
    browser
        .request_reset("")
        .await
        .assert_broken_rule(FieldRule::MissingField);
    browser
        .request_reset("ada")
        .await
        .assert_broken_rule(FieldRule::EmailInvalid);
}
