//! Devices: enrolment, approval by mail, and the device limit.

mod limit;

use account::config::NewDevice;
use account::testing::clock::rfc3339;
use account::testing::error::ErrorCode;
use account::testing::i18n::Language;
use serde_json::{Value, json};

use crate::support::{Browser, Database, Person, Site};

/// A signed-in person, a second browser with a pending approval, and the token of that approval.
async fn person_with_pending_approval(site: &Site) -> (Person, Browser, String) {
    let ada = site.signed_in("ada").await;
    let laptop = ada.new_browser();
    let response = laptop.post("/login", &ada.credentials()).await;
    response.assert_error(ErrorCode::NewDevice);
    assert!(response.set_cookie("device").is_some() && response.set_cookie("session").is_none());
    let token = site.mail_to(&ada.email).await.token();
    (ada, laptop, token)
}

async fn site_with_device_limit(db: &Database, most: u32) -> Site {
    db.site_with(|c| {
        c.security.max_devices = most;
        c.security.new_device = NewDevice::Off;
        c.limits.enabled = false;
    })
    .await
}

/// Approves the browser that requested the link.
async fn approve(browser: &Browser, token: &str) {
    assert_json!(browser.confirm_email(token), 200, &approved_body());
}

fn approved_body() -> Value {
    json!({"code": "device_approved", "message": "This device is approved. You can sign in now."})
}

/// The answer in a browser other than the approved one.
fn approved_elsewhere() -> Value {
    let mut body = approved_body();
    body["device"] = json!("Firefox · Linux");
    body
}

on_both_databases!(the_first_sign_in_enrols_any_browser);
async fn the_first_sign_in_enrols_any_browser(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
}

