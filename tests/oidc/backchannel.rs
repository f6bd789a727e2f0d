//! Back-channel logout: applications learn that a session has ended.

use account::config::Config;
use account::testing::deliveries::worker;
use serde_json::{Value, json};

use super::{ISSUER, Rp, jwks, provides, returned, rp, text, value, verified, wiki};
use crate::ended_sessions::{ENDS, End, end, prepare};
use crate::support::receiver::{Receiver, Responds};
use crate::support::{Browser, Database, Site};

/// The settings of a provider whose applications listen.
fn listening(config: &mut Config, wiki: &Receiver, vault: &Receiver) {
    provides(config);
    for (id, receiver) in [("wiki", wiki), ("vault", vault)] {
        let mut clients = config.oidc.clients.iter_mut();
        let client = clients.find(|client| client.id == id).unwrap();
        client.backchannel_logout_uri = Some(receiver.url.clone());
        client.aal = 1;
    }
}

async fn site(db: &Database) -> (Site, Receiver, Receiver) {
    db.ignore_mails();
    let (wiki, vault) = (Receiver::start().await, Receiver::start().await);
    let site = db.site_with(|c| listening(c, &wiki, &vault)).await;
    (site, wiki, vault)
}

async fn deliver(site: &Site) {
    worker::drain(&site.app).await.unwrap();
}

/// The claims of the logout tokens so far, each verified as an application does it.
async fn logouts(site: &Site, receiver: &Receiver) -> Vec<Value> {
    let keys = jwks(site).await;
    let arrived = receiver.arrived().into_iter().map(|arrived| {
        let kind = arrived.header("content-type");
        assert_eq!(kind, "application/x-www-form-urlencoded");
        let token = arrived.body.strip_prefix("logout_token=").unwrap();
        let (header, claims) = verified(&keys, token).expect("a right signature");
        assert_eq!(header["typ"], "logout+jwt");
        claims
    });
    arrived.collect()
}

async fn sid(site: &Site, of: &Rp, browser: &Browser) -> Value {
    let token = text(&of.tokens(site, browser).await, "id_token");
    verified(&jwks(site).await, &token).unwrap().1["sid"].clone()
}

// security: OP-11
both!(every_end_of_a_session_is_reported_to_its_applications);
async fn every_end_of_a_session_is_reported_to_its_applications(db: Database) {
    let (site, receiver, other) = site(&db).await;
    for (n, act) in ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{n}")).await;
        let token = prepare(&site, &person, act).await;
        let sid = sid(&site, &wiki(), &person.browser).await;
        // The tokens have expired; the application gets a logout token nevertheless.
        site.wait("15m");
        let copy = person.browser.copy();
        end(&person, &copy, act, token.as_deref()).await;
        deliver(&site).await;
        let told = logouts(&site, &receiver).await;
        receiver.forget();
        site.mails().await;
        if matches!(act, End::PasswordChange) {
            assert!(told.is_empty(), "the session goes on under another id");
            continue;
        }
        let now = site.now() / 1000;
        assert_eq!(told.len(), 1, "{act:?}");
        let expected = json!({
            "iss": ISSUER, "aud": "wiki", "sub": site.user(&person.name).await["id"],
            "sid": sid, "iat": now, "exp": now + 120, "jti": told[0]["jti"],
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        assert_eq!(told[0], expected, "{act:?}");
    }
    assert!(other.arrived().is_empty(), "nobody signed in there");
}

// security: OP-11
both!(an_expiry_and_a_sign_out_in_the_settings_are_reported_but_a_new_sign_in_is_not);
async fn an_expiry_and_a_sign_out_in_the_settings_are_reported_but_a_new_sign_in_is_not(
    db: Database,
) {
    let (site, receiver, _other) = site(&db).await;
    let ada = site.signed_in("ada").await;
    let before = sid(&site, &wiki(), &ada.browser).await;
    // The same person signs in again in the same browser.
    let again = ada.browser.post("/login", &ada.credentials()).await;
    assert_eq!(again.status, 200);
    assert_eq!(sid(&site, &wiki(), &ada.browser).await, before);
    deliver(&site).await;
    assert!(receiver.arrived().is_empty());
    ada.browser.delete("/connected-apps/wiki").await.is_empty();
    deliver(&site).await;
    assert_eq!(logouts(&site, &receiver).await.len(), 1);
    receiver.forget();
    let url = returned(&ada.browser.open(&wiki().request(&[])).await);
    assert!(value(&url, "code").is_some());
    site.wait("8d");
    site.sweep().await;
    deliver(&site).await;
    assert_eq!(logouts(&site, &receiver).await[0]["sid"], before);
    assert_eq!(site.count("app_sessions").await, 0);
}

// security: OP-11
both!(an_unreachable_application_gets_five_attempts_and_delays_no_other);
async fn an_unreachable_application_gets_five_attempts_and_delays_no_other(db: Database) {
    let (site, receiver, other) = site(&db).await;
    let ada = site.signed_in("ada").await;
    wiki().tokens(&site, &ada.browser).await;
    rp("vault", super::CALLBACK)
        .tokens(&site, &ada.browser)
        .await;
    // A redirect is a failure too.
    receiver.responds(Responds::Elsewhere);
    ada.browser.press("/logout").await;
    deliver(&site).await;
    assert_eq!(other.arrived().len(), 1);
    for (tries, wait) in [(1, "10s"), (2, "1m"), (3, "10m"), (4, "1h"), (5, "1d")] {
        deliver(&site).await;
        assert_eq!(receiver.arrived().len(), tries);
        site.wait(wait);
    }
    deliver(&site).await;
    assert_eq!(receiver.arrived().len(), 5);
    assert_eq!(site.count("deliveries").await, 0);
    let told = logouts(&site, &receiver).await;
    let ids: std::collections::HashSet<_> = told.iter().map(|claims| text(claims, "jti")).collect();
    assert_eq!(ids.len(), 5, "a fresh token each");
}
