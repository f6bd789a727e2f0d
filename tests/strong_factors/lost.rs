//! The way back after a lost passkey: the same wait as for a lost authenticator app.

use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use super::{Factors, holder, with_password};
use crate::nodes::browser_on_node;
use crate::passkeys;
use crate::second_factor::{fetch_security, first_step, second_step};
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
        assert_eq!(site.count("pending_acts").await, 0, "{by_link}");
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

// security: LV-8
on_both_databases!(the_sessions_fall_to_level_one_with_the_last_strong_factor);
async fn the_sessions_fall_to_level_one_with_the_last_strong_factor(db: Database) {
    let nodes = [site(&db).await, site(&db).await];
    for factors in [Factors::Passkey, Factors::App, Factors::Both] {
        let name = format!("{factors:?}").to_lowercase();
        let mut owner = holder(&nodes[0], &name, factors).await;
        nodes[0].advance("30s");
        let other = owner.person.new_browser();
        let signed_in = match &owner.app {
            Some(app) => {
                let token = first_step(&owner.person, &other).await;
                second_step(&other, &token, &app.code(nodes[0].now())).await
            }
            None => passkeys::sign_in(&other, &mut owner.authenticator).await,
        };
        assert_eq!(signed_in.status, 200, "{factors:?}");
        let there = browser_on_node(&nodes[1], &other);
        let own = &owner.person.browser;
        let levels = async || {
            let mut levels = Vec::new();
            for browser in [own, &other, &there] {
                levels.push(fetch_security(browser).await["aal"].clone());
            }
            levels
        };
        assert_eq!(levels().await, [2, 2, 2], "{factors:?}");
        if factors.has_app() {
            own.delete("/second-factor").await.assert_empty();
        }
        if factors.has_passkey() {
            assert_eq!(
                levels().await,
                [2, 2, 2],
                "{factors:?}: the passkey is left"
            );
            let list = own.get("/passkeys").await.json();
            let path = format!("/passkeys/{}", list["passkeys"][0]["id"].as_str().unwrap());
            assert_status!(own.delete(&path), 200);
        }
        assert_eq!(levels().await, [1, 1, 1], "{factors:?}");
        // The proof is still a recent one, with which a person sets up the first factor again.
        assert_status!(there.post("/passkeys/options", &json!({})), 200);
    }
}
