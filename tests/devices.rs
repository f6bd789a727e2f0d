//! Devices: enrolment, approval by mail, and the device limit.

mod limit;

use account::config::NewDevice;
use account::testing::error::ErrorCode;
use account::testing::i18n::Language;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, Database, Person, Site};

/// A signed-in person, a second browser with a pending approval, and the token of that approval.
async fn asked(site: &Site) -> (Person, Browser, String) {
    let ada = site.signed_in("ada").await;
    let laptop = ada.elsewhere();
    let answer = laptop.post("/login", &ada.credentials()).await;
    answer.refuses(ErrorCode::NewDevice);
    assert!(answer.set_cookie("device").is_some() && answer.set_cookie("session").is_none());
    let token = site.mail_to(&ada.email).await.token();
    (ada, laptop, token)
}

async fn capped(db: &Database, most: u32) -> Site {
    db.site_with(|c| {
        c.security.max_devices = most;
        c.security.new_device = NewDevice::Off;
        c.limits.enabled = false;
    })
    .await
}

async fn open(browser: &Browser, token: &str) -> Answer {
    browser.get(&format!("/confirm-email?token={token}")).await
}

async fn decide(browser: &Browser, token: &str, approve: bool) -> Answer {
    let body = json!({"token": token, "approve": approve});
    browser.post("/confirm-device", &body).await
}

fn approved() -> Value {
    json!({"code": "device_approved", "message": "This device is approved. You can sign in now."})
}

