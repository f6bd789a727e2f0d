//! The device limit, and the token that signs out one device.

use account::config::NewDevice;
use account::params;
use account::testing::clock::rfc3339;
use account::testing::error::ErrorCode;
use account::testing::i18n::Language;
use serde_json::json;

use super::site_with_device_limit;
use crate::support::{Database, allow_new_devices};

on_both_databases!(a_sign_in_over_the_device_limit_lists_the_devices);
// security: SE-8
async fn a_sign_in_over_the_device_limit_lists_the_devices(db: Database) {
    let site = site_with_device_limit(&db, 2).await;
    let ada = site.signed_in("ada").await;
    let (first, second, third) = (&ada.browser, ada.new_browser(), ada.new_browser());
    site.advance("1m");
    ada.sign_in(&second).await;
    let refused = third.post("/login", &ada.credentials()).await;
    let body = refused.json();
    let id = |n: usize| body["devices"][n]["id"].clone();
    let (name, now) = ("Firefox · Linux", site.now());
    let token = body["device_token"].clone();
    refused.assert_json(
        403,
        &json!({
            "code": "too_many_devices",
            "detail": ErrorCode::TooManyDevices.message().text(Language::En),
            "devices": [
                {"id": id(0), "name": name, "first_seen_at": rfc3339(now), "last_used_at": rfc3339(now)},
                {
                    "id": id(1),
                    "name": name,
                    "first_seen_at": rfc3339(now - 60_000),
                    "last_used_at": rfc3339(now - 60_000),
                },
            ],
            "device_token": token,
        }),
    );
    // A device that is already signed in does not count twice.
    ada.sign_in(first).await;

    let out = json!({"id": id(0), "token": token});
    third.post("/devices/sign-out", &out).await.assert_empty();
    second.assert_signed_out().await;
    ada.assert_signed_in(first).await;
    ada.sign_in(&third).await;
}

on_both_databases!(a_sign_in_refused_at_the_device_limit_is_not_reported_as_a_new_sign_in);
async fn a_sign_in_refused_at_the_device_limit_is_not_reported_as_a_new_sign_in(db: Database) {
    let site = db
        .site_with(|c| {
            c.security.new_device = NewDevice::Notify;
            c.security.max_devices = 1;
        })
        .await;
    let ada = site.signed_in("ada").await;
    let browser = ada.new_browser();
    let refused = browser.post("/login", &ada.credentials()).await;
    let refused = refused.assert_error_with_data(ErrorCode::TooManyDevices);
    let out = json!({"id": refused["devices"][0]["id"], "token": refused["device_token"]});
    browser.post("/devices/sign-out", &out).await.assert_empty();
    ada.sign_in(&browser).await;
    let mail = site.mail_to(&ada.email).await;
    assert_eq!(mail.subject, "New sign-in to your localhost account");
}

on_both_databases!(the_device_token_works_for_its_account_only_and_for_half_an_hour);
async fn the_device_token_works_for_its_account_only_and_for_half_an_hour(db: Database) {
    let site = site_with_device_limit(&db, 1).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let refused = eve.try_sign_in(&eve.new_browser()).await.json();
    let adas = ada.browser.get("/devices").await.json()["devices"][0]["id"].clone();
    let stranger = site.browser();
    let token = &refused["device_token"];
    stranger
        .post("/devices/sign-out", &json!({"id": adas, "token": token}))
        .await
        .assert_empty();
    ada.assert_signed_in(&ada.browser).await;
    let own = json!({"id": refused["devices"][0]["id"], "token": token});
    site.advance("30m");
    assert_refused!(stranger.post("/devices/sign-out", &own), InvalidToken);
    let without = json!({"id": refused["devices"][0]["id"]});
    assert_refused!(
        stranger.post("/devices/sign-out", &without),
        Unauthenticated
    );
    eve.assert_signed_in(&eve.browser).await;
}

on_both_databases!(parallel_sign_ins_never_exceed_the_device_limit);
// security: SE-8
async fn parallel_sign_ins_never_exceed_the_device_limit(db: Database) {
    let site = site_with_device_limit(&db, 3).await;
    let ada = site.member("ada").await;
    let tries = (0..30).map(|_| {
        let (browser, body) = (ada.new_browser(), ada.credentials());
        async move { browser.post("/login", &body).await.status.as_u16() }
    });
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 3], vec![403; 27]].concat());
    assert_eq!(site.count("sessions").await, 3);
}

on_both_databases!(the_device_token_signs_out_a_single_device);
// security: SE-8, TK-4
async fn the_device_token_signs_out_a_single_device(db: Database) {
    let roomy = site_with_device_limit(&db, 3).await;
    let ada = roomy.signed_in("ada").await;
    let (second, third) = (ada.new_browser(), ada.new_browser());
    for browser in [&second, &third] {
        ada.sign_in(browser).await;
    }
    let site = site_with_device_limit(&db, 2).await;
    let newcomer = site.browser();
    let mut last = None;
    for left in [3, 2] {
        let refused = newcomer.post("/login", &ada.credentials()).await;
        let body = refused.json();
        assert_eq!(body["code"], "too_many_devices");
        assert_eq!(body["devices"].as_array().unwrap().len(), left);
        let token = body["device_token"].clone();
        let out = |n: usize| json!({"id": body["devices"][n]["id"], "token": token});
        newcomer
            .post("/devices/sign-out", &out(0))
            .await
            .assert_empty();
        assert_refused!(newcomer.post("/devices/sign-out", &out(1)), InvalidToken);
        assert_eq!(site.count("sessions").await, left as i64 - 1);
        assert_ne!(last.replace(token.clone()), Some(token));
    }
    ada.sign_in(&newcomer).await;
}

on_both_databases!(an_account_keeps_its_newest_devices_and_those_with_a_session);
async fn an_account_keeps_its_newest_devices_and_those_with_a_session(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let account = site.id_of("ada").await;
    for n in 1..=100_u8 {
        let sql =
            "INSERT INTO devices (id, account_id, cookie_hash, name, enrolled_at, last_used_at)
             VALUES ($1, $2, $3, 'Firefox', $4, $5)";
        let (id, hash) = (site.app.rng.id(site.now()), vec![n; 32]);
        let used_at = site.now() + i64::from(n);
        site.execute(sql, params![id, account, &hash, site.now(), used_at])
            .await;
    }
    let oldest = format!("devices WHERE last_used_at = {}", site.now() + 1);
    site.assert_count(&oldest, 1).await;
    site.advance("1m");
    let browser = ada.new_browser();
    ada.sign_in(&browser).await;
    // The 100 newest devices, and the older device of the first session.
    site.assert_count("devices", 101).await;
    site.assert_count(&oldest, 0).await;
    for browser in [&ada.browser, &browser] {
        ada.assert_signed_in(browser).await;
    }
}
