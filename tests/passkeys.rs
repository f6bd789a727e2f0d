//! Passkeys: sign-in, list, and attacks by a thief or with a broken authenticator.

mod changes;
mod sites;
mod vectors;
mod verification;

use serde_json::{Value, json};

use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Person, Response, Site};

pub(crate) async fn sign_in_options(browser: &Browser) -> Value {
    let response = assert_status!(browser.post("/passkeys/sign-in/options", &json!({})), 200);
    response.json()
}

async fn add_options(browser: &Browser) -> Value {
    let response = assert_status!(browser.post("/passkeys/options", &json!({})), 200);
    response.json()
}

pub(crate) async fn reauthentication_options(browser: &Browser) -> Value {
    let response = browser.post("/reauthenticate/options", &json!({})).await;
    response.json()
}

/// Adds a passkey. Returns its entry in the list.
pub(crate) async fn add_passkey(browser: &Browser, authenticator: &mut Authenticator) -> Value {
    let options = add_options(browser).await;
    let response = browser
        .post("/passkeys", &authenticator.creation_response(&options))
        .await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()
}

pub(crate) async fn sign_in(browser: &Browser, authenticator: &mut Authenticator) -> Response {
    let options = sign_in_options(browser).await;
    let response = authenticator.assertion_response(&options);
    browser.post("/passkeys/sign-in", &response).await
}

/// A person who is signed in with a password and has a passkey. The mails are read.
pub(crate) async fn person_with_passkey(
    site: &Site,
    name: &str,
    authenticator: &mut Authenticator,
) -> Person {
    let person = site.signed_in(name).await;
    add_passkey(&person.browser, authenticator).await;
    site.mail_to(&person.email).await;
    person
}

on_both_databases!(a_passkey_signs_in_with_every_algorithm);
async fn a_passkey_signs_in_with_every_algorithm(db: Database) {
    let site = db.site().await;
    let authenticators = [
        ("es", Authenticator::synced()),
        ("ed", Authenticator::ed25519()),
        ("rs", Authenticator::rs256()),
        ("key", Authenticator::device_bound()),
    ];
    for (name, mut authenticator) in authenticators {
        let person = person_with_passkey(&site, name, &mut authenticator).await;
        person.browser.post_empty("/logout").await.assert_empty();
        let response = sign_in(&person.browser, &mut authenticator).await;
        response.assert_json(200, &person.user().await);
        let state = person.browser.get("/security").await.json();
        assert_eq!((&state["aal"], &state["passkeys"]), (&json!(2), &json!(1)));
        assert_eq!(state["passkey_on_this_site"], json!(true));
    }
}

on_both_databases!(the_options_ask_for_a_discoverable_verified_credential);
async fn the_options_ask_for_a_discoverable_verified_credential(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let options = add_options(&ada.browser).await["publicKey"].clone();
    // The region has no brand, so the passkey names the site by its host.
    assert_eq!(
        options["rp"],
        json!({"id": "localhost", "name": "localhost"})
    );
    assert_eq!(options["user"]["name"], ada.email);
    assert_eq!(options["user"]["displayName"], "ada");
    let handle = crate::support::authenticator::decode(&options["user"]["id"]);
    assert_eq!(handle.len(), 32);
    let algorithms = options["pubKeyCredParams"].as_array().unwrap().iter();
    let algorithms: Vec<_> = algorithms.map(|one| one["alg"].as_i64().unwrap()).collect();
    assert_eq!(algorithms, [-8, -7, -257]);
    let selection = &options["authenticatorSelection"];
    assert_eq!(selection["residentKey"], "required");
    assert_eq!(selection["userVerification"], "required");
    assert_eq!(selection.get("authenticatorAttachment"), None);
    assert_eq!(options["attestation"], "none");
    let options = sign_in_options(&ada.browser).await["publicKey"].clone();
    assert_eq!(options["rpId"], "localhost");
    assert_eq!(options["allowCredentials"], json!([]));
    assert_eq!(options["userVerification"], "required");
}

// security: WA-3
on_both_databases!(the_options_of_a_sign_in_are_the_same_for_every_caller);
async fn the_options_of_a_sign_in_are_the_same_for_every_caller(db: Database) {
    let site = db.site().await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let mut seen = Vec::new();
    for browser in [&ada.browser, &site.browser()] {
        let mut options = sign_in_options(browser).await;
        options["state"] = json!(options["state"].as_str().unwrap().len());
        options["publicKey"]["challenge"] = json!(null);
        seen.push(options);
    }
    assert_eq!(seen[0], seen[1]);
}

