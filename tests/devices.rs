//! Devices: enrolment, approval by mail, and the device limit.

mod limit;

use account::config::NewDevice;
use account::testing::i18n::Language;

use crate::support::prelude::*;

/// A signed-in person, a second browser with a pending approval, and the token of that approval.
async fn person_with_pending_approval(site: &Site) -> (Person, Browser, String) {
    let ada = site.signed_in("ada").await;
    let laptop = ada.new_browser();
    let wrong = laptop.try_sign_in(&ada.email, "Wrong-Password-1");
    assert_refused!(wrong, InvalidCredentials);
    let response = ada.try_sign_in(&laptop).await;
    response.assert_error(ErrorCode::NewDevice);
    assert!(response.set_cookie("device").is_some() && response.set_cookie("session").is_none());
    // The wrong password has caused no mail.
    let token = ada.mailed_token().await;
    (ada, laptop, token)
}

async fn site_with_device_limit(db: &Database, most: u32) -> Site {
    db.site_with(|c| {
        c.security.max_devices = most;
        allow_new_devices(c);
        c.limits.enabled = false;
    })
    .await
}

/// Signs the first listed device out after a refusal for too many devices.
pub async fn sign_out_first_device(browser: &Browser, refusal: &Value) {
    let form = json!({"id": refusal["devices"][0]["id"], "token": refusal["device_token"]});
    browser
        .post("/devices/sign-out", &form)
        .await
        .assert_empty();
}

