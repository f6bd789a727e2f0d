//! Sign-in with a code, recovery codes and trusted devices.

use account::config::NewDevice;
use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use serde_json::json;

use super::{fetch_security, person_with_second_factor, second_step};
use crate::passkeys;
use crate::password_change::change_password;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::{Database, form};

on_both_databases!(a_code_completes_the_sign_in_and_needs_no_approval_of_the_device);
async fn a_code_completes_the_sign_in_and_needs_no_approval_of_the_device(db: Database) {
    let site = db.site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = ada.person.new_browser();
    let token = ada.first_step(&phone).await;
    phone.assert_signed_out().await;
    let response = second_step(&phone, &token, &ada.code(&site)).await;
    response.assert_json(200, &ada.person.user().await);
    assert_eq!(fetch_security(&phone).await["aal"], 2);
    // The notice about the new device.
    let mail = site.mail_to(&ada.person.email).await;
    assert!(!mail.has_token(), "{}", mail.text);
}

// security: TF-2
on_both_databases!(only_the_right_password_reveals_the_second_step);
async fn only_the_right_password_reveals_the_second_step(db: Database) {
    let site = db.site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let wrong = ada.person.credentials_with("Wrong-Horse-7");
    let response = site.browser().post("/login", &wrong).await;
    response.assert_error(ErrorCode::InvalidCredentials);
    assert!(response.json().get("second_factor_token").is_none());
}

// security: TF-1
on_both_databases!(a_code_works_once_across_sessions_and_also_in_a_proof);
async fn a_code_works_once_across_sessions_and_also_in_a_proof(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let code = ada.code(&site);
    let phone = ada.person.new_browser();
    let first = ada.first_step(&phone).await;
    assert_eq!(second_step(&phone, &first, &code).await.status, 200);
    let tablet = ada.person.new_browser();
    let second = ada.first_step(&tablet).await;
    assert_refused!(second_step(&tablet, &second, &code), CodeReused);
    let mut proof = ada.person.credentials();
    proof["code"] = json!(code);
    assert_refused!(
        phone.post("/reauthenticate", &proof),
        ReauthenticationFailed
    );
    // The token of the first sign-in is used up.
    site.advance("30s");
    second_step(&phone, &first, &ada.code(&site))
        .await
        .assert_error_with_message(ErrorCode::InvalidToken, Message::ErrorSignInExpired);
    assert_status!(second_step(&tablet, &second, &ada.code(&site)), 200);
}

// security: TF-9
on_both_databases!(codes_of_adjacent_time_steps_are_accepted_and_none_twice_after_a_clock_change);
async fn codes_of_adjacent_time_steps_are_accepted_and_none_twice_after_a_clock_change(
    db: Database,
) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = person_with_second_factor(&site, "ada").await;
    site.advance("5m");
    let phone = ada.person.new_browser();
    for (offset, expected) in [
        (-60_000, Some(ErrorCode::CodeInvalid)),
        (60_000, Some(ErrorCode::CodeInvalid)),
        (-30_000, None),
        (30_000, None),
        // Older than the last accepted code.
        (0, Some(ErrorCode::CodeReused)),
    ] {
        let token = ada.first_step(&phone).await;
        let code = ada.app.code(site.now() + offset);
        let response = second_step(&phone, &token, &code).await;
        match expected {
            Some(code) => {
                response.assert_error(code);
            }
            None => assert_eq!(response.status, 200, "{offset}: {}", response.text()),
        }
    }
    let used = ada.app.code(site.now() + 30_000);
    site.set_clock(&account::testing::clock::rfc3339(site.now() - 60_000));
    let token = ada.first_step(&phone).await;
    for offset in [0, 30_000] {
        assert_refused!(
            second_step(&phone, &token, &ada.app.code(site.now() + offset)),
            CodeReused
        );
    }
    assert_refused!(second_step(&phone, &token, &used), CodeInvalid);
}

on_both_databases!(a_recovery_code_works_once_and_its_mail_counts_the_remaining_ones);
async fn a_recovery_code_works_once_and_its_mail_counts_the_remaining_ones(db: Database) {
    let site = db
        .site_with(|c| c.security.new_device = NewDevice::Off)
        .await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.person.browser;
    let typed = ada.codes[3].replace('-', " ").to_lowercase();
    let token = ada.first_step(phone).await;
    let response = second_step(phone, &token, &typed).await;
    response.assert_json(200, &ada.person.user().await);
    let mail = site.mail_to(&ada.person.email).await;
    assert!(mail.text.contains("left: 9"), "{}", mail.text);
    assert_eq!(fetch_security(phone).await["recovery_codes_left"], 9);
    assert_eq!(fetch_security(phone).await["aal"], 2);
    let token = ada.first_step(phone).await;
    assert_refused!(second_step(phone, &token, &ada.codes[3]), CodeInvalid);
    second_step(phone, &token, &ada.codes[4])
        .await
        .assert_json(200, &ada.person.user().await);
    site.mail_to(&ada.person.email).await;
}

on_both_databases!(a_trusted_device_needs_only_the_password_until_its_trust_ends);
async fn a_trusted_device_needs_only_the_password_until_its_trust_ends(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.person.browser;
    let trust = async || {
        site.advance("30s");
        let token = ada.first_step(phone).await;
        let form = json!({"token": token, "code": ada.code(&site), "trust_device": true});
        assert_status!(phone.post("/login/second-factor", &form), 200);
        ada.person.sign_in(phone).await;
    };
    trust().await;
    assert_eq!(fetch_security(phone).await["aal"], 1, "without a code");
    // A password alone is not recent authentication for an account with a second factor.
    phone
        .delete("/second-factor")
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    // Only this device is trusted.
    ada.first_step(&ada.person.new_browser()).await;
    site.advance("30d");
    ada.first_step(phone).await;

    trust().await;
    assert_status!(change_password(phone, PASSWORD, "Orange-Tree-43"), 200);
    let credentials = ada.person.credentials_with("Orange-Tree-43");
    let response = phone.post("/login", &credentials).await;
    response.assert_error_with_data(ErrorCode::SecondFactorRequired);
}