// security: WA-9
on_both_databases!(options_leave_no_row);
async fn options_leave_no_row(db: Database) {
    let site = db.site_without_limits().await;
    let tables = "SELECT (SELECT COUNT(*) FROM spent_challenges) + (SELECT COUNT(*) FROM tokens)
        + (SELECT COUNT(*) FROM sessions) + (SELECT COUNT(*) FROM limits)";
    for _ in 0..200 {
        sign_in_options(&site.browser()).await;
    }
    let rows: i64 = site.rows(tables, &[]).await[0].get(0);
    assert_eq!(rows, 0);
}

on_both_databases!(the_list_contains_the_passkeys_and_the_data_for_the_signal_methods);
async fn the_list_contains_the_passkeys_and_the_data_for_the_signal_methods(db: Database) {
    let site = db.site().await;
    let mut phone = Authenticator::synced();
    phone.aaguid = *uuid::uuid!("fbfc3007-154e-4ecc-8c0b-6e020557d7bd").as_bytes();
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    let mut key = Authenticator::device_bound();
    site.advance("1m");
    add_passkey(&ada.browser, &mut key).await;
    site.mail_to(&ada.email).await;
    let list = ada.browser.get("/passkeys").await.json();
    let names: Vec<_> = list["passkeys"].as_array().unwrap().iter().collect();
    assert_eq!(names[0]["name"], "iCloud Keychain");
    assert_eq!(names[0]["provider"], "iCloud Keychain");
    assert_eq!(names[0]["synced"], true);
    assert_eq!(names[0]["this_site"], true);
    assert_eq!(names[0]["last_used_at"], Value::Null);
    assert_eq!(names[1]["name"], "Passkey");
    assert_eq!(names[1]["provider"], Value::Null);
    assert_eq!(names[1]["synced"], false);
    let signal = &list["signal"];
    assert_eq!(signal["rpId"], "localhost");
    assert_eq!(signal["name"], ada.email);
    assert_eq!(signal["displayName"], "ada");
    assert_eq!(
        signal["userId"],
        crate::support::authenticator::encode(phone.user_handle.as_ref().unwrap())
    );
    let accepted = signal["allAcceptedCredentialIds"].as_array().unwrap();
    assert_eq!(accepted.len(), 2);
}

on_both_databases!(a_new_browser_is_enrolled_and_reported);
async fn a_new_browser_is_enrolled_and_reported(db: Database) {
    let site = db.site().await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let phone = ada.new_browser();
    assert_json!(sign_in(&phone, &mut authenticator), 200, &ada.user().await);
    let notice = site.mail_to(&ada.email).await;
    notice.assert_subject_contains("New sign-in");
    // The browser is a known device now: a sign-in with a password needs no approval there.
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
}

on_both_databases!(a_passkey_counts_towards_the_device_limit);
async fn a_passkey_counts_towards_the_device_limit(db: Database) {
    let site = db.site_with(|c| c.security.max_devices = 1).await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let phone = ada.new_browser();
    let refused = assert_status!(sign_in(&phone, &mut authenticator), 403);
    let refused = refused.json();
    assert_eq!(refused["code"], "too_many_devices");
    let form = json!({"id": refused["devices"][0]["id"], "token": refused["device_token"]});
    phone.post("/devices/sign-out", &form).await.assert_empty();
    assert_json!(sign_in(&phone, &mut authenticator), 200, &ada.user().await);
    site.mail_to(&ada.email).await;
}

on_both_databases!(an_unregistered_passkey_is_unknown);
async fn an_unregistered_passkey_is_unknown(db: Database) {
    let site = db.site().await;
    let mut stranger = Authenticator::synced();
    assert_refused!(sign_in(&site.browser(), &mut stranger), PasskeyUnknown);
}

on_both_databases!(passkeys_can_be_off);
async fn passkeys_can_be_off(db: Database) {
    let site = db.site_with(|c| c.passkeys.enabled = Some(false)).await;
    let ada = site.signed_in("ada").await;
    assert_refused!(
        ada.browser.post("/passkeys/sign-in/options", &json!({})),
        NotFound
    );
    assert_refused!(ada.browser.get("/passkeys"), NotFound);
    let config = ada.browser.get("/config").await.json();
    assert_eq!(config["passkeys"]["enabled"], false);
}
