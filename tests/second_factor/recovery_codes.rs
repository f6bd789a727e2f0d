//! New recovery codes: at once, or pending until the session that made them confirms them.

use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use serde_json::json;

use super::{fetch_security, person_with_second_factor, recovery_codes_in, second_step};
use crate::support::{Browser, Database, Response};

const PATH: &str = "/second-factor/recovery-codes";

/// Makes pending recovery codes.
async fn make_codes(browser: &Browser) -> Vec<String> {
    let form = json!({"pending": true});
    recovery_codes_in(&browser.post(PATH, &form).await)
}

async fn confirm_codes(browser: &Browser) -> Response {
    let path = format!("{PATH}/confirm");
    browser.post(&path, &json!({})).await
}

fn assert_none_pending(response: &Response) {
    response.assert_error_with_message(ErrorCode::InvalidToken, Message::ErrorRecoveryCodesExpired);
}

on_both_databases!(new_codes_replace_the_old_ones_when_they_are_confirmed);
async fn new_codes_replace_the_old_ones_when_they_are_confirmed(db: Database) {
    let site = db.site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    let lost = make_codes(browser).await;
    let fresh = make_codes(browser).await;
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 10);

    let phone = ada.person.new_browser();
    let token = ada.first_step(&phone).await;
    assert_refused!(second_step(&phone, &token, &fresh[0]), CodeInvalid);
    assert_status!(second_step(&phone, &token, &ada.codes[0]), 200);
    site.mails().await;
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 9);

    confirm_codes(browser).await.assert_empty();
    let mail = site.mail_to(&ada.person.email).await;
    assert!(
        mail.link().contains("/account/undo?token="),
        "{}",
        mail.text
    );
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 10);
    let token = ada.first_step(&phone).await;
    for code in [&ada.codes[1], &lost[0]] {
        assert_refused!(second_step(&phone, &token, code), CodeInvalid);
    }
    assert_status!(second_step(&phone, &token, &fresh[0]), 200);
    site.mails().await;
    assert_none_pending(&confirm_codes(browser).await);
}

on_both_databases!(calls_whose_options_have_defaults_need_no_body);
async fn calls_whose_options_have_defaults_need_no_body(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    let codes = recovery_codes_in(&browser.post_empty(PATH).await);
    assert_eq!(codes.len(), 10);
    assert_refused!(
        browser.post_empty("/second-factor/totp"),
        SecondFactorEnabled
    );
    assert_status!(browser.post_empty("/delete-account"), 202);
}

on_both_databases!(pending_codes_belong_to_their_session);
async fn pending_codes_belong_to_their_session(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    let phone = ada.person.new_browser();
    let token = ada.first_step(&phone).await;
    second_step(&phone, &token, &ada.code(&site)).await;
    site.advance("30s");

    assert_none_pending(&confirm_codes(browser).await);
    let fresh = make_codes(browser).await;
    assert_none_pending(&confirm_codes(&phone).await);
    // Another proof of identity rotates the session id.
    site.advance("10m");
    confirm_codes(browser)
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    let mut proof = ada.person.credentials();
    proof["code"] = json!(ada.code(&site));
    browser.reauthenticate(&proof).await;
    confirm_codes(browser).await.assert_empty();
    site.advance("30s");
    let token = ada.first_step(&phone).await;
    assert_status!(second_step(&phone, &token, &fresh[9]), 200);
}

on_both_databases!(codes_that_replace_at_once_end_pending_ones);
async fn codes_that_replace_at_once_end_pending_ones(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    make_codes(browser).await;
    recovery_codes_in(&browser.post(PATH, &json!({})).await);
    assert_none_pending(&confirm_codes(browser).await);
    make_codes(browser).await;
    browser.delete("/second-factor").await.assert_empty();
    assert_refused!(confirm_codes(browser), SecondFactorOff);
    assert_eq!(site.count("recovery_codes").await, 0);
}
