//! New recovery codes: at once, or pending until the session that made them confirms them.

use super::{fetch_security, recovery_codes_in, second_step};
use crate::support::prelude::*;

const PATH: &str = "/second-factor/recovery-codes";

/// Makes pending recovery codes.
async fn make_codes(browser: &Browser) -> Vec<String> {
    let form = json!({"pending": true});
    recovery_codes_in(&browser.post(PATH, &form).await)
}

async fn confirm_codes(browser: &Browser) -> Response {
    let path = format!("{PATH}/confirm");
    browser.post_defaults(&path).await
}

async fn assert_none_pending(browser: &Browser) {
    let expired = Message::ErrorRecoveryCodesExpired;
    assert_refused!(confirm_codes(browser), InvalidToken, expired);
}

on_both_databases!(
    new_codes_replace_the_old_ones_when_they_are_confirmed,
    calls_whose_options_have_defaults_need_no_body,
    pending_codes_belong_to_their_session,
    codes_that_replace_at_once_end_pending_ones,
);

async fn new_codes_replace_the_old_ones_when_they_are_confirmed(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    let browser = &ada.browser;
    let lost = make_codes(browser).await;
    let fresh = make_codes(browser).await;
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 10);

    let phone = ada.new_browser();
    let token = ada.first_step(&phone).await;
    assert_refused!(second_step(&phone, &token, &fresh[0]), CodeInvalid);
    assert_ok!(second_step(&phone, &token, &ada.codes[0]));
    site.mails().await;
    assert_eq!(fetch_security(browser).await["recovery_codes_left"], 9);

    confirm_codes(browser).await.assert_empty();
    let mail = ada.mail().await;
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
    assert_ok!(second_step(&phone, &token, &fresh[0]));
    site.mails().await;
    assert_none_pending(browser).await;
}

async fn calls_whose_options_have_defaults_need_no_body(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    for (path, status) in [
        (PATH, 200),
        ("/second-factor/totp", 409),
        ("/delete-account", 202),
    ] {
        assert_status!(ada.browser.post_empty(path), status);
    }
}

async fn pending_codes_belong_to_their_session((site, ada): (Site, PersonWithSecondFactor)) {
    site.allow_unread_mails();
    let browser = &ada.browser;
    let phone = ada.new_browser();
    ada.try_code(&phone, &ada.code(&site)).await;
    site.advance("30s");

    assert_none_pending(browser).await;
    let fresh = make_codes(browser).await;
    assert_none_pending(&phone).await;
    // Another proof of identity rotates the session id.
    site.advance("10m");
    assert_code!(confirm_codes(browser), ReauthenticationRequired);
    ada.reauthenticate().await;
    confirm_codes(browser).await.assert_empty();
    site.advance("30s");
    assert_ok!(ada.try_code(&phone, &fresh[9]));
}

async fn codes_that_replace_at_once_end_pending_ones((site, ada): (Site, PersonWithSecondFactor)) {
    site.allow_unread_mails();
    let browser = &ada.browser;
    make_codes(browser).await;
    recovery_codes_in(&browser.post_defaults(PATH).await);
    assert_none_pending(browser).await;
    make_codes(browser).await;
    browser.delete("/second-factor").await.assert_empty();
    assert_refused!(confirm_codes(browser), SecondFactorOff);
    site.assert_count("recovery_codes", 0).await;
}
