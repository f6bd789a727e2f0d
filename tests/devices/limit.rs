//! The device limit, and the token that signs out one device.

use account::config::NewDevice;
use account::testing::i18n::Language;

use super::{device_id, sign_out_first_device, site_with_device_limit};
use crate::support::prelude::*;

on_both_databases!(
    a_sign_in_over_the_device_limit_lists_the_devices,
    a_sign_in_refused_at_the_device_limit_is_not_reported_as_a_new_sign_in,
    the_device_token_works_for_its_account_only_and_for_half_an_hour,
    parallel_sign_ins_never_exceed_the_device_limit,
    the_device_token_signs_out_a_single_device,
    an_account_keeps_its_newest_devices_and_those_with_a_session,
);

// security: SE-8
async fn a_sign_in_over_the_device_limit_lists_the_devices(db: Database) {
    let site = site_with_device_limit(&db, 2).await;
    let ada = site.signed_in("ada").await;
    let (first, second, third) = (&ada.browser, ada.new_browser(), ada.new_browser());
    site.advance("1m");
    ada.sign_in(&second).await;
    let refused = ada.try_sign_in(&third).await;
    let body = refused.json();
    let device = |n: usize, seen_at: i64| {
        let seen = rfc3339(seen_at);
        json!({"id": body["devices"][n]["id"], "name": "Firefox · Linux", "first_seen_at": seen,
            "last_used_at": seen})
    };
    let expected = json!({
        "code": "too_many_devices",
        "detail": ErrorCode::TooManyDevices.message().text(Language::En),
        "devices": [device(0, site.now()), device(1, site.now() - 60_000)],
        "device_token": body["device_token"],
    });
    refused.assert_json(403, &expected);
    // A device that is already signed in does not count twice.
    ada.sign_in(first).await;

    sign_out_first_device(&third, &body).await;
    second.assert_signed_out().await;
    ada.assert_signed_in(first).await;
    ada.sign_in(&third).await;
}

async fn a_sign_in_refused_at_the_device_limit_is_not_reported_as_a_new_sign_in(db: Database) {
    let (_, ada) = db
        .site_with_ada(|c| {
            c.security.new_device = NewDevice::Notify;
            c.security.max_devices = 1;
        })
        .await;
    let browser = ada.new_browser();
    let refused = assert_code!(ada.try_sign_in(&browser), TooManyDevices);
    sign_out_first_device(&browser, &refused).await;
    ada.sign_in(&browser).await;
    let mail = ada.mail().await;
    assert_eq!(mail.subject, "New sign-in to your localhost account");
}

async fn the_device_token_works_for_its_account_only_and_for_half_an_hour(db: Database) {
    let site = site_with_device_limit(&db, 1).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let refused = eve.try_sign_in(&eve.new_browser()).await.json();
    let (stranger, token) = (site.browser(), &refused["device_token"]);
    let sign_out = async |form: Value| stranger.post("/devices/sign-out", &form).await;
    let adas = device_id(&ada.browser, true).await;
    sign_out(json!({"id": adas, "token": token}))
        .await
        .assert_empty();
    ada.assert_still_signed_in().await;
    site.advance("30m");
    let eves = &refused["devices"][0]["id"];
    assert_refused!(sign_out(json!({"id": eves, "token": token})), InvalidToken);
    assert_refused!(sign_out(json!({"id": eves})), Unauthenticated);
    eve.assert_still_signed_in().await;
}

// security: SE-8
async fn parallel_sign_ins_never_exceed_the_device_limit(db: Database) {
    let site = site_with_device_limit(&db, 3).await;
    let ada = site.member("ada").await;
    let tries = (0..30).map(|_| {
        let (browser, body) = (ada.new_browser(), ada.credentials());
        async move { browser.post("/login", &body).await.status.as_u16() }
    });
    let mut statuses = join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 3], vec![403; 27]].concat());
    site.assert_count("sessions", 3).await;
}

// security: SE-8, TK-4
async fn the_device_token_signs_out_a_single_device(db: Database) {
    let roomy = site_with_device_limit(&db, 3).await;
    let ada = roomy.signed_in("ada").await;
    for browser in [ada.new_browser(), ada.new_browser()] {
        ada.sign_in(&browser).await;
    }
    let site = site_with_device_limit(&db, 2).await;
    let newcomer = site.browser();
    let mut last = None;
    for left in [3, 2] {
        let body = assert_code!(ada.try_sign_in(&newcomer), TooManyDevices);
        assert_eq!(body["devices"].as_array().unwrap().len(), left);
        let token = body["device_token"].clone();
        sign_out_first_device(&newcomer, &body).await;
        let next = json!({"id": body["devices"][1]["id"], "token": token});
        assert_refused!(newcomer.post("/devices/sign-out", &next), InvalidToken);
        site.assert_count("sessions", left as i64 - 1).await;
        assert_ne!(last.replace(token.clone()), Some(token));
    }
    ada.sign_in(&newcomer).await;
}

async fn an_account_keeps_its_newest_devices_and_those_with_a_session(db: Database) {
    let (site, ada) = db.site_with_ada(allow_new_devices).await;
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
