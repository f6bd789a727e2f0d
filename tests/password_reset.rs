//! Recovery: requesting a link, and choosing a new password with it.

use crate::email_change::change_email;
use crate::password_change::change_password;
use crate::support::fixture::Fixture;
use crate::support::prelude::*;

const NEW_PASSWORD: &str = "Orange-Tree-43";

pub async fn confirm_reset(browser: &Browser, token: &str, new: &str) -> Response {
    let form = json!({"token": token, "new_password": new, "confirm_password": new});
    browser.post("/reset-password/confirm", &form).await
}

/// Sets a new password with a mailed link, all in this browser. Reads both mails.
pub async fn reset_password(person: &Person, browser: &Browser, new: &str) {
    let token = person.reset_token(browser).await;
    assert_ok!(confirm_reset(browser, &token, new));
    person.mail().await;
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

/// A site, the signed-in person `ada`, and the token of her reset link.
struct ResetLink(Site, Person, String);

impl Fixture for ResetLink {
    async fn of(db: &Database) -> ResetLink {
        let (site, ada) = db.site_with_signed_in("ada").await;
        assert_json!(
            ada.new_browser().request_reset(&ada.email),
            200,
            &sent_body()
        );
        let token = ada.mailed_token().await;
        ResetLink(site, ada, token)
    }
}

on_both_databases!(
    a_reset_ends_every_session_and_forgets_every_other_device,
    of_fifty_parallel_uses_on_two_nodes_one_succeeds,
    a_newer_link_and_any_use_end_the_older_links,
    a_password_or_address_change_ends_pending_links,
    a_recently_used_password_is_refused,
    a_reset_verifies_the_address_and_ends_other_access,
    the_link_is_mailed_to_the_stored_spelling_of_the_address,
);

on_sqlite!(
    an_invalid_form_does_not_redeem_the_link,
    without_a_token_the_specified_message_is_returned,
    the_message_is_english_in_every_language,
);

// security: SE-3, TK-4
async fn a_reset_ends_every_session_and_forgets_every_other_device(
    ResetLink(_, ada, token): ResetLink,
) {
    let stranger = ada.new_browser();
    let response = confirm_reset(&stranger, &token, NEW_PASSWORD).await;
    response.assert_json(200, &done_body());
    assert_link_ended(&stranger, &token).await;
    assert_eq!(stranger.cookie("session"), None);
    ada.browser.assert_signed_out().await;
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);
    let notice = ada.mail().await;
    assert_eq!(notice.subject, "Your localhost password was reset");
    assert!(!notice.has_token());
    // The device of a thief, who knows the new password, would otherwise remain known after the reset.
    assert_refused!(ada.browser.try_sign_in(&ada.email, NEW_PASSWORD), NewDevice);
    ada.mail().await;
    // The mailed link has proved that this browser belongs to the owner.
    ada.sign_in_with(&stranger, NEW_PASSWORD).await;
}

// security: TK-4, MN-3
async fn of_fifty_parallel_uses_on_two_nodes_one_succeeds(db: Database) {
    let ResetLink(site, ada, token) = ResetLink::of(&db).await;
    let nodes = [site, db.site().await];
    let tries = (0..50).map(|n| {
        let (browser, token) = (nodes[n % 2].browser(), token.clone());
        async move {
            let new = format!("Number-{n}-Tree");
            let response = confirm_reset(&browser, &token, &new).await;
            (response, browser, new)
        }
    });
    let mut winners = Vec::new();
    for (response, browser, new) in join_all(tries).await {
        if response.status == 200 {
            winners.push((browser, new));
        } else {
            response.assert_error(ErrorCode::InvalidToken);
        }
    }
    assert_eq!(winners.len(), 1);
    ada.mail().await;
    let (browser, new) = &winners[0];
    ada.sign_in_with(browser, new).await;
}

// security: TK-5
async fn a_newer_link_and_any_use_end_the_older_links(ResetLink(_, ada, first): ResetLink) {
    let second = ada.reset_token(&ada.browser).await;
    assert_link_ended(&ada.browser, &first).await;
    assert_resets(&ada.browser, &second, NEW_PASSWORD).await;
    ada.mail().await;
}

