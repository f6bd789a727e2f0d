//! The reset of a lost second factor.

use account::params;
use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use serde_json::{Value, json};

use super::{PersonWithSecondFactor, fetch_security, person_with_second_factor, second_step};
use crate::email_change::change_email;
use crate::passkeys;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Response, Site};

/// Requests a reset in a browser after the password step. Returns the token of that sign-in.
async fn request_reset(ada: &PersonWithSecondFactor, browser: &Browser) -> (String, Response) {
    let token = ada.first_step(browser).await;
    let response = browser.request_factor_reset(&token).await;
    (token, response)
}

/// The subjects and tokens of the unread mails.
async fn new_mails(site: &Site) -> Vec<(String, Option<String>)> {
    let mails = site.mails().await;
    let new = mails.iter().map(|mail| {
        let token = mail.has_token().then(|| mail.token());
        (mail.subject.clone(), token)
    });
    new.collect()
}

async fn confirm_reset(browser: &Browser, token: &str) -> Response {
    let form = json!({"token": token});
    browser.post("/second-factor/reset/confirm", &form).await
}

async fn reset_at(browser: &Browser) -> Value {
    fetch_security(browser).await["second_factor_reset_at"].clone()
}

// security: TF-7
on_both_databases!(a_lost_factor_is_turned_off_after_the_waiting_period_and_three_mails);
async fn a_lost_factor_is_turned_off_after_the_waiting_period_and_three_mails(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.lifetimes.session_idle = "30d".parse().unwrap())
        .await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    new_mails(&site).await;
    let (_, response) = request_reset(&ada, &phone).await;
    assert_eq!(response.status, 202, "{}", response.text());
    let at = response.json()["at"].clone();
    assert_eq!(
        at,
        account::testing::clock::rfc3339(site.now() + 7 * 86_400_000)
    );
    assert_eq!(
        reset_at(&ada.person.browser).await,
        at,
        "the banner of live sessions"
    );
    let first = new_mails(&site).await;
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].1.is_some(), "the mail has a link that cancels");

    // Another request changes nothing.
    site.advance("1d");
    let (_, again) = request_reset(&ada, &phone).await;
    assert_eq!(again.json()["at"], at);
    site.advance("1d 23h 59m");
    assert!(new_mails(&site).await.is_empty());
    site.advance("1m");
    let second = new_mails(&site).await;
    assert_eq!(second.len(), 1, "{second:?}");
    site.advance("3d 23h 59m");
    assert!(new_mails(&site).await.is_empty());
    site.advance("1m");
    let third = new_mails(&site).await;
    assert_eq!(third.len(), 1, "{third:?}");

    let link = third[0].1.clone().unwrap();
    assert_status!(confirm_reset(&phone, &link), 200);
    ada.person.browser.assert_signed_out().await;
    assert_refused!(confirm_reset(&phone, &link), InvalidToken);
    ada.person.sign_in(&ada.person.browser).await;
    let state = fetch_security(&ada.person.browser).await;
    assert_eq!(state["second_factor"], false);
    assert_eq!(state["recovery_codes_left"], 0);
    assert_eq!(state["second_factor_reset_at"], Value::Null);
}

// security: TF-7
on_both_databases!(a_second_factor_reset_requires_the_password_and_the_mailbox);
async fn a_second_factor_reset_requires_the_password_and_the_mailbox(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let stranger = site.browser();
    let expired = Message::ErrorSignInExpired;
    for token in ["", "made-up", &"A".repeat(43)] {
        stranger
            .request_factor_reset(token)
            .await
            .assert_error_with_message(ErrorCode::InvalidToken, expired);
    }
    // The token of the sign-in is not accepted as that of the mail, and the cancel link cannot confirm the reset.
    let (token, response) = request_reset(&ada, &stranger).await;
    assert_eq!(response.status, 202);
    let stop = site.mail_to(&ada.person.email).await.token();
    site.advance("7d");
    for wrong in [token, stop] {
        assert_refused!(confirm_reset(&stranger, &wrong), InvalidToken);
    }
}

// security: TF-7
on_both_databases!(the_reset_link_works_only_after_the_waiting_period);
async fn the_reset_link_works_only_after_the_waiting_period(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    request_reset(&ada, &site.browser()).await;
    site.advance("7d");
    let mail = site.mails().await.pop().unwrap();
    // A person who did not request the reset needs the form for a new password.
    assert!(mail.text.contains("/account/settings?change=password"));
    let link = mail.token();
    // The clock is set back after the mail was sent, so the waiting time is not over.
    site.set_clock(&account::testing::clock::rfc3339(site.now() - 60_000));
    assert_refused!(confirm_reset(&site.browser(), &link), InvalidToken);
    site.advance("1m");
    assert_eq!(confirm_reset(&site.browser(), &link).await.status, 200);
}

