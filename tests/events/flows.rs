//! Flows that together cause every event.

use account::testing::accounts;
use account::testing::legacy::invite::{self, Invitations};
use account::testing::outbox::queues;
use axum::http::Request;
use serde_json::json;

use super::NEW_PASSWORD;
use crate::oidc;
use crate::old_accounts::{OLD_PASSWORD, old, old_with};
use crate::passkeys;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::second_factor;
use crate::support::actors::{PASSWORD, form_with};
use crate::support::authenticator::Authenticator;
use crate::support::browser::API;
use crate::support::smtp::{Behaviour, Smtp};
use crate::support::{Browser, Database, Person, Site, form};
use crate::support_view;

/// The token in the newest mail to an address; other mails count as read.
async fn token_to(site: &Site, email: &str) -> String {
    site.last_token_to(email, "").await
}

/// Registers and signs in a person over HTTP, so that these events are logged.
async fn signed_in(site: &Site, name: &str) -> Person {
    site.mails().await;
    site.joined_and_signed_in(name).await
}

/// Signs in from an unknown browser. Returns it with the token of the approval mail.
async fn sign_in_from_new_device(site: &Site, email: &str) -> (Browser, String) {
    let browser = site.browser();
    let credentials = json!({"email": email, "password": PASSWORD});
    let response = browser.post("/login", &credentials).await;
    assert_eq!(response.json()["code"], "new_device");
    (browser, token_to(site, email).await)
}

pub(super) async fn device_events(db: &Database) {
    let site = db.site_with(|c| c.security.max_devices = 1).await;
    let ada = signed_in(&site, "ada").await;
    let (laptop, token) = sign_in_from_new_device(&site, &ada.email).await;
    laptop.confirm_email(&token).await;
    let response = laptop.post("/login", &ada.credentials()).await;
    assert_eq!(response.json()["code"], "too_many_devices");
    let id = ada.browser.get("/devices").await.json()["devices"][0]["id"].clone();
    let form = json!({"id": id});
    let signed_out = ada.browser.post("/devices/sign-out", &form).await;
    signed_out.assert_empty();
    let bob = signed_in(&site, "bob").await;
    let signed_out = bob.browser.post_empty("/devices/sign-out-all").await;
    signed_out.assert_empty();
    let (_, token) = sign_in_from_new_device(&site, &bob.email).await;
    let response = bob.browser.decide_device(&token, false).await;
    assert_eq!(response.json()["code"], "device_refused");
    let cleo = signed_in(&site, "cleo").await;
    cleo.browser.post_empty("/logout").await.assert_empty();
}

pub(super) async fn change_events(db: &Database) {
    let site = db.site().await;
    let dora = signed_in(&site, "dora").await;
    for (current, status) in [("Wrong-Horse-7", 403), (PASSWORD, 200)] {
        assert_status!(
            change_password(&dora.browser, current, NEW_PASSWORD),
            status
        );
    }
    assert_status!(dora.browser.request_email_change("new@example.org"), 200);
    let choice = json!({"consent": true});
    assert_status!(dora.browser.put("/marketing-consent", &choice), 200);
    assert_status!(dora.browser.get("/data-export"), 200);
    let token = token_to(&site, "new@example.org").await;
    assert_eq!(dora.browser.confirm_email_change(&token).await.status, 200);
    let undo = token_to(&site, &dora.email).await;
    assert_status!(dora.browser.undo_email_change(&undo), 200);

    dora.browser.request_reset(&dora.email).await;
    let token = token_to(&site, &dora.email).await;
    assert_status!(confirm_reset(&dora.browser, &token, "Cherry-Tree-44"), 200);
}

pub(super) async fn passkey_events(db: &Database) {
    let site = db.site().await;
    site.mails().await;
    let mut key = Authenticator::device_bound();
    let fay = passkeys::person_with_passkey(&site, "fay", &mut key).await;
    let list = fay.browser.get("/passkeys").await.json();
    let path = format!("/passkeys/{}", list["passkeys"][0]["id"].as_str().unwrap());
    assert_status!(fay.browser.patch(&path, &json!({"name": "Key"})), 200);
    key.counter = 0;
    let copied = passkeys::sign_in(&fay.browser, &mut key).await;
    assert_eq!(copied.json()["code"], "passkey_rejected");
    assert_eq!(fay.browser.delete(&path).await.status, 200);
}

pub(super) async fn application_events(db: &Database) {
    let site = db.site_with(oidc::enable_provider).await;
    site.mails().await;
    let ivy = signed_in(&site, "ivy").await;
    let wiki = oidc::wiki();
    let wrong = oidc::form_request(oidc::TOKEN)
        .header("authorization", oidc::basic_auth("wiki", "Wrong-1"));
    assert_eq!(site.browser().send(wrong).await.status, 401);
    let refused = site
        .browser()
        .open("/account/oidc/authorize?client_id=unknown")
        .await;
    assert_eq!(refused.status, 400);
    let logout = "/account/oidc/logout?client_id=wiki&post_logout_redirect_uri=unregistered";
    assert_eq!(site.browser().open(logout).await.status, 303);
    let redemption = wiki.token_form(&wiki.code(&ivy.browser).await);
    for status in [200, 400] {
        assert_eq!(
            oidc::request_token(&site, "wiki", &redemption).await.status,
            status
        );
    }
    let tokens = wiki.tokens(&site, &ivy.browser).await;
    let token = oidc::text_value(&tokens, "refresh_token");
    for status in [200, 400] {
        assert_eq!(oidc::refresh(&site, &token).await.status, status);
        site.advance("31s");
    }
    assert_status!(ivy.browser.delete("/connected-apps/wiki"), 204);
}