// security: TK-5
async fn a_password_or_address_change_ends_pending_links(ResetLink(_, ada, first): ResetLink) {
    assert_ok!(change_password(&ada.browser, PASSWORD, NEW_PASSWORD));
    ada.mail().await;
    assert_link_ended(&ada.new_browser(), &first).await;

    let second = ada.reset_token(&ada.new_browser()).await;
    change_email(&ada.browser, "new@example.org").await;
    ada.mail().await;
    assert_link_ended(&ada.new_browser(), &second).await;
}

// security: BI-8
async fn an_invalid_form_does_not_redeem_the_link(ResetLink(_, ada, token): ResetLink) {
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
        let response = ada.browser.post("/reset-password/confirm", &form).await;
        response.assert_broken_rule(rule);
    }
    let current = confirm_reset(&ada.browser, &token, PASSWORD);
    assert_refused!(current, PasswordEqualsCurrent);
    assert_resets(&ada.browser, &token, NEW_PASSWORD).await;
    ada.mail().await;
}

async fn without_a_token_the_specified_message_is_returned(browser: Browser) {
    for form in [
        json!({}),
        json!({"token": ""}),
        json!({"token": null, "new_password": NEW_PASSWORD}),
    ] {
        let response = browser.post("/reset-password/confirm", &form);
        assert_refused!(response, InvalidToken, Message::ErrorResetTokenMissing);
    }
}

async fn a_recently_used_password_is_refused(ResetLink(site, ada, mut token): ResetLink) {
    for n in 1..=5 {
        assert_resets(&ada.browser, &token, &format!("Number-{n}-Tree")).await;
        ada.mail().await;
        site.advance("1h");
        token = ada.reset_token(&ada.browser).await;
    }
    // The current password and the four before it.
    for n in 1..=4 {
        let recent = format!("Number-{n}-Tree");
        assert_refused!(confirm_reset(&ada.browser, &token, &recent), PasswordReused);
    }
    assert_resets(&ada.browser, &token, PASSWORD).await;
    ada.mail().await;
}

// security: SE-4
async fn a_reset_verifies_the_address_and_ends_other_access(site: Site) {
    let (eve, link) = site.registered("victim").await;
    let victim = site.browser();
    assert_json!(victim.request_reset(&eve.email), 200, &sent_body());
    let token = eve.mailed_token().await;
    assert_resets(&victim, &token, NEW_PASSWORD).await;
    eve.mail().await;

    assert_refused!(eve.try_sign_in(&eve.browser), InvalidCredentials);
    eve.browser.assert_email_link_ended(&link).await;
    site.assert_count("devices", 1).await;
    eve.sign_in_with(&victim, NEW_PASSWORD).await;
    site.assert_count("security_events WHERE kind = 'email_verified'", 1)
        .await;
    assert_refused!(eve.browser.try_sign_in(&eve.email, NEW_PASSWORD), NewDevice);
    eve.mail().await;
}

// security: IN-3
async fn the_link_is_mailed_to_the_stored_spelling_of_the_address(Member(site, ada): Member) {
    for typed in [
        " ADA@EXAMPLE.ORG ", "аda@example.org", "ada@example.org.evil.example", "ada+x@example.org",
    ] {
        assert_json!(site.browser().request_reset(typed), 200, &sent_body());
    }
    let page = "http://localhost:8080/account/reset-password?token=";
    assert!(ada.mail().await.link().starts_with(page));
}

async fn the_message_is_english_in_every_language(browser: Browser) {
    let request = browser.post_request("/reset-password");
    let request = request.header("accept-language", "de");
    let body = json!({"email": "nobody@example.org"}).to_string();
    assert_json!(browser.send_with(request, body), 200, &sent_body());
    for (email, rule) in [
        ("", FieldRule::MissingField),
        ("ada", FieldRule::EmailInvalid),
    ] {
        browser.request_reset(email).await.assert_broken_rule(rule);
    }
}
