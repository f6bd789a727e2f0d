//! The way back after a lost passkey: the same wait as for a lost authenticator app.

use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use super::{Factors, holder, with_password};
use crate::passkeys;
use crate::second_factor::{fetch_security, first_step};
use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Response, Site};

async fn site(db: &Database) -> Site {
    db.allow_unread_mails();
    db.site_with(|c| {
        c.security.new_device = account::config::NewDevice::Off;
        c.lifetimes.session_idle = "30d".parse().unwrap();
    })
    .await
}

async fn request(browser: &Browser) -> Response {
    browser.post("/second-factor/reset", &json!({})).await
}

/// The link of the last mail of the reset.
async fn last_link(site: &Site, email: &str) -> Value {
    json!({"token": site.last_token_to(email, "").await})
}

// security: TF-7
on_both_databases!(a_session_with_a_recent_password_requests_the_removal_of_lost_factors);
async fn a_session_with_a_recent_password_requests_the_removal_of_lost_factors(db: Database) {
    let site = site(&db).await;
    let mut owner = holder(&site, "ada", Factors::Passkey).await;
    let browser = with_password(&owner.person).await;
    site.advance("10m");
    request(&browser)
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    let proof = json!({"password": PASSWORD});
    browser.reauthenticate(&proof).await;
    let response = assert_status!(request(&browser), 202);
    let at = response.json()["at"].clone();
    assert_eq!(
        at,
        account::testing::clock::rfc3339(site.now() + 7 * 86_400_000)
    );
    assert_eq!(fetch_security(&browser).await["second_factor_reset_at"], at);
    assert_eq!(
        request(&browser).await.json()["at"],
        at,
        "a pending reset stays"
    );

    site.mails().await;
    site.advance("7d");
    let link = last_link(&site, &owner.person.email).await;
    let reader = site.browser();
    assert_status!(reader.post("/second-factor/reset/confirm", &link), 200);
    browser.assert_signed_out().await;
    assert_refused!(
        passkeys::sign_in(&reader, &mut owner.authenticator),
        PasskeyUnknown
    );
    let browser = with_password(&owner.person).await;
    assert_eq!(fetch_security(&browser).await["passkeys"], 0);
    // The first strong factor needs only the password again.
    assert_status!(browser.post("/passkeys/options", &json!({})), 200);
}

// security: TF-7
on_both_databases!(the_removal_after_a_lost_app_includes_the_passkeys);
async fn the_removal_after_a_lost_app_includes_the_passkeys(db: Database) {
    let site = site(&db).await;
    let owner = holder(&site, "ada", Factors::Both).await;
    let stranger = site.browser();
    let token = first_step(&owner.person, &stranger).await;
    assert_status!(stranger.request_factor_reset(&token), 202);
    site.advance("7d");
    let link = last_link(&site, &owner.person.email).await;
    assert_status!(stranger.post("/second-factor/reset/confirm", &link), 200);
    assert_eq!(site.count("credentials").await, 0);
    assert_eq!(site.count("totp").await, 0);
    assert_eq!(site.count("recovery_codes").await, 0);
    let subjects: Vec<_> = site
        .mails()
        .await
        .into_iter()
        .map(|mail| mail.subject)
        .collect();
    for words in ["passkey was removed", "Two-step verification is off"] {
        assert!(
            subjects.iter().any(|subject| subject.contains(words)),
            "{subjects:?}"
        );
    }
}

// security: TF-7
on_both_databases!(a_passkey_and_an_undo_link_stop_the_removal_of_lost_factors);
async fn a_passkey_and_an_undo_link_stop_the_removal_of_lost_factors(db: Database) {
    let site = site(&db).await;
    let mut owner = holder(&site, "ada", Factors::Passkey).await;
    for by_link in [false, true] {
        let browser = with_password(&owner.person).await;
        assert_eq!(request(&browser).await.status, 202);
        let stop = last_link(&site, &owner.person.email).await;
        let other = site.browser();
        match by_link {
            true => {
                assert_status!(other.post("/undo-credential", &stop), 200);
            }
            false => {
                assert_status!(passkeys::sign_in(&other, &mut owner.authenticator), 200);
            }
        }
        assert_eq!(site.count("second_factor_resets").await, 0, "{by_link}");
        assert_eq!(site.count("credentials").await, 1, "{by_link}");
        site.advance("1h");
    }
}

on_both_databases!(only_an_account_with_a_strong_factor_has_one_to_lose);
async fn only_an_account_with_a_strong_factor_has_one_to_lose(db: Database) {
    let site = site(&db).await;
    let person = site.signed_in("person").await;
    assert_refused!(request(&person.browser), SecondFactorOff);
    assert_refused!(request(&site.browser()), Unauthenticated);
    site.browser()
        .request_factor_reset("made-up")
        .await
        .assert_error_with_message(
            ErrorCode::InvalidToken,
            account::testing::i18n::Message::ErrorSignInExpired,
        );
}
