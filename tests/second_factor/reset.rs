//! The reset of a lost second factor.

use account::config::Config;

use super::{fetch_security, person_with_second_factor, second_step};
use crate::email_change::change_email;
use crate::passkeys;
use crate::support::prelude::*;

/// Requests a reset in a browser after the password step. Returns the token of that sign-in.
async fn request_reset(ada: &PersonWithSecondFactor, browser: &Browser) -> (String, Response) {
    let token = ada.first_step(browser).await;
    let response = browser.request_factor_reset(&token).await;
    (token, response)
}

async fn confirm_reset(browser: &Browser, token: &str) -> Response {
    let form = json!({"token": token});
    browser.post("/second-factor/reset/confirm", &form).await
}

async fn reset_at(browser: &Browser) -> Value {
    fetch_security(browser).await["second_factor_reset_at"].clone()
}

on_both_databases!(
    a_lost_factor_is_turned_off_after_the_waiting_period_and_three_mails,
    a_second_factor_reset_requires_the_password_and_the_mailbox,
    the_reset_link_works_only_after_the_waiting_period,
    resets_that_are_cancelled_again_and_again_are_limited,
    every_factor_and_every_mailed_link_cancels_a_reset,
    an_unused_reset_expires,
);

// security: TF-7
async fn a_lost_factor_is_turned_off_after_the_waiting_period_and_three_mails(db: Database) {
    let site = db.site_with(long_sessions).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    let (_, response) = request_reset(&ada, &phone).await;
    assert_eq!(response.status, 202, "{}", response.text());
    let at = response.json()["at"].clone();
    assert_eq!(at, rfc3339(site.now() + 7 * 86_400_000));
    assert_eq!(
        reset_at(&ada.browser).await,
        at,
        "the banner of live sessions"
    );
    // The link of the first two mails cancels the reset.
    ada.mailed_token().await;

    // Another request changes nothing.
    site.advance("1d");
    let (_, again) = request_reset(&ada, &phone).await;
    assert_eq!(again.json()["at"], at);
    site.advance("1d 23h 59m");
    assert!(site.mails().await.is_empty());
    site.advance("1m");
    ada.mailed_token().await;
    site.advance("3d 23h 59m");
    assert!(site.mails().await.is_empty());
    site.advance("1m");
    let link = ada.mailed_token().await;
    assert_ok!(confirm_reset(&phone, &link));
    site.mails().await;
    ada.browser.assert_signed_out().await;
    assert_refused!(confirm_reset(&phone, &link), InvalidToken);
    ada.sign_in(&ada.browser).await;
    let state = fetch_security(&ada.browser).await;
    let seen = [
        &state["second_factor"], &state["recovery_codes_left"], &state["second_factor_reset_at"],
    ];
    assert_eq!(seen, [&json!(false), &json!(0), &Value::Null]);
}

// security: TF-7
async fn a_second_factor_reset_requires_the_password_and_the_mailbox(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let stranger = site.browser();
    let expired = Message::ErrorSignInExpired;
    for token in ["", "made-up", &"A".repeat(43)] {
        assert_refused!(stranger.request_factor_reset(token), InvalidToken, expired);
    }
    // The token of the sign-in is not accepted as that of the mail, and the cancel link cannot confirm the reset.
    let (token, response) = request_reset(&ada, &stranger).await;
    assert_eq!(response.status, 202);
    let stop = ada.mailed_token().await;
    site.advance("7d");
    for wrong in [token, stop] {
        assert_refused!(confirm_reset(&stranger, &wrong), InvalidToken);
    }
}

// security: TF-7
async fn the_reset_link_works_only_after_the_waiting_period(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    request_reset(&ada, &site.browser()).await;
    site.advance("7d");
    let mail = site.mails().await.pop().unwrap();
    // A person who did not request the reset needs the form for a new password.
    assert!(mail.text.contains("/account/settings?change=password"));
    let link = mail.token();
    // The clock is set back after the mail was sent, so the waiting time is not over.
    site.set_clock_back("1m");
    assert_refused!(confirm_reset(&site.browser(), &link), InvalidToken);
    site.advance("1m");
    assert_ok!(confirm_reset(&site.browser(), &link));
}

async fn resets_that_are_cancelled_again_and_again_are_limited(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.limits.credential_change_account = "5/h".parse().unwrap())
        .await;
    let ada = person_with_second_factor(&site, "ada").await;
    site.advance("1h");
    for expected in [202, 202, 202, 202, 202, 429] {
        let (_, response) = request_reset(&ada, &site.browser()).await;
        response.assert_status(expected);
        site.execute("DELETE FROM pending_acts", &[]).await;
    }
}

/// The actions that cancel a pending reset.
const CANCELLATIONS: [&str; 8] = [
    "code", "recovery code", "passkey", "proof", "proof by passkey", "link", "turn off", "address",
];

fn long_sessions(config: &mut Config) {
    config.lifetimes.session_idle = "30d".parse().unwrap();
}

// security: TF-7
async fn every_factor_and_every_mailed_link_cancels_a_reset(db: Database) {
    db.allow_unread_mails();
    let settings = |c: &mut Config| {
        long_sessions(c);
        c.limits.enabled = false;
    };
    let site = db.site_with(settings).await;
    for (number, stop) in CANCELLATIONS.into_iter().enumerate() {
        let ada = person_with_second_factor(&site, &format!("ada{number}")).await;
        let browser = &ada.browser;
        let mut authenticator = Authenticator::synced();
        passkeys::add_passkey(browser, &mut authenticator).await;
        site.mails().await;
        let (token, _) = request_reset(&ada, &site.browser()).await;
        assert!(!reset_at(browser).await.is_null());
        let phone = site.browser();
        let response = match stop {
            "code" => second_step(&phone, &token, &ada.code(&site)).await,
            "recovery code" => second_step(&phone, &token, &ada.codes[0]).await,
            "passkey" => passkeys::sign_in(&phone, &mut authenticator).await,
            "proof" => {
                ada.reauthenticate().await;
                browser.get("/security").await
            }
            "proof by passkey" => {
                passkeys::reauthenticate(browser, &mut authenticator).await;
                browser.get("/security").await
            }
            "link" => {
                let link = ada.mailed_token().await;
                assert_ok!(phone.undo_credential(&link));
                browser.assert_signed_out().await;
                // An older passkey stays.
                passkeys::sign_in(browser, &mut authenticator).await
            }
            "turn off" => browser.delete("/second-factor").await,
            _ => {
                site.mails().await;
                change_email(browser, &format!("new{number}@example.org")).await;
                browser.get("/security").await
            }
        };
        assert!(response.status.is_success(), "{stop}: {}", response.text());
        assert!(reset_at(browser).await.is_null(), "{stop}");
        site.mails().await;
        site.advance("8d");
        let later = site.mails().await;
        assert!(later.is_empty(), "{stop}: {later:?}");
        let is_on = fetch_security(browser).await["second_factor"] == true;
        assert_eq!(is_on, stop != "turn off", "{stop}");
    }
}

async fn an_unused_reset_expires(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(long_sessions).await;
    let ada = person_with_second_factor(&site, "ada").await;
    request_reset(&ada, &site.browser()).await;
    site.advance("21d");
    assert!(reset_at(&ada.browser).await.is_null());
    site.run_expiry().await;
    site.assert_count("pending_acts", 0).await;
    site.assert_count("sign_in_challenges", 0).await;
    assert_eq!(fetch_security(&ada.browser).await["second_factor"], true);
}