on_both_databases!(a_trust_setting_of_zero_turns_device_trust_off);
async fn a_trust_setting_of_zero_turns_device_trust_off(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.security.second_factor_trust = "0s".parse().unwrap())
        .await;
    let config = site.browser().get("/config").await.json();
    assert_eq!(config["security"]["second_factor_trust_days"], 0);
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.person.browser;
    let token = ada.first_step(phone).await;
    let form = json!({"token": token, "code": ada.code(&site), "trust_device": true});
    assert_eq!(phone.post("/login/second-factor", &form).await.status, 200);
    ada.first_step(phone).await;
}

on_both_databases!(a_trust_that_lasts_longer_than_the_setting_is_not_accepted);
async fn a_trust_that_lasts_longer_than_the_setting_is_not_accepted(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.person.browser;
    let token = ada.first_step(phone).await;
    let form = json!({"token": token, "code": ada.code(&site), "trust_device": true});
    assert_status!(phone.post("/login/second-factor", &form), 200);
    ada.person.sign_in(phone).await;

    let strict = db
        .site_with(|c| c.security.second_factor_trust = "7d".parse().unwrap())
        .await;
    let phone_there = strict.browser();
    phone_there.set_cookie("device", &phone.cookie("device").unwrap());
    ada.first_step(&phone_there).await;
    // Also when the trust would have ended within seven days.
    site.advance("24d");
    ada.first_step(&phone_there).await;
}

on_both_databases!(the_device_limit_holds_after_a_code);
async fn the_device_limit_holds_after_a_code(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(|c| c.security.max_devices = 1).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = ada.person.new_browser();
    let token = ada.first_step(&phone).await;
    let response = second_step(&phone, &token, &ada.code(&site)).await;
    response.assert_error_with_data(ErrorCode::TooManyDevices);
    let body = response.json();
    let form = json!({"id": body["devices"][0]["id"], "token": body["device_token"]});
    phone.post("/devices/sign-out", &form).await.assert_empty();
    site.advance("30s");
    let token = ada.first_step(&phone).await;
    assert_status!(second_step(&phone, &token, &ada.code(&site)), 200);
}

// security: TF-3
on_both_databases!(no_sign_in_method_bypasses_the_second_factor);
async fn no_sign_in_method_bypasses_the_second_factor(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    // The approval was mailed before two-step verification was turned on.
    let ada = site.signed_in("ada").await;
    let phone = ada.new_browser();
    phone
        .post("/login", &ada.credentials())
        .await
        .assert_error_with_data(ErrorCode::NewDevice);
    let approval = site.mail_to(&ada.email).await.token();
    let ada = super::turn_on(&site, ada).await;
    site.advance("30s");
    phone.confirm_email(&approval).await;
    ada.first_step(&phone).await;

    // A reset by mail.
    let email = json!({"email": ada.person.email});
    phone.post("/reset-password", &email).await;
    let token = site.mail_to(&ada.person.email).await.token();
    let form_of_reset = json!({"token": token, "new_password": "Orange-Tree-43",
        "confirm_password": "Orange-Tree-43"});
    assert_status!(phone.post("/reset-password/confirm", &form_of_reset), 200);
    phone.assert_signed_out().await;
    let new = ada.person.credentials_with("Orange-Tree-43");
    let response = phone.post("/login", &new).await;
    response.assert_error_with_data(ErrorCode::SecondFactorRequired);

    // Another registration with the address, a migration, and another verification mail.
    for (path, form) in [
        ("/register", form("ada")),
        ("/migration", email.clone()),
        ("/resend-verification", email.clone()),
    ] {
        phone.post(path, &form).await;
    }
    phone.assert_signed_out().await;

    // A passkey counts as two factors, so it is the only sign-in without a code.
    let mut authenticator = Authenticator::synced();
    let token = response.json()["second_factor_token"].clone();
    let response = second_step(&phone, token.as_str().unwrap(), &ada.code(&site)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    passkeys::add_passkey(&phone, &mut authenticator).await;
    let tablet = site.browser();
    let response = passkeys::sign_in(&tablet, &mut authenticator).await;
    response.assert_json(200, &ada.person.user().await);
    assert_eq!(fetch_security(&tablet).await["aal"], 2);
}

on_both_databases!(the_refusal_tells_of_a_passkey_and_of_a_running_reset);
async fn the_refusal_tells_of_a_passkey_and_of_a_running_reset(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = ada.person.new_browser();
    let credentials = ada.person.credentials();
    let without = phone.post("/login", &credentials).await.json();
    assert!(without.get("passkey").is_none(), "{without}");
    passkeys::add_passkey(&ada.person.browser, &mut Authenticator::synced()).await;
    let with = phone.post("/login", &credentials).await.json();
    assert_eq!(with["passkey"], true);
    assert!(with.get("reset_at").is_none(), "{with}");
    let form = json!({"token": with["second_factor_token"]});
    let requested = phone.post("/second-factor/reset", &form).await.json();
    let running = phone.post("/login", &credentials).await.json();
    assert_eq!(running["reset_at"], requested["at"]);
    assert!(running["reset_at"].is_string(), "{running}");
    site.advance("7d");
    let due = phone.post("/login", &credentials).await.json();
    assert!(due.get("reset_at").is_none(), "{due}");
}
