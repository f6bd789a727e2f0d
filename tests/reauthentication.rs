//! Reauthentication: the calls that require it, its methods, and its limits.

use account::config::Profile;

use crate::passkeys::{person_and_passkey, sign_in};
use crate::password_change::change_password;
use crate::support::prelude::*;

const NEW: &str = "new@example.org";

on_both_databases!(
    a_reauthentication_is_valid_for_ten_minutes,
    a_refusal_needs_one_connection,
    profile_spec_requires_no_reauthentication,
    a_new_address_needs_a_recent_proof_at_the_level_of_the_account,
    a_reauthentication_rotates_the_session_and_ends_no_other,
    failed_reauthentications_count_as_failed_sign_ins_of_the_device,
    a_reauthentication_requires_a_session_and_a_password,
    the_security_summary_contains_the_assurance_level_and_the_consent,
);

async fn a_reauthentication_is_valid_for_ten_minutes(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let ada = site.signed_in("ada").await;
    site.advance("9m 59s");
    assert_ok!(ada.browser.request_email_change(NEW));
    site.advance("1s");
    let response = assert_status!(ada.browser.request_email_change(NEW), 403);
    assert_eq!(response.json()["code"], "reauthentication_required");
    assert_eq!(response.json()["methods"], json!(["password"]));
    assert_code!(
        change_password(&ada.browser, PASSWORD, "Orange-Tree-43"),
        ReauthenticationRequired
    );

    ada.browser.reauthenticate(&ada.credentials()).await;
    assert_ok!(ada.browser.request_email_change(NEW));
}

/// A pool of one connection: a second one would be refused with 503.
async fn a_refusal_needs_one_connection(db: Database) {
    let (site, ada) = db
        .site_with_ada(|c| {
            c.security.profile = Profile::Strict;
            c.database.max_connections = 1;
        })
        .await;
    site.advance("10m");
    assert_code!(
        ada.browser.request_email_change(NEW),
        ReauthenticationRequired
    );
    assert_code!(ada.browser.get("/data-export"), ReauthenticationRequired);
}

async fn profile_spec_requires_no_reauthentication((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    site.advance("1h");
    assert_ok!(ada.browser.request_email_change(NEW));
}

// security: WA-7
async fn a_new_address_needs_a_recent_proof_at_the_level_of_the_account(site: Site) {
    site.allow_unread_mails();
    let (ada, mut own) = person_and_passkey(&site, "ada").await;
    site.advance("10m");
    let required = ErrorCode::ReauthenticationRequired;
    let refused = ada.browser.request_email_change(NEW).await;
    refused.assert_error_with_data(required);
    // The password alone is level 1.
    ada.browser.reauthenticate(&ada.credentials()).await;
    let refused = ada.browser.request_email_change(NEW).await;
    refused.assert_error_with_data(required);
    site.assert_count("outbox WHERE kind = 'confirm_new_email'", 0)
        .await;
    let browser = ada.new_browser();
    assert_ok!(sign_in(&browser, &mut own));
    assert_ok!(browser.request_email_change(NEW));
    // An old proof stops a pending change.
    site.advance("10m");
    browser.delete("/change-email").await.assert_empty();
}

async fn a_reauthentication_rotates_the_session_and_ends_no_other(db: Database) {
    let (_, ada) = db.site_with_ada(allow_new_devices).await;
    let (thief, phone) = (ada.browser.copy(), ada.new_browser());
    ada.try_sign_in(&phone).await;
    let response = ada
        .browser
        .post("/reauthenticate", &ada.credentials())
        .await;
    assert!(response.set_cookie("session").is_some());
    response.assert_empty();
    thief.assert_signed_out().await;
    for browser in [&ada.browser, &phone] {
        ada.assert_signed_in(browser).await;
    }
}

async fn failed_reauthentications_count_as_failed_sign_ins_of_the_device(
    (site, ada): (Site, Person),
) {
    for n in 0..6 {
        let response = ada
            .browser
            .post("/reauthenticate", &ada.credentials_with("Wrong-Horse-7"))
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
        ada.browser.reauthenticate(&ada.credentials()).await;
    }
}

async fn a_reauthentication_requires_a_session_and_a_password((site, ada): (Site, Person)) {
    assert_refused!(
        site.browser().post("/reauthenticate", &ada.credentials()),
        Unauthenticated
    );
    for wrong in [json!({}), json!({"password": ""}), json!({"password": 7})] {
        assert_refused!(
            ada.browser.post("/reauthenticate", &wrong),
            ReauthenticationFailed
        );
    }
}

async fn the_security_summary_contains_the_assurance_level_and_the_consent(
    (_, ada): (Site, Person),
) {
    let state = ada.browser.get_json("/security").await;
    assert_eq!(state["aal"], 1);
    assert_eq!(state["marketing_consent"], false);
}
