//! Passkeys: sign-in, list, and attacks by a thief or with a broken authenticator.

mod changes;
mod sites;
mod vectors;
mod verification;

use crate::devices::sign_out_first_device;
use crate::support::authenticator::{decode, encode};
use crate::support::prelude::*;
use crate::support::response::assert_members;

pub async fn sign_in_options(browser: &Browser) -> Value {
    assert_ok!(browser.post_defaults("/passkeys/sign-in/options")).json()
}

async fn add_options(browser: &Browser) -> Value {
    assert_ok!(browser.post_defaults("/passkeys/options")).json()
}

pub async fn reauthentication_options(browser: &Browser) -> Value {
    assert_ok!(browser.post_defaults("/reauthenticate/options")).json()
}

/// Proves the identity in the session with a passkey.
pub async fn reauthenticate(browser: &Browser, authenticator: &mut Authenticator) {
    let options = reauthentication_options(browser).await;
    let proof = authenticator.assertion_response(&options);
    browser.reauthenticate(&proof).await;
}

/// Adds a passkey. Returns its entry in the list.
pub async fn add_passkey(browser: &Browser, authenticator: &mut Authenticator) -> Value {
    let options = add_options(browser).await;
    let response = authenticator.creation_response(&options);
    assert_status!(browser.post("/passkeys", &response), 201).json()
}

/// The path of the oldest passkey of the session's account.
pub async fn first_path(browser: &Browser) -> String {
    let list = browser.get_json("/passkeys").await;
    format!("/passkeys/{}", list["passkeys"][0]["id"].as_str().unwrap())
}

pub async fn sign_in(browser: &Browser, authenticator: &mut Authenticator) -> Response {
    let options = sign_in_options(browser).await;
    let response = authenticator.assertion_response(&options);
    browser.post("/passkeys/sign-in", &response).await
}

/// A person who is signed in with a password and has a passkey. The mails are read.
pub async fn person_with_passkey(
    site: &Site,
    name: &str,
    authenticator: &mut Authenticator,
) -> Person {
    let person = site.signed_in(name).await;
    add_passkey(&person.browser, authenticator).await;
    person.mail().await;
    person
}

/// Such a person with a synced passkey.
pub async fn person_and_passkey(site: &Site, name: &str) -> (Person, Authenticator) {
    let mut authenticator = Authenticator::synced();
    let person = person_with_passkey(site, name, &mut authenticator).await;
    (person, authenticator)
}

on_both_databases!(
    a_passkey_signs_in_with_every_algorithm,
    the_options_of_a_sign_in_are_the_same_for_every_caller,
    options_leave_no_row,
    the_list_contains_the_passkeys_and_the_data_for_the_signal_methods,
    a_new_browser_is_enrolled_and_reported,
    a_passkey_counts_towards_the_device_limit,
    an_unregistered_passkey_is_unknown,
);

on_sqlite!(
    the_options_ask_for_a_discoverable_verified_credential,
    passkeys_can_be_off,
);

async fn a_passkey_signs_in_with_every_algorithm(site: Site) {
    for (name, mut authenticator) in [
        ("es", Authenticator::synced()),
        ("ed", Authenticator::ed25519()),
        ("rs", Authenticator::rs256()),
        ("key", Authenticator::device_bound()),
    ] {
        let person = person_with_passkey(&site, name, &mut authenticator).await;
        let browser = &person.browser;
        browser.post_empty("/logout").await.assert_empty();
        assert_json!(
            sign_in(browser, &mut authenticator),
            200,
            &person.user().await
        );
        let state = browser.get_json("/security").await;
        let expected = json!({"aal": 2, "passkeys": 1, "passkey_on_this_site": true});
        assert_members(&state, &expected);
    }
}