on_both_databases!(resets_that_are_cancelled_again_and_again_are_limited);
async fn resets_that_are_cancelled_again_and_again_are_limited(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.limits.credential_change_account = "5/h".parse().unwrap())
        .await;
    let ada = person_with_second_factor(&site, "ada").await;
    site.advance("1h");
    for _ in 0..5 {
        let (_, response) = request_reset(&ada, &site.browser()).await;
        assert_eq!(response.status, 202, "{}", response.text());
        site.execute("DELETE FROM pending_acts", &[]).await;
    }
    let (_, response) = request_reset(&ada, &site.browser()).await;
    response.assert_error(ErrorCode::RateLimited);
}

/// The actions that cancel a pending reset.
#[derive(Debug, Clone, Copy)]
enum Cancellation {
    Code,
    RecoveryCode,
    Passkey,
    Proof,
    ProofByPasskey,
    Link,
    TurnOff,
    Address,
}

// security: TF-7
on_both_databases!(every_factor_and_every_mailed_link_cancels_a_reset);
async fn every_factor_and_every_mailed_link_cancels_a_reset(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            c.lifetimes.session_idle = "30d".parse().unwrap();
        })
        .await;
    let all = [
        Cancellation::Code,
        Cancellation::RecoveryCode,
        Cancellation::Passkey,
        Cancellation::Proof,
        Cancellation::ProofByPasskey,
        Cancellation::Link,
        Cancellation::TurnOff,
        Cancellation::Address,
    ];
    for (number, stop) in all.into_iter().enumerate() {
        let ada = person_with_second_factor(&site, &format!("ada{number}")).await;
        let browser = &ada.person.browser;
        let mut authenticator = Authenticator::synced();
        passkeys::add_passkey(browser, &mut authenticator).await;
        site.mails().await;
        let (token, _) = request_reset(&ada, &site.browser()).await;
        assert!(!reset_at(browser).await.is_null());
        let phone = site.browser();
        match stop {
            Cancellation::Code => {
                assert_status!(second_step(&phone, &token, &ada.code(&site)), 200);
            }
            Cancellation::RecoveryCode => {
                assert_status!(second_step(&phone, &token, &ada.codes[0]), 200);
            }
            Cancellation::Passkey => {
                assert_status!(passkeys::sign_in(&phone, &mut authenticator), 200);
            }
            Cancellation::Proof => {
                let mut proof = ada.person.credentials();
                proof["code"] = json!(ada.code(&site));
                browser.reauthenticate(&proof).await;
            }
            Cancellation::ProofByPasskey => {
                let options = passkeys::reauthentication_options(browser).await;
                let proof = authenticator.assertion_response(&options);
                browser.reauthenticate(&proof).await;
            }
            Cancellation::Link => {
                let link = site.mail_to(&ada.person.email).await.token();
                assert_status!(phone.undo_credential(&link), 200);
                browser.assert_signed_out().await;
                let response = passkeys::sign_in(browser, &mut authenticator).await;
                assert_eq!(response.status, 200, "an older passkey stays");
            }
            Cancellation::TurnOff => {
                browser.delete("/second-factor").await.assert_empty();
            }
            Cancellation::Address => {
                site.mails().await;
                let new = format!("new{number}@example.org");
                change_email(browser, &new).await;
            }
        }
        assert!(reset_at(browser).await.is_null(), "{stop:?}");
        site.mails().await;
        site.advance("8d");
        let later = new_mails(&site).await;
        assert!(later.is_empty(), "{stop:?}: {later:?}");
        let on = fetch_security(browser).await["second_factor"].clone();
        assert_eq!(
            on,
            json!(!matches!(stop, Cancellation::TurnOff)),
            "{stop:?}"
        );
    }
}

on_both_databases!(an_unused_reset_expires);
async fn an_unused_reset_expires(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.lifetimes.session_idle = "30d".parse().unwrap())
        .await;
    let ada = person_with_second_factor(&site, "ada").await;
    request_reset(&ada, &site.browser()).await;
    site.advance("21d");
    assert!(reset_at(&ada.person.browser).await.is_null());
    site.run_expiry().await;
    assert_eq!(site.count("pending_acts").await, 0);
    assert_eq!(site.count("sign_in_challenges").await, 0);
    assert_eq!(
        fetch_security(&ada.person.browser).await["second_factor"],
        true
    );
}

on_both_databases!(
    a_session_with_a_recent_password_may_request_the_reset_of_a_lost_app_and_passkey
);
async fn a_session_with_a_recent_password_may_request_the_reset_of_a_lost_app_and_passkey(
    db: Database,
) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    // A sign-in with the password alone, as on a trusted device.
    let sql = "UPDATE sessions SET methods = 'password', level_two_at = NULL";
    site.execute(sql, &[]).await;
    let browser = &ada.person.browser;
    site.advance("11m");
    let refusal = browser.post("/second-factor/reset", &json!({})).await;
    refusal.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    site.execute(
        "UPDATE sessions SET authenticated_at = $1",
        params![site.now()],
    )
    .await;
    assert_status!(browser.post("/second-factor/reset", &json!({})), 202);
}
