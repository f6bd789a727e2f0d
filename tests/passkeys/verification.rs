//! WA-1, WA-2, WA-4, WA-5, WA-6, WA-8: every single wrong field is refused, and a challenge works once.

use super::vectors::{attestation_object, invalid_keys};
use super::{
    add_options, add_passkey, person_and_passkey, person_with_passkey, reauthentication_options,
    sign_in, sign_in_options,
};
use crate::activity::event_kinds;
use crate::support::authenticator::{
    BACKED_UP, BACKUP_ELIGIBLE, USER_PRESENT, USER_VERIFIED, encode,
};
use crate::support::prelude::*;

/// Replaces a member of the client data.
macro_rules! client_data {
    ($name:literal, $value:expr) => {
        |_, client| client[$name] = json!($value)
    };
}

/// One mistake of a response.
pub type Mistake = (&'static str, fn(&mut Authenticator, &mut Value));

/// Wrong client data or authenticator data, with a right signature.
pub const MISTAKES: &[Mistake] = &[
    ("type", client_data!("type", "webauthn.other")),
    ("challenge", client_data!("challenge", encode(&[7; 32]))),
    ("no challenge", client_data!("challenge", "")),
    ("origin", client_data!("origin", "http://localhost:8081")),
    (
        "origin's scheme",
        client_data!("origin", "https://localhost:8080"),
    ),
    (
        "subdomain",
        client_data!("origin", "http://evil.localhost:8080"),
    ),
    (
        "origin with a path",
        client_data!("origin", "http://localhost:8080/"),
    ),
    ("cross origin", client_data!("crossOrigin", true)),
    (
        "top origin",
        client_data!("topOrigin", "http://localhost:8080"),
    ),
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

on_both_databases!(
    a_challenge_works_once_for_its_purpose_until_it_expires,
    fifty_parallel_posts_of_one_assertion_to_two_nodes_create_one_session,
    the_counter_of_a_device_bound_passkey_must_grow_also_at_reauthentication,
    a_copied_passkey_causes_one_mail_and_one_event_in_an_hour,
    the_counter_of_a_synced_passkey_is_ignored_and_its_eligibility_never_changes,
    a_credential_belongs_to_one_account_and_its_user_handle,
);

on_sqlite!(
    each_wrong_field_of_a_sign_in_is_refused,
    each_wrong_field_of_a_passkey_registration_is_refused,
    malformed_encodings_are_refused_without_a_server_error,
);

// security: WA-1
async fn each_wrong_field_of_a_sign_in_is_refused(Unlimited(site): Unlimited) {
    let (ada, mut authenticator) = person_and_passkey(&site, "ada").await;
    let browser = ada.new_browser();
    for (name, make) in MISTAKES {
        let options = sign_in_options(&browser).await;
        let mut client = authenticator.client_data("webauthn.get", &options);
        let (flags, rp_id) = (authenticator.flags, authenticator.rp_id.clone());
        make(&mut authenticator, &mut client);
        let data = authenticator.authenticator_data(false);
        let response = authenticator.assertion_response_with(&options, &client, &data);
        (authenticator.flags, authenticator.rp_id) = (flags, rp_id);
        assert_rejected(&browser, "/passkeys/sign-in", &response, (401, name)).await;
    }
    let options = sign_in_options(&browser).await;
    let mut response = authenticator.assertion_response(&options);
    response["credential"]["response"]["signature"] = json!(encode(&authenticator.sign(b"other")));
    assert_rejected(&browser, "/passkeys/sign-in", &response, (401, "signature")).await;
    browser.assert_signed_out().await;
    assert_ok!(sign_in(&ada.browser, &mut authenticator));
}

/// Asserts the refusal of a response with this mistake.
async fn assert_rejected(browser: &Browser, path: &str, body: &Value, (status, name): (u16, &str)) {
    let refused = browser.post(path, body).await;
    let seen = (refused.status.as_u16(), refused.json()["code"].clone());
    assert_eq!(seen, (status, json!("passkey_rejected")), "{name}");
}

// security: WA-1
async fn each_wrong_field_of_a_passkey_registration_is_refused((site, ada): (Site, Person)) {
    for (name, make) in MISTAKES {
        let mut authenticator = Authenticator::synced();
        let options = add_options(&ada.browser).await;
        let mut client = authenticator.client_data("webauthn.create", &options);
        make(&mut authenticator, &mut client);
        let data = authenticator.authenticator_data(true);
        let response = authenticator.creation_response_with(&options, &client, &data);
        assert_rejected(&ada.browser, "/passkeys", &response, (422, name)).await;
    }
    site.assert_count("credentials", 0).await;
}

// security: WA-2
async fn a_challenge_works_once_for_its_purpose_until_it_expires(site: Site) {
    let (ada, mut authenticator) = person_and_passkey(&site, "ada").await;
    let browser = ada.browser.copy();
    let assert_over = async |response: &Value| {
        assert_refused!(
            browser.post("/passkeys/sign-in", response),
            InvalidChallenge
        );
    };
    let options = sign_in_options(&browser).await;
    let response = authenticator.assertion_response(&options);
    assert_json!(
        browser.post("/passkeys/sign-in", &response),
        200,
        &ada.user().await
    );
    assert_over(&response).await;

    // A refused attempt also uses up the challenge.
    let options = sign_in_options(&browser).await;
    let mut wrong = authenticator.assertion_response(&options);
    wrong["credential"]["response"]["signature"] = json!(encode(&[0; 70]));
    assert_status!(browser.post("/passkeys/sign-in", &wrong), 401);
    assert_over(&authenticator.assertion_response(&options)).await;

    // A challenge of another purpose, and one of another account.
    let options = add_options(&browser).await;
    assert_over(&authenticator.assertion_response(&options)).await;
    let bob = site.signed_in("bob").await;
    let options = add_options(&bob.browser).await;
    let made = Authenticator::synced().creation_response(&options);
    assert_refused!(browser.post("/passkeys", &made), InvalidChallenge);

    let options = sign_in_options(&browser).await;
    site.advance("5m");
    assert_over(&authenticator.assertion_response(&options)).await;
    let mut forged = authenticator.assertion_response(&options);
    forged["state"] = json!("e30.AAAA");
    assert_over(&forged).await;
    site.run_expiry().await;
    site.assert_count("spent_challenges", 0).await;
}

// security: WA-2
async fn fifty_parallel_posts_of_one_assertion_to_two_nodes_create_one_session(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut authenticator = Authenticator::device_bound();
    let ada = person_with_passkey(&site, "ada", &mut authenticator).await;
    ada.browser.post_empty("/logout").await.assert_empty();
    let other = db.site_without_limits().await;
    let options = sign_in_options(&ada.browser).await;
    let response = authenticator.assertion_response(&options);
    let posts = (0..50).map(|n| {
        let browser = if n % 2 == 0 {
            ada.browser.copy()
        } else {
            other.browser()
        };
        let response = response.clone();
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
    site.assert_count("sessions", 1).await;
}

// security: WA-5
async fn the_counter_of_a_device_bound_passkey_must_grow_also_at_reauthentication(site: Site) {
    let mut key = Authenticator::device_bound();
    let ada = person_with_passkey(&site, "ada", &mut key).await;
    let browser = &ada.browser;
    assert_ok!(sign_in(browser, &mut key));
    key.counter -= 1;
    assert_code!(sign_in(browser, &mut key), PasskeyProofRejected);
    ada.mail()
        .await
        .assert_subject_contains("stopped a sign-in");
    let kinds = event_kinds(browser).await;
    assert!(kinds.contains(&"passkey_rejected".to_owned()), "{kinds:?}");
    key.counter += 5;
    assert_ok!(sign_in(browser, &mut key));

    site.advance("1h");
    ada.sign_in(browser).await;
    key.counter = 2;
    let response = key.assertion_response(&reauthentication_options(browser).await);
    assert_refused!(
        browser.post("/reauthenticate", &response),
        ReauthenticationFailed
    );
    ada.mail()
        .await
        .assert_subject_contains("stopped a sign-in");
    site.assert_count("security_events WHERE kind = 'passkey_rejected'", 2)
        .await;
}

// security: WA-5
async fn a_copied_passkey_causes_one_mail_and_one_event_in_an_hour(db: Database) {
    let nodes = [db.site().await, db.site().await];
    let site = &nodes[0];
    let mut key = Authenticator::device_bound();
    let mut other = Authenticator::device_bound();
    let ada = person_with_passkey(site, "ada", &mut key).await;
    add_passkey(&ada.browser, &mut other).await;
    ada.mail().await;
    for hour in 1..=2 {
        for n in 0..20 {
            for copied in [&mut key, &mut other] {
                copied.counter = 0;
                assert_code!(
                    sign_in(&nodes[n % 2].browser(), copied),
                    PasskeyProofRejected
                );
            }
        }
        let mails = site.mails().await;
        let to: Vec<_> = mails.iter().map(|mail| &mail.to).collect();
        assert_eq!(to, [&ada.email, &ada.email], "{hour}");
        let events = "security_events WHERE kind = 'passkey_rejected'";
        site.assert_count(events, 2 * hour).await;
        site.advance("1h");
    }
}

// security: WA-5
async fn the_counter_of_a_synced_passkey_is_ignored_and_its_eligibility_never_changes(site: Site) {
    let mut phone = Authenticator::synced();
    phone.counter = 9;
    let ada = person_with_passkey(&site, "ada", &mut phone).await;
    for counter in [9, 2, 8, 3] {
        phone.counter = counter;
        assert_ok!(sign_in(&ada.browser, &mut phone));
    }
    let mut key = Authenticator::device_bound();
    let bob = person_with_passkey(&site, "bob", &mut key).await;
    key.flags |= BACKUP_ELIGIBLE;
    assert_code!(sign_in(&bob.browser, &mut key), PasskeyProofRejected);
}

// security: WA-6
async fn a_credential_belongs_to_one_account_and_its_user_handle(site: Site) {
    let (ada, mut authenticator) = person_and_passkey(&site, "ada").await;
    let bob = site.signed_in("bob").await;
    let options = add_options(&bob.browser).await;
    let mut copy = Authenticator::synced();
    copy.credential_id.clone_from(&authenticator.credential_id);
    let copied = copy.creation_response(&options);
    assert_refused!(bob.browser.post("/passkeys", &copied), PasskeyExists);

    add_passkey(&bob.browser, &mut Authenticator::synced()).await;
    bob.mail().await;
    let own = authenticator.user_handle.clone();
    for (handle, status) in [(Some(vec![7; 32]), 401), (None, 200), (own, 200)] {
        authenticator.user_handle = handle;
        assert_status!(sign_in(&ada.browser, &mut authenticator), status);
    }
}

// security: WA-8
async fn malformed_encodings_are_refused_without_a_server_error((site, ada): (Site, Person)) {
    let authenticator = Authenticator::synced();
    let data = authenticator.authenticator_data(true);
    let whole = attestation_object(&data);
    let indefinite = [&[0xbf][..], &whole[1..], &[0xff]].concat();
    let cut_off = [&b"\xa1\x5b"[..], &[0xff; 8]].concat();
    let long = attestation_object(&[&data[..], &[1, 2, 3]].concat());
    let off_the_curve = authenticator.authenticator_data_with_key(&invalid_keys()[0].1);
    let body = async |object: &[u8]| {
        let options = add_options(&ada.browser).await;
        let client = authenticator.client_data("webauthn.create", &options);
        authenticator.creation_response_with_object(&options, &client, object)
    };
    // `vectors` lists more objects and keys.
    for (name, object) in [
        ("trailing bytes", [&whole[..], &[0]].concat()),
        ("an indefinite map", indefinite),
        ("deep nesting", [vec![0x81; 9000], vec![0xf6]].concat()),
        ("a length beyond the end", cut_off),
        ("bytes after the authenticator data", long),
        ("a key off the curve", attestation_object(&off_the_curve)),
    ] {
        let body = body(&object).await;
        assert_rejected(&ada.browser, "/passkeys", &body, (422, name)).await;
    }
    let huge = body(&vec![0x81; 1 << 20]).await;
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
    site.assert_count("credentials", 0).await;
}