/// The id of the device that is, or is not, that of the browser.
pub async fn device_id(browser: &Browser, is_current: bool) -> Value {
    let list = browser.get_json("/devices").await;
    let devices = list["devices"].as_array().unwrap();
    let found = devices
        .iter()
        .find(|device| device["current"] == is_current);
    found.unwrap()["id"].clone()
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

on_both_databases!(
    the_first_sign_in_enrols_any_browser,
    approval_in_another_browser_needs_a_click,
    refusing_a_device_ends_all_other_sessions,
    an_approval_lasts_half_an_hour,
    new_device_notify_sends_a_notice_and_off_sends_nothing,
    the_notices_of_new_browsers_are_limited,
    a_listed_device_can_be_signed_out,
    a_device_that_was_signed_out_needs_a_new_approval,
    signing_out_everywhere_leaves_no_session_of_the_account,
);

async fn the_first_sign_in_enrols_any_browser(Member(_, ada): Member) {
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
}

async fn approval_in_another_browser_needs_a_click(site: Site) {
    let (ada, laptop, token) = person_with_pending_approval(&site).await;
    let phone = ada.new_browser();
    let pending = json!({
        "code": "device_pending",
        "message": "A new device tried to sign in to your account. Was this you?",
        "device": "Firefox · Linux",
        "requested_at": rfc3339(site.now()),
    });
    for _ in 0..2 {
        assert_json!(phone.confirm_email(&token), 200, &pending);
    }
    ada.assert_needs_approval(&laptop).await;
    let newer = ada.mailed_token().await;
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
    ada.mail().await;
}

async fn refusing_a_device_ends_all_other_sessions(site: Site) {
    let (ada, thief, token) = person_with_pending_approval(&site).await;
    let elsewhere = ada.browser.copy();
    // Its mail is withdrawn before it is sent.
    ada.assert_needs_approval(&ada.new_browser()).await;
    let refused = json!({
        "code": "device_refused",
        "message": "We blocked that device and ended all other sessions. Please choose a new password now.",
    });
    let phone = ada.new_browser();
    assert_json!(phone.decide_device(&token, false), 200, &refused);
    elsewhere.assert_signed_out().await;
    assert_refused!(thief.confirm_email(&token), InvalidToken);
    ada.assert_needs_approval(&thief).await;

    // The session of the refusing browser stays.
    ada.sign_in(&ada.browser).await;
    let newer = ada.mailed_token().await;
    assert_ok!(ada.browser.decide_device(&newer, false));
    ada.assert_still_signed_in().await;
}

async fn an_approval_lasts_half_an_hour(site: Site) {
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

async fn new_device_notify_sends_a_notice_and_off_sends_nothing(db: Database) {
    let notify = db
        .site_with(|c| c.security.new_device = NewDevice::Notify)
        .await;
    let ada = notify.signed_in("ada").await;
    ada.sign_in(&ada.new_browser()).await;
    let mail = ada.mail().await;
    assert_eq!(mail.subject, "New sign-in to your localhost account");
    let is_notice = !mail.has_token() && mail.text.contains("Firefox · Linux");
    assert!(is_notice, "{}", mail.text);
    let off = db.site_with(allow_new_devices).await;
    ada.sign_in(&off.browser()).await;
}

async fn the_notices_of_new_browsers_are_limited(db: Database) {
    let (site, ada) = db
        .site_with_ada(|c| {
            c.security.new_device = NewDevice::Notify;
            c.security.max_devices = 100;
            c.limits.login_ip = "100/m".parse().unwrap();
        })
        .await;
    for _ in 0..60 {
        ada.sign_in(&ada.new_browser()).await;
    }
    assert_refused!(ada.try_sign_in(&ada.new_browser()), RateLimited);
    ada.sign_in(&ada.browser).await;
    assert_eq!(site.mails().await.len(), 60);
}

async fn a_listed_device_can_be_signed_out(db: Database) {
    let site = site_with_device_limit(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.new_browser();
    site.advance("5m");
    ada.sign_in(&phone).await;
    let (own, phones) = (
        device_id(&ada.browser, true).await,
        device_id(&ada.browser, false).await,
    );
    let mut list = ada.browser.get_json("/devices").await;
    list["devices"]
        .as_array_mut()
        .unwrap()
        .sort_by_key(|device| device["current"] == true);
    // The request itself is the latest use of its own device.
    let (name, now) = ("Firefox · Linux", site.now());
    let device = |id: &Value, first_seen_at: i64, current: bool| {
        json!({"id": id, "name": name, "first_seen_at": rfc3339(first_seen_at),
            "last_used_at": rfc3339(now), "current": current})
    };
    let expected = [
        device(&phones, now, false),
        device(&own, now - 300_000, true),
    ];
    assert_eq!(list, json!({"devices": expected}));

    let form = json!({"id": phones});
    eve.browser
        .post("/devices/sign-out", &form)
        .await
        .assert_empty();
    ada.assert_signed_in(&phone).await;
    ada.browser
        .post("/devices/sign-out", &form)
        .await
        .assert_empty();
    phone.assert_signed_out().await;
    ada.assert_still_signed_in().await;
}

async fn a_device_that_was_signed_out_needs_a_new_approval(site: Site) {
    let (ada, phone, token) = person_with_pending_approval(&site).await;
    approve(&phone, &token).await;
    approve(&phone, &token).await;
    ada.sign_in(&phone).await;
    // The plain sign-out does not forget the device.
    phone.post_empty("/logout").await.assert_empty();
    ada.sign_in(&phone).await;
    let out = json!({"id": device_id(&ada.browser, false).await});
    ada.browser
        .post("/devices/sign-out", &out)
        .await
        .assert_empty();
    ada.assert_needs_approval(&phone).await;
    approve(&phone, &ada.mailed_token().await).await;
    ada.sign_in(&phone).await;
}

async fn signing_out_everywhere_leaves_no_session_of_the_account(db: Database) {
    let site = site_with_device_limit(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.new_browser();
    ada.sign_in(&phone).await;
    ada.browser.sign_out_everywhere().await;
    assert_eq!(ada.browser.cookie("session"), None);
    phone.assert_signed_out().await;
    eve.assert_still_signed_in().await;
    ada.sign_in(&ada.browser).await;
}