async fn the_options_ask_for_a_discoverable_verified_credential((_, ada): (Site, Person)) {
    let options = add_options(&ada.browser).await["publicKey"].clone();
    let algorithms = [-8, -7, -257].map(|one| json!({"type": "public-key", "alg": one}));
    // The region has no brand, so the passkey names the site by its host.
    let expected = json!({
        "rp": {"id": "localhost", "name": "localhost"},
        "user": {"name": ada.email, "displayName": "ada"},
        "pubKeyCredParams": algorithms,
        "authenticatorSelection": {"residentKey": "required", "userVerification": "required"},
        "attestation": "none",
    });
    assert_members(&options, &expected);
    assert_eq!(decode(&options["user"]["id"]).len(), 32);
    let selection = &options["authenticatorSelection"];
    assert_eq!(selection.get("authenticatorAttachment"), None);
    let options = sign_in_options(&ada.browser).await["publicKey"].clone();
    let expected =
        json!({"rpId": "localhost", "allowCredentials": [], "userVerification": "required"});
    assert_members(&options, &expected);
}

// security: WA-3
async fn the_options_of_a_sign_in_are_the_same_for_every_caller(site: Site) {
    let (ada, _) = person_and_passkey(&site, "ada").await;
    let seen = async |browser: &Browser| {
        let mut options = sign_in_options(browser).await;
        options["state"] = json!(options["state"].as_str().unwrap().len());
        options["publicKey"]["challenge"] = json!(null);
        options
    };
    assert_eq!(seen(&ada.browser).await, seen(&site.browser()).await);
}

// security: WA-9
async fn options_leave_no_row(Unlimited(site): Unlimited) {
    for _ in 0..200 {
        sign_in_options(&site.browser()).await;
    }
    for table in ["spent_challenges", "tokens", "sessions", "limits"] {
        site.assert_count(table, 0).await;
    }
}

async fn the_list_contains_the_passkeys_and_the_data_for_the_signal_methods(site: Site) {
    let mut phone = Authenticator::synced();
    phone.aaguid = *uuid::uuid!("fbfc3007-154e-4ecc-8c0b-6e020557d7bd").as_bytes();
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    site.advance("1m");
    add_passkey(&ada.browser, &mut Authenticator::device_bound()).await;
    ada.mail().await;
    let list = ada.browser.get_json("/passkeys").await;
    let keychain = "iCloud Keychain";
    for (at, expected) in [
        json!({"name": keychain, "provider": keychain, "synced": true, "this_site": true, "last_used_at": null}),
        json!({"name": "Passkey", "provider": null, "synced": false}),
    ]
    .iter()
    .enumerate()
    {
        assert_members(&list["passkeys"][at], expected);
    }
    let handle = encode(phone.user_handle.as_ref().unwrap());
    let expected =
        json!({"rpId": "localhost", "name": ada.email, "displayName": "ada", "userId": handle});
    assert_members(&list["signal"], &expected);
    let accepted = list["signal"]["allAcceptedCredentialIds"].as_array();
    assert_eq!(accepted.unwrap().len(), 2);
}

async fn a_new_browser_is_enrolled_and_reported(site: Site) {
    let (ada, mut authenticator) = person_and_passkey(&site, "ada").await;
    let phone = ada.new_browser();
    assert_json!(sign_in(&phone, &mut authenticator), 200, &ada.user().await);
    let notice = ada.mail().await;
    notice.assert_subject_contains("New sign-in");
    // The browser is a known device now: a sign-in with a password needs no approval there.
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
}

async fn a_passkey_counts_towards_the_device_limit(db: Database) {
    let site = db.site_with(|c| c.security.max_devices = 1).await;
    let (ada, mut authenticator) = person_and_passkey(&site, "ada").await;
    let phone = ada.new_browser();
    let refused = assert_code!(sign_in(&phone, &mut authenticator), TooManyDevices);
    sign_out_first_device(&phone, &refused).await;
    assert_json!(sign_in(&phone, &mut authenticator), 200, &ada.user().await);
    ada.mail().await;
}

async fn an_unregistered_passkey_is_unknown(browser: Browser) {
    assert_refused!(
        sign_in(&browser, &mut Authenticator::synced()),
        PasskeyUnknown
    );
}

async fn passkeys_can_be_off(db: Database) {
    let (_, ada) = db.site_with_ada(|c| c.passkeys.enabled = Some(false)).await;
    assert_refused!(
        ada.browser.post_defaults("/passkeys/sign-in/options"),
        NotFound
    );
    assert_refused!(ada.browser.get("/passkeys"), NotFound);
    let config = ada.browser.get_json("/config").await;
    assert_eq!(config["passkeys"]["enabled"], false);
}
