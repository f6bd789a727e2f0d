//! Flows that together cause every event.

use account::testing::accounts;
use account::testing::legacy::invite::{self, Invitations};

use super::NEW_PASSWORD;
use crate::oidc;
use crate::old_accounts::{OLD_PASSWORD, old, old_with};
use crate::outbox::assert_attempts;
use crate::passkeys;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::prelude::*;
use crate::second_factor;
use crate::support::authenticator::Authenticator;
use crate::support::smtp::{Behaviour, Smtp};
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

/// Sends a request that is refused with this code.
async fn assert_code(request: impl Future<Output = Response>, code: &str) {
    assert_eq!(request.await.json()["code"], code);
}

/// Signs in from an unknown browser. Returns it with the token of the approval mail.
async fn sign_in_from_new_device(site: &Site, email: &str) -> (Browser, String) {
    let browser = site.browser();
    assert_code(browser.try_sign_in(email, PASSWORD), "new_device").await;
    (browser, token_to(site, email).await)
}

pub async fn device_events(db: &Database) {
    let site = db.site_set("security.max_devices = 1").await;
    let ada = signed_in(&site, "ada").await;
    let (laptop, token) = sign_in_from_new_device(&site, &ada.email).await;
    laptop.confirm_email(&token).await;
    assert_code(ada.try_sign_in(&laptop), "too_many_devices").await;
    let id = ada.browser.get("/devices").await.json()["devices"][0]["id"].clone();
    let form = json!({"id": id});
    assert_status!(ada.browser.post("/devices/sign-out", &form), 204);
    let bob = signed_in(&site, "bob").await;
    bob.browser.sign_out_everywhere().await;
    let (_, token) = sign_in_from_new_device(&site, &bob.email).await;
    let refusal = bob.browser.decide_device(&token, false);
    assert_code(refusal, "device_refused").await;
    let cleo = signed_in(&site, "cleo").await;
    assert_status!(cleo.browser.post_empty("/logout"), 204);
}

pub async fn change_events(db: &Database) {
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
    assert_status!(dora.browser.confirm_email_change(&token), 200);
    let undo = token_to(&site, &dora.email).await;
    assert_status!(dora.browser.undo_email_change(&undo), 200);

    dora.browser.request_reset(&dora.email).await;
    let token = token_to(&site, &dora.email).await;
    assert_status!(confirm_reset(&dora.browser, &token, "Cherry-Tree-44"), 200);
}

pub async fn passkey_events(db: &Database) {
    let site = db.site().await;
    site.mails().await;
    let mut key = Authenticator::device_bound();
    let fay = passkeys::person_with_passkey(&site, "fay", &mut key).await;
    let list = fay.browser.get("/passkeys").await.json();
    let path = format!("/passkeys/{}", list["passkeys"][0]["id"].text());
    assert_status!(fay.browser.patch(&path, &json!({"name": "Key"})), 200);
    key.counter = 0;
    let copied = passkeys::sign_in(&fay.browser, &mut key);
    assert_code(copied, "passkey_rejected").await;
    assert_status!(fay.browser.delete(&path), 200);
}

pub async fn application_events(db: &Database) {
    let site = db.site_with(oidc::enable_provider).await;
    site.mails().await;
    let ivy = signed_in(&site, "ivy").await;
    let wiki = oidc::wiki();
    let wrong = oidc::form_request(oidc::TOKEN)
        .header("authorization", oidc::basic_auth("wiki", "Wrong-1"));
    assert_status!(site.browser().send(wrong), 401);
    let unknown = "/account/oidc/authorize?client_id=unknown";
    assert_status!(site.browser().open(unknown), 400);
    let logout = "/account/oidc/logout?client_id=wiki&post_logout_redirect_uri=unregistered";
    assert_status!(site.browser().open(logout), 303);
    let redemption = wiki.token_form(&wiki.code(&ivy.browser).await);
    for status in [200, 400] {
        assert_status!(oidc::request_token(&site, "wiki", &redemption), status);
    }
    let tokens = wiki.tokens(&site, &ivy.browser).await;
    for status in [200, 400] {
        assert_status!(oidc::refresh(&site, &tokens), status);
        site.advance("31s");
    }
    assert_status!(ivy.browser.delete("/connected-apps/wiki"), 204);
}

pub async fn second_factor_events(db: &Database) {
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
    assert_status!(gil.person.browser.delete("/second-factor"), 204);
}

pub async fn deletion_events(db: &Database) {
    let site = db.site().await;
    let max = signed_in(&site, "max").await;
    let id = site.id_of("max").await;
    crate::deletion::request(&max).await;
    let refusal = max.try_sign_in(&max.browser).await.json();
    let token = refusal["restore_token"].text();
    assert_status!(max.browser.restore_account(token), 200);
    accounts::disable(&site.app, id).await.unwrap();
    assert_code(max.try_sign_in(&max.browser), "account_disabled").await;
    accounts::enable(&site.app, id).await.unwrap();
    accounts::request_deletion(&site.app, id).await.unwrap();
    site.advance("14d");
    assert_eq!(site.run_deletion().await, 1);
}

pub async fn refusal_events(db: &Database) {
    let site = db.site().await;
    site.mails().await;
    let (erin, _) = site.registered("erin").await;
    assert_code(erin.try_sign_in(&erin.browser), "email_not_verified").await;
    let young = form_with("kid", &json!({"birthday_year": 2015}));
    assert_status!(site.browser().post("/register", &young), 422);
    let guesser = site.browser();
    for status in [401, 401, 401, 401, 401, 429] {
        let guess = guesser.try_sign_in("nobody@example.org", "Wrong-Horse-7");
        assert_status!(guess, status);
    }
    let evil = Request::post(format!("{API}/logout")).header("origin", "https://evil.example");
    assert_status!(site.browser().send(evil), 403);
}

pub async fn migration_events(db: &Database) {
    let site = db.site().await;
    let kid = old_with("kim", &json!({"birthday_year": 2010}));
    site.import_accounts(&[old("hal"), kid, old("ida")]).await;
    let browser = site.browser();
    let old = browser.try_sign_in("hal@example.org", OLD_PASSWORD);
    assert_code(old, "needs_migration").await;
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

pub async fn mail_events(db: &Database) {
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    for (name, does) in [
        ("jo", Behaviour::Accepts),
        ("ken", Behaviour::Refuses("451 later")),
        ("lea", Behaviour::Refuses("550 nobody here")),
    ] {
        smtp.set_behaviour(does);
        site.browser().post("/register", &form(name)).await;
        assert_attempts(&site, 1).await;
    }
}

pub async fn support_events(db: &Database) {
    let site = support_view::site(db).await;
    site.mails().await;
    let admin = support_view::agent(&site, "quinn", "admin").await;
    site.mails().await;
    site.member("rhea").await;
    let id = support_view::id_of(&site, "rhea").await;
    support_view::find_account(&admin, "rhea").await;
    for action in ["disable", "enable"] {
        assert_status!(support_view::act_on_account(&admin, &id, action), 204);
    }
}
