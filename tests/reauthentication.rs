//! Reauthentication: the calls that require it, its methods, and its limits.

use account::config::Profile;
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::passkeys::{person_with_passkey, sign_in};
use crate::password_change::change_password;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::{Database, allow_new_devices};

const NEW: &str = "new@example.org";

fn password_proof(password: &str) -> Value {
    json!({"password": password})
}

on_both_databases!(a_reauthentication_is_valid_for_ten_minutes);
async fn a_reauthentication_is_valid_for_ten_minutes(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let ada = site.signed_in("ada").await;
    site.advance("9m 59s");
    assert_status!(ada.browser.request_email_change(NEW), 200);
    site.advance("1s");
    let response = assert_status!(ada.browser.request_email_change(NEW), 403);
    assert_eq!(response.json()["code"], "reauthentication_required");
    assert_eq!(response.json()["methods"], json!(["password"]));
    let response = change_password(&ada.browser, PASSWORD, "Orange-Tree-43").await;
    assert_eq!(response.json()["code"], "reauthentication_required");

    ada.browser.reauthenticate(&password_proof(PASSWORD)).await;
    assert_status!(ada.browser.request_email_change(NEW), 200);
}

on_both_databases!(a_refusal_needs_one_connection);
/// A pool of one connection: a second one would be refused with 503.
async fn a_refusal_needs_one_connection(db: Database) {
    let site = db
        .site_with(|c| {
            c.security.profile = Profile::Strict;
            c.database.max_connections = 1;
        })
        .await;
    let ada = site.signed_in("ada").await;
    site.advance("10m");
    let response = ada.browser.request_email_change(NEW).await;
    assert_eq!(response.json()["code"], "reauthentication_required");
    let response = ada.browser.get("/data-export").await;
    assert_eq!(response.json()["code"], "reauthentication_required");
}

on_both_databases!(profile_spec_requires_no_reauthentication);
async fn profile_spec_requires_no_reauthentication(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    site.advance("1h");
    assert_status!(ada.browser.request_email_change(NEW), 200);
}

on_both_databases!(a_new_address_needs_a_recent_proof_at_the_level_of_the_account);
// security: WA-7
async fn a_new_address_needs_a_recent_proof_at_the_level_of_the_account(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let mut own = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut own).await;
    site.advance("10m");
    let required = ErrorCode::ReauthenticationRequired;
    let refused = ada.browser.request_email_change(NEW).await;
    refused.assert_error_with_data(required);
    // The password alone is level 1.
    ada.browser.reauthenticate(&password_proof(PASSWORD)).await;
    let refused = ada.browser.request_email_change(NEW).await;
    refused.assert_error_with_data(required);
    site.assert_count("outbox WHERE kind = 'confirm_new_email'", 0)
        .await;
    let browser = ada.new_browser();
    assert_status!(sign_in(&browser, &mut own), 200);
    assert_status!(browser.request_email_change(NEW), 200);
    // An old proof stops a pending change.
    site.advance("10m");
    browser.delete("/change-email").await.assert_empty();
}

on_both_databases!(a_reauthentication_rotates_the_session_and_ends_no_other);
async fn a_reauthentication_rotates_the_session_and_ends_no_other(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let (thief, phone) = (ada.browser.copy(), ada.new_browser());
    phone.post("/login", &ada.credentials()).await;
    let response = ada
        .browser
        .post("/reauthenticate", &password_proof(PASSWORD))
        .await;
    assert!(response.set_cookie("session").is_some());
    response.assert_empty();
    thief.assert_signed_out().await;
    for browser in [&ada.browser, &phone] {
        ada.assert_signed_in(browser).await;
    }
}

on_both_databases!(failed_reauthentications_count_as_failed_sign_ins_of_the_device);
async fn failed_reauthentications_count_as_failed_sign_ins_of_the_device(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    for n in 0..6 {
        let response = ada
            .browser
            .post("/reauthenticate", &password_proof("Wrong-Horse-7"))
            .await;
        let expected = match n < 5 {
            true => ErrorCode::ReauthenticationFailed,
            false => ErrorCode::RateLimited,
        };
        response.assert_error(expected);
    }
    assert_refused!(ada.try_sign_in(&ada.browser), RateLimited);
    site.advance("5m");
    for _ in 0..7 {
        ada.browser.reauthenticate(&password_proof(PASSWORD)).await;
    }
}

on_both_databases!(a_reauthentication_requires_a_session_and_a_password);
async fn a_reauthentication_requires_a_session_and_a_password(db: Database) {
    let site = db.site().await;
    assert_refused!(
        site.browser()
            .post("/reauthenticate", &password_proof(PASSWORD)),
        Unauthenticated
    );
    let ada = site.signed_in("ada").await;
    for wrong in [json!({}), password_proof(""), json!({"password": 7})] {
        assert_refused!(
            ada.browser.post("/reauthenticate", &wrong),
            ReauthenticationFailed
        );
    }
}

on_both_databases!(the_security_summary_contains_the_assurance_level_and_the_consent);
async fn the_security_summary_contains_the_assurance_level_and_the_consent(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let state = ada.browser.get("/security").await.json();
    assert_eq!(state["aal"], 1);
    assert_eq!(state["marketing_consent"], false);
}
