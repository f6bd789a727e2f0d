//! WA-1, WA-2, WA-4, WA-5, WA-6, WA-8: every single wrong field is refused, and a challenge works once.

use serde_json::{Value, json};

use super::vectors::{attestation_object, invalid_keys};
use super::{add_options, add_passkey, person_with_passkey, sign_in, sign_in_options};
use crate::support::Database;
use crate::support::authenticator::{
    Authenticator, BACKED_UP, BACKUP_ELIGIBLE, USER_PRESENT, USER_VERIFIED, encode,
};

/// One mistake of a response.
pub(super) type Mistake = (&'static str, fn(&mut Authenticator, &mut Value));

/// Wrong client data or authenticator data, with a right signature.
pub(super) const MISTAKES: &[Mistake] = &[
    ("type", |_, client| client["type"] = json!("webauthn.other")),
    ("challenge", |_, client| {
        client["challenge"] = json!(encode(&[7; 32]));
    }),
    ("no challenge", |_, client| client["challenge"] = json!("")),
    ("origin", |_, client| {
        client["origin"] = json!("http://localhost:8081");
    }),
    ("origin's scheme", |_, client| {
        client["origin"] = json!("https://localhost:8080");
    }),
    ("subdomain", |_, client| {
        client["origin"] = json!("http://evil.localhost:8080");
    }),
    ("origin with a path", |_, client| {
        client["origin"] = json!("http://localhost:8080/");
    }),
    ("cross origin", |_, client| {
        client["crossOrigin"] = json!(true);
    }),
    ("top origin", |_, client| {
        client["topOrigin"] = json!("http://localhost:8080");
    }),
    ("RP ID", |authenticator, _| {
        "evil.example".clone_into(&mut authenticator.rp_id);
    }),
    ("user not present", |authenticator, _| {
        authenticator.flags &= !USER_PRESENT;
    }),
    // security: WA-4
    ("user not verified", |authenticator, _| {
        authenticator.flags &= !USER_VERIFIED;
    }),
    // security: WA-5
    ("backed up but not eligible", |authenticator, _| {
        authenticator.flags = (authenticator.flags & !BACKUP_ELIGIBLE) | BACKED_UP;
    }),
];

// security: WA-1
on_both_databases!(each_wrong_field_of_a_sign_in_is_refused);
async fn each_wrong_field_of_a_sign_in_is_refused(db: Database) {
    let site = db.site_without_limits().await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let browser = ada.new_browser();
    for (name, make) in MISTAKES {
        let options = sign_in_options(&browser).await;
        let mut client = authenticator.client_data("webauthn.get", &options);
        let (flags, rp_id) = (authenticator.flags, authenticator.rp_id.clone());
        make(&mut authenticator, &mut client);
        let data = authenticator.authenticator_data(false);
        let response = authenticator.assertion_response_with(&options, &client, &data);
        (authenticator.flags, authenticator.rp_id) = (flags, rp_id);
        let refused = browser.post("/passkeys/sign-in", &response).await;
        assert_eq!(refused.status, 401, "{name}: {}", refused.text());
        assert_eq!(refused.json()["code"], "passkey_rejected", "{name}");
    }
    let options = sign_in_options(&browser).await;
    let mut response = authenticator.assertion_response(&options);
    response["credential"]["response"]["signature"] = json!(encode(&authenticator.sign(b"other")));
    let refused = browser.post("/passkeys/sign-in", &response).await;
    assert_eq!(refused.json()["code"], "passkey_rejected", "signature");
    browser.assert_signed_out().await;
    sign_in(&ada.browser, &mut authenticator)
        .await
        .assert_json(200, &ada.user().await);
}

// security: WA-1
on_both_databases!(each_wrong_field_of_a_passkey_registration_is_refused);
async fn each_wrong_field_of_a_passkey_registration_is_refused(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    for (name, make) in MISTAKES {
        let mut authenticator = Authenticator::synced();
        let options = add_options(&ada.browser).await;
        let mut client = authenticator.client_data("webauthn.create", &options);
        make(&mut authenticator, &mut client);
        let data = authenticator.authenticator_data(true);
        let response = authenticator.creation_response_with(&options, &client, &data);
        let refused = ada.browser.post("/passkeys", &response).await;
        assert_eq!(refused.status, 422, "{name}: {}", refused.text());
        assert_eq!(refused.json()["code"], "passkey_rejected", "{name}");
    }
    assert_eq!(site.count("credentials").await, 0);
}

// security: WA-2
on_both_databases!(a_challenge_works_once_for_its_purpose_until_it_expires);
async fn a_challenge_works_once_for_its_purpose_until_it_expires(db: Database) {
    let site = db.site().await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let browser = ada.browser.copy();
    let options = sign_in_options(&browser).await;
    let response = authenticator.assertion_response(&options);
    browser
        .post("/passkeys/sign-in", &response)
        .await
        .assert_json(200, &ada.user().await);
    assert_refused!(
        browser.post("/passkeys/sign-in", &response),
        InvalidChallenge
    );

    // A refused attempt also uses up the challenge.
    let options = sign_in_options(&browser).await;
    let mut wrong = authenticator.assertion_response(&options);
    wrong["credential"]["response"]["signature"] = json!(encode(&[0; 70]));
    assert_status!(browser.post("/passkeys/sign-in", &wrong), 401);
    let right = authenticator.assertion_response(&options);
    assert_refused!(browser.post("/passkeys/sign-in", &right), InvalidChallenge);

    // A challenge of another purpose, and one of another account.
    let options = add_options(&browser).await;
    let foreign = authenticator.assertion_response(&options);
    assert_refused!(
        browser.post("/passkeys/sign-in", &foreign),
        InvalidChallenge
    );
    let bob = site.signed_in("bob").await;
    let options = add_options(&bob.browser).await;
    let made = Authenticator::synced().creation_response(&options);
    assert_refused!(browser.post("/passkeys", &made), InvalidChallenge);

    let options = sign_in_options(&browser).await;
    site.advance("5m");
    let late = authenticator.assertion_response(&options);
    assert_refused!(browser.post("/passkeys/sign-in", &late), InvalidChallenge);
    let mut forged = authenticator.assertion_response(&options);
    forged["state"] = json!("e30.AAAA");
    assert_refused!(browser.post("/passkeys/sign-in", &forged), InvalidChallenge);
    site.run_expiry().await;
    assert_eq!(site.count("spent_challenges").await, 0);
}

// security: WA-2
on_both_databases!(fifty_parallel_posts_of_one_assertion_to_two_nodes_create_one_session);
async fn fifty_parallel_posts_of_one_assertion_to_two_nodes_create_one_session(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut authenticator = Authenticator::device_bound();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    ada.browser.post_empty("/logout").await.assert_empty();
    let other = db.site_without_limits().await;
    let options = sign_in_options(&ada.browser).await;
    let response = authenticator.assertion_response(&options);
    let posts = (0..50).map(|n| {
        let (browser, response) = match n % 2 {
            0 => (ada.browser.copy(), response.clone()),
            _ => (other.browser(), response.clone()),
        };
        tokio::spawn(async move { browser.post("/passkeys/sign-in", &response).await.status })
    });
    let mut signed_in = 0;
    for post in posts.collect::<Vec<_>>() {
        match post.await.unwrap().as_u16() {
            200 => signed_in += 1,
            status => assert!([400, 503].contains(&status), "{status}"),
        }
    }
    assert_eq!(signed_in, 1);
    assert_eq!(site.count("sessions").await, 1);
}

// security: WA-5
on_both_databases!(the_counter_of_a_device_bound_passkey_must_grow_also_at_reauthentication);
async fn the_counter_of_a_device_bound_passkey_must_grow_also_at_reauthentication(db: Database) {
    let site = db.site().await;
    let mut key = Authenticator::device_bound();
    let ada = person_with_passkey(&site, "ada", &mut key).await;
    assert_json!(sign_in(&ada.browser, &mut key), 200, &ada.user().await);
    key.counter -= 1;
    let refused = sign_in(&ada.browser, &mut key).await;
    assert_eq!(refused.json()["code"], "passkey_rejected");
    let mail = site.mail_to(&ada.email).await;
    mail.assert_subject_contains("stopped a sign-in");
    let events = ada.browser.get("/activity").await.json();
    let kinds = events["events"].as_array().unwrap().iter();
    assert!(
        kinds
            .map(|event| &event["kind"])
            .any(|kind| kind == "passkey_rejected")
    );
    key.counter += 5;
    assert_json!(sign_in(&ada.browser, &mut key), 200, &ada.user().await);

    site.advance("1h");
    ada.sign_in(&ada.browser).await;
    key.counter = 2;
    let path = "/reauthenticate/options";
    let options = ada.browser.post(path, &json!({})).await.json();
    let response = key.assertion_response(&options);
    assert_refused!(
        ada.browser.post("/reauthenticate", &response),
        ReauthenticationFailed
    );
    let mail = site.mail_to(&ada.email).await;
    mail.assert_subject_contains("stopped a sign-in");
    site.assert_count("security_events WHERE kind = 'passkey_rejected'", 2)
        .await;
}

// security: WA-5
on_both_databases!(a_copied_passkey_causes_one_mail_and_one_event_in_an_hour);
async fn a_copied_passkey_causes_one_mail_and_one_event_in_an_hour(db: Database) {
    let nodes = [db.site().await, db.site().await];
    let site = &nodes[0];
    let mut key = Authenticator::device_bound();
    let mut other = Authenticator::device_bound();
    let ada = person_with_passkey(site, "ada", &mut key).await;
    add_passkey(&ada.browser, &mut other).await;
    site.mails().await;
    for hour in 1..=2 {
        for n in 0..20 {
            let node = &nodes[n % 2];
            for copied in [&mut key, &mut other] {
                copied.counter = 0;
                let refused = assert_status!(sign_in(&node.browser(), copied), 401);
                assert_eq!(refused.json()["code"], "passkey_rejected");
            }
        }
        let mails = site.mails().await;
        let about = mails.iter().map(|mail| mail.to.as_str());
        assert_eq!(
            about.collect::<Vec<_>>(),
            [&ada.email, &ada.email],
            "{hour}"
        );
        let events = "security_events WHERE kind = 'passkey_rejected'";
        site.assert_count(events, 2 * hour).await;
        site.advance("1h");
    }
}

// security: WA-5
on_both_databases!(the_counter_of_a_synced_passkey_is_ignored);
async fn the_counter_of_a_synced_passkey_is_ignored(db: Database) {
    let site = db.site().await;
    let mut phone = Authenticator::synced();
    phone.counter = 9;
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    for counter in [9, 2, 8, 3] {
        phone.counter = counter;
        assert_json!(sign_in(&ada.browser, &mut phone), 200, &ada.user().await);
    }
}

// security: WA-5
on_both_databases!(backup_eligibility_never_changes);
async fn backup_eligibility_never_changes(db: Database) {
    let site = db.site().await;
    let mut key = Authenticator::device_bound();
    let ada = person_with_passkey(&site, "ada", &mut key).await;
    key.flags |= BACKUP_ELIGIBLE;
    let refused = sign_in(&ada.browser, &mut key).await;
    assert_eq!(refused.json()["code"], "passkey_rejected");
}

// security: WA-6
on_both_databases!(a_credential_belongs_to_one_account_and_its_user_handle);
async fn a_credential_belongs_to_one_account_and_its_user_handle(db: Database) {
    let site = db.site().await;
    let mut authenticator = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    let bob = site.signed_in("bob").await;
    let options = add_options(&bob.browser).await;
    let mut copy = Authenticator::synced();
    copy.credential_id.clone_from(&authenticator.credential_id);
    assert_refused!(
        bob.browser
            .post("/passkeys", &copy.creation_response(&options)),
        PasskeyExists
    );

    let own = authenticator.user_handle.clone();
    add_passkey(&bob.browser, &mut Authenticator::synced()).await;
    site.mail_to(&bob.email).await;
    authenticator.user_handle = Some(vec![7; 32]);
    let refused = sign_in(&ada.browser, &mut authenticator).await;
    assert_eq!(refused.json()["code"], "passkey_rejected");
    authenticator.user_handle = None;
    assert_status!(sign_in(&ada.browser, &mut authenticator), 200);
    authenticator.user_handle = own;
    sign_in(&ada.browser, &mut authenticator)
        .await
        .assert_json(200, &ada.user().await);
}

// security: WA-8
on_both_databases!(malformed_encodings_are_refused_without_a_server_error);
async fn malformed_encodings_are_refused_without_a_server_error(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let authenticator = Authenticator::synced();
    let data = authenticator.authenticator_data(true);
    let whole = attestation_object(&data);
    let indefinite = [&[0xbf][..], &whole[1..], &[0xff]].concat();
    let cut_off = [&b"\xa1\x5b"[..], &[0xff; 8]].concat();
    let long = attestation_object(&[&data[..], &[1, 2, 3]].concat());
    let off_the_curve = authenticator.authenticator_data_with_key(&invalid_keys()[0].1);
    // `vectors` lists more objects and keys.
    for (name, object) in [
        ("trailing bytes", [&whole[..], &[0]].concat()),
        ("an indefinite map", indefinite),
        ("deep nesting", [vec![0x81; 9000], vec![0xf6]].concat()),
        ("a length beyond the end", cut_off),
        ("bytes after the authenticator data", long),
        ("a key off the curve", attestation_object(&off_the_curve)),
    ] {
        let options = add_options(&ada.browser).await;
        let client = authenticator.client_data("webauthn.create", &options);
        let response = authenticator.creation_response_with_object(&options, &client, &object);
        let refused = ada.browser.post("/passkeys", &response).await;
        assert_eq!(refused.status, 422, "{name}: {}", refused.text());
        assert_eq!(refused.json()["code"], "passkey_rejected", "{name}");
    }
    let options = add_options(&ada.browser).await;
    let client = authenticator.client_data("webauthn.create", &options);
    let huge = authenticator.creation_response_with_object(&options, &client, &vec![0x81; 1 << 20]);
    assert_refused!(ada.browser.post("/passkeys", &huge), PayloadTooLarge);
    for shape in [
        json!({"state": "x", "credential": {}}),
        json!({"state": 1, "credential": []}),
        json!({"state": "x"}),
    ] {
        for path in ["/passkeys", "/passkeys/sign-in"] {
            assert_status!(ada.browser.post(path, &shape), 422);
        }
    }
    assert_eq!(site.count("credentials").await, 0);
}
