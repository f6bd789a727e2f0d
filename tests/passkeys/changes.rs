//! WA-7: adding and removing passkeys requires recent authentication, is reported by mail, and can be undone.

use super::{add_options, first_path, person_and_passkey, reauthentication_options, sign_in};
use crate::support::prelude::*;

on_both_databases!(
    a_passkey_proves_the_identity_before_it_is_removed,
    a_passkey_can_be_renamed_within_the_length_limit,
    an_account_has_at_most_the_configured_number_of_passkeys,
    a_reset_keeps_the_passkeys_and_names_them_on_request,
);

// security: WA-7
// `strong_factors::levels` has the proofs that are refused.
async fn a_passkey_proves_the_identity_before_it_is_removed(site: Site) {
    let (ada, mut phone) = person_and_passkey(&site, "ada").await;
    let browser = &ada.browser;
    let path = first_path(browser).await;
    site.advance("10m");
    assert_code!(browser.delete(&path), ReauthenticationRequired);
    let options = reauthentication_options(browser).await;
    let allowed = options["publicKey"]["allowCredentials"].as_array();
    assert_eq!(allowed.unwrap().len(), 1);
    let proof = phone.assertion_response(&options);
    browser.reauthenticate(&proof).await;
    assert_eq!(browser.get_json("/security").await["aal"], 2);
    add_options(browser).await;
    assert_refused!(browser.post("/reauthenticate", &proof), InvalidChallenge);
    let bob = site.signed_in("bob").await.browser;
    let foreign = phone.assertion_response(&reauthentication_options(&bob).await);
    assert_refused!(
        bob.post("/reauthenticate", &foreign),
        ReauthenticationFailed
    );

    let removed = assert_ok!(browser.delete(&path)).json();
    assert_eq!(removed["signal"]["allAcceptedCredentialIds"], json!([]));
    ada.mail()
        .await
        .assert_subject_contains("passkey was removed");
    assert_refused!(sign_in(&ada.new_browser(), &mut phone), PasskeyUnknown);
    assert_refused!(browser.delete(&path), NotFound);
}

async fn a_passkey_can_be_renamed_within_the_length_limit(site: Site) {
    let (ada, _) = person_and_passkey(&site, "ada").await;
    let path = first_path(&ada.browser).await;
    let long = "x".repeat(61);
    // Joiners are invisible, but belong to emoji, and are not counted.
    let family = "👨\u{200d}👩\u{200d}👧".repeat(20);
    for (name, kept) in [
        ("", None),
        ("   ", None),
        (&*long, None),
        ("a\u{7}b", None),
        ("\u{200b}", None),
        ("\u{3164} \u{feff}", None),
        ("a\u{202e}b", None),
        (" Grün 📱 ", Some("Grün 📱")),
        (&family, Some(&*family)),
    ] {
        let renamed = ada.browser.patch(&path, &json!({"name": name})).await;
        let status = if kept.is_some() { 200 } else { 422 };
        assert_eq!(renamed.status, status, "{name}");
        assert_eq!(renamed.json()["name"].as_str(), kept, "{name}");
    }
    let bob = site.signed_in("bob").await;
    assert_refused!(bob.browser.patch(&path, &json!({"name": "mine"})), NotFound);
}

async fn an_account_has_at_most_the_configured_number_of_passkeys(db: Database) {
    let site = db.site_with(|c| c.passkeys.max = 1).await;
    let (ada, _) = person_and_passkey(&site, "ada").await;
    assert_refused!(
        ada.browser.post_defaults("/passkeys/options"),
        TooManyPasskeys
    );
}

async fn a_reset_keeps_the_passkeys_and_names_them_on_request(site: Site) {
    let (ada, mut phone) = person_and_passkey(&site, "ada").await;
    let reader = ada.new_browser();
    for (new, revoke_others, named) in [
        ("Orange-Tree-43", None, json!(null)),
        ("Cherry-Tree-44", Some(false), json!(null)),
        ("Maple-Tree-45", Some(true), json!(["Passkey"])),
    ] {
        let token = ada.reset_token(&reader).await;
        let form = json!({"token": token, "new_password": new, "confirm_password": new,
            "revoke_others": revoke_others});
        let done = assert_ok!(reader.post("/reset-password/confirm", &form));
        assert_eq!(done.json()["passkeys"], named, "{new}");
        site.mails().await;
        assert_ok!(sign_in(&reader, &mut phone));
        site.advance("1h");
    }
}
