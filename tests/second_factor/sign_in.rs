//! Sign-in with a code, recovery codes and trusted devices.

use super::{fetch_security, person_with_second_factor, second_step};
use crate::devices::sign_out_first_device;
use crate::passkeys;
use crate::password_change::change_password;
use crate::password_reset::reset_password;
use crate::support::prelude::*;

on_both_databases!(
    a_code_completes_the_sign_in_and_needs_no_approval_of_the_device,
    only_the_right_password_reveals_the_second_step,
    a_code_works_once_across_sessions_and_also_in_a_proof,
    codes_of_adjacent_time_steps_are_accepted_and_none_twice_after_a_clock_change,
    a_recovery_code_works_once_and_its_mail_counts_the_remaining_ones,
    a_trusted_device_needs_only_the_password_until_its_trust_ends,
    a_trust_that_lasts_longer_than_the_setting_is_not_accepted,
    the_device_limit_holds_after_a_code,
    no_sign_in_method_bypasses_the_second_factor,
    the_refusal_tells_of_a_passkey_and_of_a_running_reset,
);

async fn a_code_completes_the_sign_in_and_needs_no_approval_of_the_device(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    let phone = ada.new_browser();
    let token = ada.first_step(&phone).await;
    phone.assert_signed_out().await;
    let response = second_step(&phone, &token, &ada.code(&site)).await;
    response.assert_json(200, &ada.user().await);
    assert_eq!(fetch_security(&phone).await["aal"], 2);
    // The notice about the new device.
    let mail = ada.mail().await;
    assert!(!mail.has_token(), "{}", mail.text);
}

// security: TF-2
async fn only_the_right_password_reveals_the_second_step(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    // The whole body is compared.
    let wrong = site
        .browser()
        .try_sign_in(&ada.email, "Wrong-Horse-7")
        .await;
    wrong.assert_error(ErrorCode::InvalidCredentials);
}

// security: TF-1
async fn a_code_works_once_across_sessions_and_also_in_a_proof(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let code = ada.code(&site);
    let (phone, tablet) = (ada.new_browser(), ada.new_browser());
    let first = ada.first_step(&phone).await;
    assert_ok!(second_step(&phone, &first, &code));
    let second = ada.first_step(&tablet).await;
    assert_refused!(second_step(&tablet, &second, &code), CodeReused);
    let mut proof = ada.credentials();
    proof["code"] = json!(code);
    assert_refused!(
        phone.post("/reauthenticate", &proof),
        ReauthenticationFailed
    );
    // The token of the first sign-in is used up.
    site.advance("30s");
    let (next, expired) = (ada.code(&site), Message::ErrorSignInExpired);
    assert_refused!(second_step(&phone, &first, &next), InvalidToken, expired);
    assert_ok!(second_step(&tablet, &second, &next));
}

// security: TF-9
async fn codes_of_adjacent_time_steps_are_accepted_and_none_twice_after_a_clock_change(
    Unlimited(site): Unlimited,
) {
    site.allow_unread_mails();
    let ada = person_with_second_factor(&site, "ada").await;
    site.advance("5m");
    let phone = ada.new_browser();
    let try_at = async |offset: i64| {
        let response = ada
            .try_code(&phone, &ada.app.code(site.now() + offset))
            .await;
        response.json()["code"].as_str().map(str::to_owned)
    };
    let (invalid, reused) = (Some("code_invalid"), Some("code_reused"));
    for (offset, expected) in [
        (-60_000, invalid),
        (60_000, invalid),
        (-30_000, None),
        (30_000, None),
        // Older than the last accepted code.
        (0, reused),
    ] {
        assert_eq!(try_at(offset).await.as_deref(), expected, "{offset}");
    }
    site.set_clock_back("1m");
    for (offset, expected) in [(0, reused), (30_000, reused), (90_000, invalid)] {
        assert_eq!(try_at(offset).await.as_deref(), expected, "{offset}");
    }
}

async fn a_recovery_code_works_once_and_its_mail_counts_the_remaining_ones(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.browser;
    let typed = ada.codes[3].replace('-', " ").to_lowercase();
    assert_json!(ada.try_code(phone, &typed), 200, &ada.user().await);
    let mail = ada.mail().await;
    assert!(mail.text.contains("left: 9"), "{}", mail.text);
    let state = fetch_security(phone).await;
    assert_eq!(
        (&state["recovery_codes_left"], &state["aal"]),
        (&json!(9), &json!(2))
    );
    assert_refused!(ada.try_code(phone, &ada.codes[3]), CodeInvalid);
    assert_ok!(ada.try_code(phone, &ada.codes[4]));
    ada.mail().await;
}

