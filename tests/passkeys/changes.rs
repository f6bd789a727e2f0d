//! WA-7: adding and removing passkeys requires recent authentication, is reported by mail, and can be undone.

use serde_json::json;

use super::{add_options, add_passkey, person_with_passkey, reauthentication_options, sign_in};
use crate::email_change::change_email;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::support::Database;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::mails::{Mail, last_token_to};

// security: WA-7
on_both_databases!(adding_and_removing_passkeys_requires_recent_authentication);
async fn adding_and_removing_passkeys_requires_recent_authentication(db: Database) {
    let site = db.site().await;
    let mut phone = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    let entry = ada.browser.get("/passkeys").await.json()["passkeys"][0].clone();
    let path = format!("/passkeys/{}", entry["id"].as_str().unwrap());
    site.advance("10m");
    let refused = ada.browser.post("/passkeys/options", &json!({})).await;
    assert_eq!(refused.json()["code"], "reauthentication_required");
    assert_eq!(refused.json()["methods"], json!(["passkey"]));
    let refused = ada.browser.delete(&path).await;
    assert_eq!(refused.json()["code"], "reauthentication_required");

    let options = reauthentication_options(&ada.browser).await;
    let proof = phone.assertion_response(&options);
    ada.browser.reauthenticate(&proof).await;
    let removed = assert_status!(ada.browser.delete(&path), 200);
    let signal = &removed.json()["signal"];
    assert_eq!(signal["allAcceptedCredentialIds"], json!([]));
    let mail = site.mail_to(&ada.email).await;
    mail.assert_subject_contains("passkey was removed");
    assert_refused!(sign_in(&ada.new_browser(), &mut phone), PasskeyUnknown);
    assert_refused!(ada.browser.delete(&path), NotFound);
}

on_both_databases!(a_passkey_can_reauthenticate);
async fn a_passkey_can_reauthenticate(db: Database) {
    let site = db.site().await;
    let mut phone = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    site.advance("1h");
    let options = reauthentication_options(&ada.browser).await;
    let allowed = options["publicKey"]["allowCredentials"].as_array().unwrap();
    assert_eq!(allowed.len(), 1);
    let response = phone.assertion_response(&options);
    ada.browser.reauthenticate(&response).await;
    assert_eq!(ada.browser.get("/security").await.json()["aal"], 2);
    add_options(&ada.browser).await;
    assert_refused!(
        ada.browser.post("/reauthenticate", &response),
        InvalidChallenge
    );

    let bob = site.signed_in("bob").await;
    let options = reauthentication_options(&bob.browser).await;
    let foreign = phone.assertion_response(&options);
    assert_refused!(
        bob.browser.post("/reauthenticate", &foreign),
        ReauthenticationFailed
    );
}

on_both_databases!(a_passkey_can_be_renamed_within_the_length_limit);
async fn a_passkey_can_be_renamed_within_the_length_limit(db: Database) {
    let site = db.site().await;
    let ada = person_with_passkey(&site, "ada", &mut Authenticator::synced()).await;
    let entry = ada.browser.get("/passkeys").await.json()["passkeys"][0].clone();
    let path = format!("/passkeys/{}", entry["id"].as_str().unwrap());
    let long = "x".repeat(61);
    for wrong in [
        "",
        "   ",
        long.as_str(),
        "a\u{7}b",
        "\u{200b}",
        "\u{3164} \u{feff}",
        "a\u{202e}b",
    ] {
        let refused = ada.browser.patch(&path, &json!({"name": wrong})).await;
        assert_eq!(refused.status, 422, "{wrong}");
    }
    let renamed = ada
        .browser
        .patch(&path, &json!({"name": " Grün 📱 "}))
        .await;
    assert_eq!(renamed.json()["name"], "Grün 📱");
    // Joiners are invisible, but belong to emoji, and are not counted.
    let family = "👨\u{200d}👩\u{200d}👧".repeat(20);
    let renamed = ada.browser.patch(&path, &json!({"name": family})).await;
    assert_eq!(renamed.json()["name"], family);
    let bob = site.signed_in("bob").await;
    assert_refused!(bob.browser.patch(&path, &json!({"name": "mine"})), NotFound);
}

on_both_databases!(an_account_has_at_most_the_configured_number_of_passkeys);
async fn an_account_has_at_most_the_configured_number_of_passkeys(db: Database) {
    let site = db.site_with(|c| c.passkeys.max = 1).await;
    let ada = person_with_passkey(&site, "ada", &mut Authenticator::synced()).await;
    assert_refused!(
        ada.browser.post("/passkeys/options", &json!({})),
        TooManyPasskeys
    );
}

// security: WA-7
on_both_databases!(the_undo_link_removes_the_passkeys_of_a_thief);
async fn the_undo_link_removes_the_passkeys_of_a_thief(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut own = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut own).await;
    // A thief with the session adds a passkey, then changes the address and the password.
    site.advance("1m");
    let thief = ada.browser.copy();
    let mut stolen = Authenticator::synced();
    add_passkey(&thief, &mut stolen).await;
    let undo = site.mail_to(&ada.email).await;
    site.advance("1m");
    let mut second = Authenticator::synced();
    add_passkey(&thief, &mut second).await;
    site.mails().await;
    change_email(&thief, "thief@example.net").await;
    assert_status!(change_password(&thief, PASSWORD, "Orange-Tree-43"), 200);
    site.mails().await;

    let reader = ada.new_browser();
    assert_status!(reader.undo_credential(&undo.token()), 200);
    assert_refused!(reader.undo_credential(&undo.token()), InvalidToken);
    thief.assert_signed_out().await;
    for gone in [&mut stolen, &mut second] {
        assert_refused!(sign_in(&thief, gone), PasskeyUnknown);
    }
    let credentials = json!({"email": ada.email, "password": "Orange-Tree-43"});
    assert_refused!(thief.post("/login", &credentials), InvalidCredentials);

    // The owner's own passkey still works, and the owner is told and has a reset link.
    let mails = site.mails().await;
    let is_told =
        |mail: &Mail| mail.to == ada.email && mail.subject.contains("passkey was removed");
    assert!(mails.iter().any(is_told));
    let reset = last_token_to(&mails, &ada.email, "Choose a new password");
    assert_status!(confirm_reset(&reader, &reset, "Cherry-Tree-44"), 200);
    assert_json!(sign_in(&reader, &mut own), 200, &ada.user().await);
}

on_both_databases!(a_reset_keeps_the_passkeys_and_names_them_on_request);
async fn a_reset_keeps_the_passkeys_and_names_them_on_request(db: Database) {
    let site = db.site().await;
    let mut phone = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    let reader = ada.new_browser();
    for (new, revoke_others, named) in [
        ("Orange-Tree-43", None, json!(null)),
        ("Cherry-Tree-44", Some(false), json!(null)),
        ("Maple-Tree-45", Some(true), json!(["Passkey"])),
    ] {
        reader.request_reset(&ada.email).await;
        let token = site.mail_to(&ada.email).await.token();
        let form = json!({"token": token, "new_password": new, "confirm_password": new,
            "revoke_others": revoke_others});
        let done = assert_status!(reader.post("/reset-password/confirm", &form), 200);
        assert_eq!(done.json()["passkeys"], named, "{new}");
        site.mails().await;
        let response = sign_in(&reader, &mut phone).await;
        assert_eq!(response.status, 200, "{new}: {}", response.text());
        site.advance("1h");
    }
}