both!(the_first_sign_in_enrols_any_browser);
async fn the_first_sign_in_enrols_any_browser(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let phone = ada.elsewhere();
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    phone.press("/logout").await.is_empty();
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

both!(an_approval_link_approves_at_once_in_the_requesting_browser);
async fn an_approval_link_approves_at_once_in_the_requesting_browser(db: Database) {
    let site = db.site().await;
    let (ada, laptop, token) = asked(&site).await;
    open(&laptop, &token).await.is(200, &approved());
    open(&laptop, &token).await.is(200, &approved());
    laptop
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

both!(approval_in_another_browser_needs_a_click);
async fn approval_in_another_browser_needs_a_click(db: Database) {
    let site = db.site().await;
    let (ada, laptop, token) = asked(&site).await;
    let phone = ada.elsewhere();
    let pending = json!({
        "code": "device_pending",
        "message": "A new device tried to sign in to your account. Was this you?",
        "device": "Firefox · Linux",
        "requested_at": site.now(),
    });
    open(&phone, &token).await.is(200, &pending);
    open(&phone, &token).await.is(200, &pending);
    laptop
        .post("/login", &ada.credentials())
        .await
        .refuses(ErrorCode::NewDevice);
    let newer = site.mail_to(&ada.email).await.token();
    decide(&phone, &token, true)
        .await
        .refuses(ErrorCode::InvalidToken);
    decide(&phone, &newer, true).await.is(200, &approved());
    decide(&phone, &newer, true)
        .await
        .refuses(ErrorCode::InvalidToken);
    laptop
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    // The browser that refused the device did not become a device of the account.
    phone
        .post("/login", &ada.credentials())
        .await
        .refuses(ErrorCode::NewDevice);
    site.mail_to(&ada.email).await;
}

both!(refusing_a_device_ends_all_other_sessions);
async fn refusing_a_device_ends_all_other_sessions(db: Database) {
    let site = db.site().await;
    let (ada, thief, token) = asked(&site).await;
    let elsewhere = ada.browser.copy();
    let refused = json!({
        "code": "device_refused",
        "message": "We blocked that device and ended all other sessions. Please choose a new password now.",
    });
    let phone = ada.elsewhere();
    decide(&phone, &token, false).await.is(200, &refused);
    elsewhere
        .get("/users/me")
        .await
        .refuses(ErrorCode::Unauthenticated);
    open(&thief, &token).await.refuses(ErrorCode::InvalidToken);
    thief
        .post("/login", &ada.credentials())
        .await
        .refuses(ErrorCode::NewDevice);
    site.mail_to(&ada.email).await;
}

both!(refusing_a_device_keeps_the_session_of_the_refusing_browser);
async fn refusing_a_device_keeps_the_session_of_the_refusing_browser(db: Database) {
    let site = db.site().await;
    let (ada, _, token) = asked(&site).await;
    assert_eq!(decide(&ada.browser, &token, false).await.status, 200);
    ada.browser
        .get("/users/me")
        .await
        .is(200, &ada.user().await);
}

both!(an_approval_lasts_half_an_hour);
async fn an_approval_lasts_half_an_hour(db: Database) {
    let site = db.site().await;
    let (_, laptop, token) = asked(&site).await;
    site.wait("30m");
    // finding: U6
    let expired = json!({
        "code": "invalid_token",
        "detail": ErrorCode::InvalidToken.message().text(Language::En),
        "purpose": "device_approval",
    });
    open(&laptop, &token).await.is(400, &expired);
    site.wait("6d");
    site.sweep().await;
    open(&laptop, &token).await.is(400, &expired);
    site.wait("1d");
    site.sweep().await;
    open(&laptop, &token).await.refuses(ErrorCode::InvalidToken);
    decide(&laptop, &token, true)
        .await
        .refuses(ErrorCode::InvalidToken);
}

both!(a_wrong_password_sends_no_mail);
async fn a_wrong_password_sends_no_mail(db: Database) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    let wrong = ada.signs_in_with("Wrong-Password-1");
    ada.elsewhere()
        .post("/login", &wrong)
        .await
        .refuses(ErrorCode::InvalidCredentials);
}

both!(new_device_notify_sends_a_notice_and_off_sends_nothing);
async fn new_device_notify_sends_a_notice_and_off_sends_nothing(db: Database) {
    let notify = db
        .site_with(|c| c.security.new_device = NewDevice::Notify)
        .await;
    let ada = notify.signed_in("ada").await;
    ada.elsewhere()
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
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
    off.browser()
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

both!(a_listed_device_can_be_signed_out);
async fn a_listed_device_can_be_signed_out(db: Database) {
    let site = capped(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.elsewhere();
    site.wait("5m");
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    let list = ada.browser.get("/devices").await;
    let ids: Vec<Value> = (0..2)
        .map(|n| list.json()["devices"][n]["id"].clone())
        .collect();
    // The request itself is the latest use of its own device.
    let mut expected = vec![
        json!({"id": ids[0], "name": "Firefox · Linux", "first_seen_at": site.now(),
            "last_used_at": site.now(), "current": false}),
        json!({"id": ids[1], "name": "Firefox · Linux", "first_seen_at": site.now() - 300_000,
            "last_used_at": site.now(), "current": true}),
    ];
    if list.json()["devices"][0]["current"] == true {
        expected.reverse();
        expected[0]["id"] = ids[0].clone();
        expected[1]["id"] = ids[1].clone();
    }
    list.is(200, &json!({"devices": expected}));
    let phones = expected.iter().find(|d| d["current"] == false).unwrap()["id"].clone();

    eve.browser
        .post("/devices/sign-out", &json!({"id": phones}))
        .await
        .is_empty();
    phone.get("/users/me").await.is(200, &ada.user().await);
    ada.browser
        .post("/devices/sign-out", &json!({"id": phones}))
        .await
        .is_empty();
    phone
        .get("/users/me")
        .await
        .refuses(ErrorCode::Unauthenticated);
    ada.browser
        .get("/users/me")
        .await
        .is(200, &ada.user().await);
}

both!(a_device_that_was_signed_out_needs_a_new_approval);
async fn a_device_that_was_signed_out_needs_a_new_approval(db: Database) {
    let site = db.site().await;
    let (ada, phone, token) = asked(&site).await;
    open(&phone, &token).await.is(200, &approved());
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    // The plain sign-out does not forget the device.
    phone.press("/logout").await.is_empty();
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    let list = ada.browser.get("/devices").await.json();
    let list = list["devices"].as_array().unwrap().clone();
    let other = list.iter().find(|d| d["current"] == false).unwrap();
    let out = json!({"id": other["id"]});
    ada.browser.post("/devices/sign-out", &out).await.is_empty();
    phone
        .post("/login", &ada.credentials())
        .await
        .refuses(ErrorCode::NewDevice);
    let token = site.mail_to(&ada.email).await.token();
    open(&phone, &token).await.is(200, &approved());
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

both!(signing_out_everywhere_leaves_no_session_of_the_account);
async fn signing_out_everywhere_leaves_no_session_of_the_account(db: Database) {
    let site = capped(&db, 10).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let phone = ada.elsewhere();
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    ada.browser.press("/devices/sign-out-all").await.is_empty();
    assert_eq!(ada.browser.cookie("session"), None);
    phone
        .get("/users/me")
        .await
        .refuses(ErrorCode::Unauthenticated);
    eve.browser
        .get("/users/me")
        .await
        .is(200, &eve.user().await);
    ada.browser
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

// finding: F18
both!(signing_out_everywhere_ends_a_pending_address_change);
async fn signing_out_everywhere_ends_a_pending_address_change(db: Database) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    let thief = ada.browser.copy();
    let to = |email: &str| json!({"email": email});
    let answer = thief.post("/change-email", &to("sent@example.org")).await;
    assert_eq!(answer.status, 200);
    let sent = site.mail_to("sent@example.org").await.token();
    ada.browser.press("/devices/sign-out-all").await.is_empty();
    let path = format!("/confirm-email-change?token={sent}");
    thief.get(&path).await.refuses(ErrorCode::InvalidToken);

    ada.browser
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    let answer = ada
        .browser
        .post("/change-email", &to("queued@example.org"))
        .await;
    assert_eq!(answer.status, 200);
    ada.browser.press("/devices/sign-out-all").await.is_empty();
    assert!(
        site.mails().await.is_empty(),
        "the queued mail was withdrawn"
    );
}