async fn a_trusted_device_needs_only_the_password_until_its_trust_ends(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.browser;
    let trust = async || {
        site.advance("30s");
        ada.trust(phone).await;
        ada.sign_in(phone).await;
    };
    trust().await;
    assert_eq!(fetch_security(phone).await["aal"], 1, "without a code");
    // A password alone is not recent authentication for an account with a second factor.
    assert_code!(phone.delete("/second-factor"), ReauthenticationRequired);
    // Only this device is trusted.
    ada.first_step(&ada.new_browser()).await;
    site.advance("30d");
    ada.first_step(phone).await;

    trust().await;
    let new = "Orange-Tree-43";
    assert_ok!(change_password(phone, PASSWORD, new));
    assert_code!(phone.try_sign_in(&ada.email, new), SecondFactorRequired);
}

async fn a_trust_that_lasts_longer_than_the_setting_is_not_accepted(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let with_trust = async |time: &str| {
        db.site_with(|c| c.security.second_factor_trust = time.parse().unwrap())
            .await
            .browser()
    };
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = &ada.browser;
    ada.trust(phone).await;
    ada.sign_in(phone).await;
    let (week, never) = (with_trust("7d").await, with_trust("0s").await);
    // Also when the trust would have ended within seven days.
    for wait in ["0s", "24d"] {
        site.advance(wait);
        for there in [&week, &never] {
            there.set_cookie("device", &phone.cookie("device").unwrap());
            ada.first_step(there).await;
        }
    }
    let config = never.get_json("/config").await;
    assert_eq!(config["security"]["second_factor_trust_days"], 0);
    site.advance("30s");
    ada.trust(&never).await;
    ada.first_step(&never).await;
}

async fn the_device_limit_holds_after_a_code(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(|c| c.security.max_devices = 1).await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = ada.new_browser();
    let refused = assert_code!(ada.try_code(&phone, &ada.code(&site)), TooManyDevices);
    sign_out_first_device(&phone, &refused).await;
    site.advance("30s");
    assert_ok!(ada.try_code(&phone, &ada.code(&site)));
}

// security: TF-3
async fn no_sign_in_method_bypasses_the_second_factor(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    // The approval was mailed before two-step verification was turned on.
    let ada = site.signed_in("ada").await;
    let phone = ada.new_browser();
    ada.assert_needs_approval(&phone).await;
    let approval = ada.mailed_token().await;
    let ada = super::turn_on(&site, ada).await;
    site.advance("30s");
    phone.confirm_email(&approval).await;
    ada.first_step(&phone).await;

    // A reset by mail.
    let new = "Orange-Tree-43";
    reset_password(&ada, &phone, new).await;
    phone.assert_signed_out().await;
    let step = assert_code!(phone.try_sign_in(&ada.email, new), SecondFactorRequired);

    // Another registration with the address, a migration, and another verification mail.
    for path in ["/register", "/migration", "/resend-verification"] {
        phone.post(path, &form("ada")).await;
    }
    phone.assert_signed_out().await;

    // A passkey counts as two factors, so it is the only sign-in without a code.
    let mut authenticator = Authenticator::synced();
    let token = step["second_factor_token"].as_str().unwrap();
    assert_ok!(second_step(&phone, token, &ada.code(&site)));
    passkeys::add_passkey(&phone, &mut authenticator).await;
    let tablet = site.browser();
    assert_json!(
        passkeys::sign_in(&tablet, &mut authenticator),
        200,
        &ada.user().await
    );
    assert_eq!(fetch_security(&tablet).await["aal"], 2);
}

async fn the_refusal_tells_of_a_passkey_and_of_a_running_reset(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let phone = ada.new_browser();
    let told = async || {
        let body = ada.try_sign_in(&phone).await.json();
        let told = (body.get("passkey").cloned(), body.get("reset_at").cloned());
        (told, body["second_factor_token"].clone())
    };
    assert_eq!(told().await.0, (None, None));
    passkeys::add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    let passkey = Some(json!(true));
    let (with, token) = told().await;
    assert_eq!(with, (passkey.clone(), None));
    let requested = assert_status!(phone.request_factor_reset(token.as_str().unwrap()), 202);
    let at = Some(requested.json()["at"].clone());
    assert_eq!(told().await.0, (passkey.clone(), at));
    site.advance("7d");
    assert_eq!(told().await.0, (passkey, None));
}