on_both_databases!(approval_in_another_browser_needs_a_click);
async fn approval_in_another_browser_needs_a_click(db: Database) {
    let site = db.site().await;
    let (ada, laptop, token) = person_with_pending_approval(&site).await;
    let phone = ada.new_browser();
    let pending = json!({
        "code": "device_pending",
        "message": "A new device tried to sign in to your account. Was this you?",
        "device": "Firefox · Linux",
        "requested_at": rfc3339(site.now()),
    });
    phone.confirm_email(&token).await.assert_json(200, &pending);
    phone.confirm_email(&token).await.assert_json(200, &pending);
    ada.assert_needs_approval(&laptop).await;
    let newer = site.mail_to(&ada.email).await.token();
    assert_refused!(phone.decide_device(&token, true), InvalidToken);
    let elsewhere = approved_elsewhere();
    assert_json!(phone.decide_device(&newer, true), 200, &elsewhere);
    assert_refused!(phone.decide_device(&newer, true), InvalidToken);
    for other in [&phone, &site.browser()] {
        assert_json!(other.confirm_email(&newer), 200, &elsewhere);
    }
    approve(&laptop, &newer).await;
    ada.sign_in(&laptop).await;
    // The browser that refused the device did not become a device of the account.
    ada.assert_needs_approval(&phone).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(refusing_a_device_ends_all_other_sessions);
async fn refusing_a_device_ends_all_other_sessions(db: Database) {
    let site = db.site().await;
    let (ada, thief, token) = person_with_pending_approval(&site).await;
    let elsewhere = ada.browser.copy();
    let refused = json!({
        "code": "device_refused",
        "message": "We blocked that device and ended all other sessions. Please choose a new password now.",
    });
    let phone = ada.new_browser();
    assert_json!(phone.decide_device(&token, false), 200, &refused);
    elsewhere.assert_signed_out().await;
    assert_refused!(thief.confirm_email(&token), InvalidToken);
    ada.assert_needs_approval(&thief).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(refusing_a_device_keeps_the_session_of_the_refusing_browser);
async fn refusing_a_device_keeps_the_session_of_the_refusing_browser(db: Database) {
    let site = db.site().await;
    let (ada, _, token) = person_with_pending_approval(&site).await;
    assert_eq!(ada.browser.decide_device(&token, false).await.status, 200);
    ada.assert_signed_in(&ada.browser).await;
}

on_both_databases!(an_approval_lasts_half_an_hour);
async fn an_approval_lasts_half_an_hour(db: Database) {
    let site = db.site().await;
    let (_, laptop, token) = person_with_pending_approval(&site).await;
    site.advance("30m");
    // With `purpose` the screen knows that a new sign-in mails a new link.
    let expired = json!({
        "code": "invalid_token",
        "detail": ErrorCode::InvalidToken.message().text(Language::En),
        "purpose": "device_approval",
    });
    assert_json!(laptop.confirm_email(&token), 400, &expired);
    site.advance("6d");
    site.run_expiry().await;
    assert_json!(laptop.confirm_email(&token), 400, &expired);
    site.advance("1d");
    site.run_expiry().await;
    assert_refused!(laptop.confirm_email(&token), InvalidToken);
    assert_refused!(laptop.decide_device(&token, true), InvalidToken);
}

on_both_databases!(a_wrong_password_sends_no_mail);
async fn a_wrong_password_sends_no_mail(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let wrong = ada.credentials_with("Wrong-Password-1");
    assert_refused!(ada.new_browser().post("/login", &wrong), InvalidCredentials);
}

on_both_databases!(new_device_notify_sends_a_notice_and_off_sends_nothing);
async fn new_device_notify_sends_a_notice_and_off_sends_nothing(db: Database) {
    let notify = db
        .site_with(|c| c.security.new_device = NewDevice::Notify)
        .await;
    let ada = notify.signed_in("ada").await;
    ada.sign_in(&ada.new_browser()).await;
    let mail = notify.mail_to(&ada.email).await;
    assert_eq!(mail.subject, "New sign-in to your localhost account");
    assert!(
        !mail.has_token() && mail.text.contains("Firefox · Linux"),
        "{}",
        mail.text
    );
    let off = db
        .site_with(|c| c.security.new_device = NewDevice::Off)
        .await;
    ada.sign_in(&off.browser()).await;
}

on_both_databases!(the_notices_of_new_browsers_are_limited);
async fn the_notices_of_new_browsers_are_limited(db: Database) {
    let site = db
        .site_with(|c| {
            c.security.new_device = NewDevice::Notify;
            c.security.max_devices = 100;
            c.limits.login_ip = "100/m".parse().unwrap();
        })
        .await;
    let ada = site.signed_in("ada").await;
    for _ in 0..60 {
        ada.sign_in(&ada.new_browser()).await;
    }
    assert_refused!(ada.try_sign_in(&ada.new_browser()), RateLimited);
    ada.sign_in(&ada.browser).await;
    assert_eq!(site.mails().await.len(), 60);
}

on_both_databases!(a_listed_device_can_be_signed_out);
async fn a_listed_device_can_be_signed_out(db: Database) {
    let site = site_with_device_limit(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.new_browser();
    site.advance("5m");
    ada.sign_in(&phone).await;
    let list = ada.browser.get("/devices").await;
    let ids: Vec<Value> = (0..2)
        .map(|n| list.json()["devices"][n]["id"].clone())
        .collect();
    // The request itself is the latest use of its own device.
    let mut expected = vec![
        json!({"id": ids[0], "name": "Firefox · Linux", "first_seen_at": rfc3339(site.now()),
            "last_used_at": rfc3339(site.now()), "current": false}),
        json!({"id": ids[1], "name": "Firefox · Linux", "first_seen_at": rfc3339(site.now() - 300_000),
            "last_used_at": rfc3339(site.now()), "current": true}),
    ];
    if list.json()["devices"][0]["current"] == true {
        expected.reverse();
        expected[0]["id"] = ids[0].clone();
        expected[1]["id"] = ids[1].clone();
    }
    list.assert_json(200, &json!({"devices": expected}));
    let phones = expected.iter().find(|d| d["current"] == false).unwrap()["id"].clone();

    eve.browser
        .post("/devices/sign-out", &json!({"id": phones}))
        .await
        .assert_empty();
    ada.assert_signed_in(&phone).await;
    ada.browser
        .post("/devices/sign-out", &json!({"id": phones}))
        .await
        .assert_empty();
    phone.assert_signed_out().await;
    ada.assert_signed_in(&ada.browser).await;
}

on_both_databases!(a_device_that_was_signed_out_needs_a_new_approval);
async fn a_device_that_was_signed_out_needs_a_new_approval(db: Database) {
    let site = db.site().await;
    let (ada, phone, token) = person_with_pending_approval(&site).await;
    approve(&phone, &token).await;
    approve(&phone, &token).await;
    ada.sign_in(&phone).await;
    // The plain sign-out does not forget the device.
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
    let list = ada.browser.get("/devices").await.json();
    let list = list["devices"].as_array().unwrap().clone();
    let other = list.iter().find(|d| d["current"] == false).unwrap();
    let out = json!({"id": other["id"]});
    ada.browser
        .post("/devices/sign-out", &out)
        .await
        .assert_empty();
    ada.assert_needs_approval(&phone).await;
    let token = site.mail_to(&ada.email).await.token();
    approve(&phone, &token).await;
    ada.sign_in(&phone).await;
}

on_both_databases!(signing_out_everywhere_leaves_no_session_of_the_account);
async fn signing_out_everywhere_leaves_no_session_of_the_account(db: Database) {
    let site = site_with_device_limit(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    ada.browser.sign_out_everywhere().await;
    assert_eq!(ada.browser.cookie("session"), None);
    phone.assert_signed_out().await;
    eve.assert_signed_in(&eve.browser).await;
    ada.sign_in(&ada.browser).await;
}

// A thief may have requested the change.
on_both_databases!(signing_out_everywhere_ends_a_pending_address_change);
async fn signing_out_everywhere_ends_a_pending_address_change(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let thief = ada.browser.copy();
    assert_status!(thief.request_email_change("sent@example.org"), 200);
    let sent = site.mail_to("sent@example.org").await.token();
    ada.browser.sign_out_everywhere().await;
    assert_refused!(thief.confirm_email_change(&sent), InvalidToken);

    ada.sign_in(&ada.browser).await;
    assert_status!(ada.browser.request_email_change("queued@example.org"), 200);
    ada.browser.sign_out_everywhere().await;
    assert!(
        site.mails().await.is_empty(),
        "the queued mail was withdrawn"
    );
}
