//! Devices: enrolment, approval by mail, and the device limit.

use account::config::NewDevice;
use account::testing::error::ErrorCode;
use account::testing::i18n::Language;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, Database, Person, Site};

/// A person who is signed in, a second browser with a pending approval, and its token.
async fn asked(site: &Site) -> (Person, Browser, String) {
    let ada = site.signed_in("ada").await;
    let laptop = ada.elsewhere();
    let answer = laptop.post("/login", &ada.credentials()).await;
    answer.refuses(ErrorCode::NewDevice);
    assert!(answer.set_cookie("device").is_some() && answer.set_cookie("session").is_none());
    let token = site.mail_to(&ada.email).await.token();
    (ada, laptop, token)
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

both!(another_browser_approves_by_a_button);
async fn another_browser_approves_by_a_button(db: Database) {
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
    // The browser that answered is no device of the account.
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

both!(refusing_a_device_keeps_the_own_session);
async fn refusing_a_device_keeps_the_own_session(db: Database) {
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

async fn capped(db: &Database, most: u32) -> Site {
    db.site_with(|c| {
        c.security.max_devices = most;
        c.security.new_device = NewDevice::Off;
        c.limits.enabled = false;
    })
    .await
}

both!(a_sign_in_over_the_device_limit_lists_the_devices);
// security: SE-8
async fn a_sign_in_over_the_device_limit_lists_the_devices(db: Database) {
    let site = capped(&db, 2).await;
    let ada = site.signed_in("ada").await;
    let (first, second, third) = (&ada.browser, ada.elsewhere(), ada.elsewhere());
    site.wait("1m");
    second
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    let refused = third.post("/login", &ada.credentials()).await;
    let body = refused.json();
    let id = |n: usize| body["devices"][n]["id"].clone();
    let (name, now) = ("Firefox · Linux", site.now());
    let token = body["device_token"].clone();
    // finding: U10
    refused.is(
        403,
        &json!({
            "code": "too_many_devices",
            "detail": ErrorCode::TooManyDevices.message().text(Language::En),
            "devices": [
                {"id": id(0), "name": name, "first_seen_at": now, "last_used_at": now},
                {
                    "id": id(1),
                    "name": name,
                    "first_seen_at": now - 60_000,
                    "last_used_at": now - 60_000,
                },
            ],
            "device_token": token,
        }),
    );
    // A device that is signed in already takes no further place.
    first
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());

    let out = json!({"id": id(0), "token": token});
    third.post("/devices/sign-out", &out).await.is_empty();
    second
        .get("/users/me")
        .await
        .refuses(ErrorCode::Unauthenticated);
    first.get("/users/me").await.is(200, &ada.user().await);
    third
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
}

both!(the_device_token_works_for_its_account_and_half_an_hour);
async fn the_device_token_works_for_its_account_and_half_an_hour(db: Database) {
    let site = capped(&db, 1).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let refused = eve
        .elsewhere()
        .post("/login", &eve.credentials())
        .await
        .json();
    let adas = ada.browser.get("/devices").await.json()["devices"][0]["id"].clone();
    let stranger = site.browser();
    let token = &refused["device_token"];
    stranger
        .post("/devices/sign-out", &json!({"id": adas, "token": token}))
        .await
        .is_empty();
    ada.browser
        .get("/users/me")
        .await
        .is(200, &ada.user().await);
    let own = json!({"id": refused["devices"][0]["id"], "token": token});
    site.wait("30m");
    stranger
        .post("/devices/sign-out", &own)
        .await
        .refuses(ErrorCode::InvalidToken);
    let without = json!({"id": refused["devices"][0]["id"]});
    stranger
        .post("/devices/sign-out", &without)
        .await
        .refuses(ErrorCode::Unauthenticated);
    eve.browser
        .get("/users/me")
        .await
        .is(200, &eve.user().await);
}

both!(parallel_sign_ins_never_exceed_the_device_limit);
// security: SE-8
async fn parallel_sign_ins_never_exceed_the_device_limit(db: Database) {
    let site = capped(&db, 3).await;
    let ada = site.member("ada").await;
    let tries = (0..30).map(|_| {
        let (browser, body) = (ada.elsewhere(), ada.credentials());
        async move { browser.post("/login", &body).await.status.as_u16() }
    });
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 3], vec![403; 27]].concat());
    assert_eq!(site.count("sessions").await, 3);
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
    // The plain sign-out forgets nothing.
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

// finding: F11
both!(the_device_token_signs_out_a_single_device);
// security: SE-8, TK-4
async fn the_device_token_signs_out_a_single_device(db: Database) {
    let roomy = capped(&db, 3).await;
    let ada = roomy.signed_in("ada").await;
    let (second, third) = (ada.elsewhere(), ada.elsewhere());
    for browser in [&second, &third] {
        let answer = browser.post("/login", &ada.credentials()).await;
        answer.is(200, &ada.me());
    }
    let site = capped(&db, 2).await;
    let newcomer = site.browser();
    let mut last = None;
    for left in [3, 2] {
        let refused = newcomer.post("/login", &ada.credentials()).await;
        let body = refused.json();
        assert_eq!(body["code"], "too_many_devices");
        assert_eq!(body["devices"].as_array().unwrap().len(), left);
        let token = body["device_token"].clone();
        let out = |n: usize| json!({"id": body["devices"][n]["id"], "token": token});
        newcomer.post("/devices/sign-out", &out(0)).await.is_empty();
        newcomer
            .post("/devices/sign-out", &out(1))
            .await
            .refuses(ErrorCode::InvalidToken);
        assert_eq!(site.count("sessions").await, left as i64 - 1);
        assert_ne!(last.replace(token.clone()), Some(token));
    }
    newcomer
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
    assert!(site.mails().await.is_empty(), "it was taken back");
}