pub(super) async fn second_factor_events(db: &Database) {
    let site = db.site().await;
    site.mails().await;
    let gil = second_factor::person_with_second_factor(&site, "gil").await;
    let (browser, stranger) = (&gil.person.browser, site.browser());
    for code in [gil.codes[0].clone(), gil.code(&site)] {
        let token = gil.first_step(&stranger).await;
        assert_status!(stranger.request_factor_reset(&token), 202);
        assert_status!(second_factor::second_step(&stranger, &token, &code), 200);
    }
    let token = gil.first_step(&stranger).await;
    for _ in 0..5 {
        let wrong = gil.app.wrong_code(site.now());
        second_factor::second_step(&stranger, &token, &wrong).await;
    }
    let nothing = json!({});
    assert_status!(browser.post("/second-factor/recovery-codes", &nothing), 200);
    let token = gil.first_step(&stranger).await;
    stranger.request_factor_reset(&token).await;
    site.advance("7d");
    let form = json!({"token": token_to(&site, &gil.person.email).await});
    assert_status!(stranger.post("/second-factor/reset/confirm", &form), 200);
    assert_status!(browser.post("/login", &gil.person.credentials()), 200);
    site.mails().await;
    let gil = second_factor::turn_on(&site, gil.person).await;
    let turned_off = gil.person.browser.delete("/second-factor").await;
    turned_off.assert_empty();
}

pub(super) async fn deletion_events(db: &Database) {
    let site = db.site().await;
    let max = signed_in(&site, "max").await;
    let id = site.id_of("max").await;
    crate::deletion::request(&max).await;
    let refusal = max.try_sign_in(&max.browser).await;
    let token = json!({"token": refusal.json()["restore_token"]});
    assert_status!(max.browser.post("/restore-account", &token), 200);
    accounts::disable(&site.app, id).await.unwrap();
    let response = max.try_sign_in(&max.browser).await;
    assert_eq!(response.json()["code"], "account_disabled");
    accounts::enable(&site.app, id).await.unwrap();
    accounts::request_deletion(&site.app, id).await.unwrap();
    site.advance("14d");
    assert_eq!(site.run_deletion().await, 1);
}

pub(super) async fn refusal_events(db: &Database) {
    let site = db.site().await;
    site.mails().await;
    let (erin, _) = site.registered("erin").await;
    let response = erin.try_sign_in(&erin.browser).await;
    assert_eq!(response.json()["code"], "email_not_verified");
    let young = form_with("kid", &json!({"birthday_year": 2015}));
    assert_eq!(site.browser().post("/register", &young).await.status, 422);
    let guesser = site.browser();
    let guess = json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"});
    for n in 0..6 {
        let status = guesser.post("/login", &guess).await.status;
        assert_eq!(status, if n < 5 { 401 } else { 429 });
    }
    let evil = Request::post(format!("{API}/logout")).header("origin", "https://evil.example");
    assert_eq!(site.browser().send(evil).await.status, 403);
}

pub(super) async fn migration_events(db: &Database) {
    let site = db.site().await;
    let kid = old_with("kim", &json!({"birthday_year": 2010}));
    site.import_accounts(&[old("hal"), kid, old("ida")]).await;
    let typed = json!({"email": "hal@example.org", "password": OLD_PASSWORD});
    let response = site.browser().post("/login", &typed).await;
    assert_eq!(response.json()["code"], "needs_migration");
    for (name, status) in [("hal", 200), ("kim", 422)] {
        let email = format!("{name}@example.org");
        let browser = site.browser();
        browser.post("/migration", &json!({"email": email})).await;
        let token = token_to(&site, &email).await;
        let form = json!({"token": token, "password": NEW_PASSWORD});
        let response = browser.post("/migration/confirm", &form).await;
        assert_eq!(response.status, status, "{name}: {}", response.text());
    }
    invite::run(&site.app, &Invitations::default(), |_| {})
        .await
        .unwrap();
    let token = token_to(&site, "ida@example.org").await;
    let form = json!({"token": token});
    assert_status!(site.browser().post("/unsubscribe", &form), 200);
}

pub(super) async fn mail_events(db: &Database) {
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    for (name, does) in [
        ("jo", Behaviour::Accepts),
        ("ken", Behaviour::Refuses("451 later")),
        ("lea", Behaviour::Refuses("550 nobody here")),
    ] {
        smtp.set_behaviour(does);
        site.browser().post("/register", &form(name)).await;
        assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 1);
    }
}

pub(super) async fn support_events(db: &Database) {
    let site = support_view::site(db).await;
    site.mails().await;
    let admin = support_view::agent(&site, "quinn", "admin").await;
    site.mails().await;
    site.member("rhea").await;
    let id = support_view::id_of(&site, "rhea").await;
    support_view::find_account(&admin, "rhea").await;
    for action in ["disable", "enable"] {
        let acted = support_view::act_on_account(&admin, &id, action).await;
        acted.assert_empty();
    }
}
