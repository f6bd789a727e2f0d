//! Back-channel logout: applications learn that a session has ended.

use account::config::{Aal, Config};
use account::testing::outbox::queues;
use serde_json::{Value, json};

use super::{
    ISSUER, RelyingParty, enable_provider, fetch_jwks, query_value, relying_party, text_value,
    verify_token, wiki,
};
use crate::ended_sessions::{SESSION_ENDS, SessionEnd, end_session, prepare_end};
use crate::support::receiver::{Reaction, Receiver};
use crate::support::{Browser, Database, Site};

/// The settings of a provider whose applications listen.
fn configure_listeners(config: &mut Config, wiki: &Receiver, vault: &Receiver) {
    enable_provider(config);
    for (id, receiver) in [("wiki", wiki), ("vault", vault)] {
        let mut clients = config.oidc.clients.iter_mut();
        let client = clients.find(|client| client.id == id).unwrap();
        client.backchannel_logout_uri = Some(receiver.url.clone());
        client.aal = Aal::One;
    }
}

async fn site(db: &Database) -> (Site, Receiver, Receiver) {
    db.allow_unread_mails();
    let (wiki, vault) = (Receiver::start().await, Receiver::start().await);
    let site = db
        .site_with(|c| configure_listeners(c, &wiki, &vault))
        .await;
    (site, wiki, vault)
}

async fn deliver(site: &Site) {
    queues::drain_requests(&site.app).await.unwrap();
}

/// The claims of the logout tokens so far, each verified as an application does it.
async fn logout_claims(site: &Site, receiver: &Receiver) -> Vec<Value> {
    let keys = fetch_jwks(site).await;
    let arrived = receiver.received_requests().into_iter().map(|arrived| {
        let kind = arrived.header("content-type");
        assert_eq!(kind, "application/x-www-form-urlencoded");
        let token = arrived.body.strip_prefix("logout_token=").unwrap();
        let (header, claims) = verify_token(&keys, token).expect("a right signature");
        assert_eq!(header["typ"], "logout+jwt");
        claims
    });
    arrived.collect()
}

async fn sid(site: &Site, of: &RelyingParty, browser: &Browser) -> Value {
    let token = text_value(&of.tokens(site, browser).await, "id_token");
    verify_token(&fetch_jwks(site).await, &token).unwrap().1["sid"].clone()
}

// security: OP-11
on_both_databases!(every_end_of_a_session_is_reported_to_its_applications);
async fn every_end_of_a_session_is_reported_to_its_applications(db: Database) {
    let (site, receiver, other) = site(&db).await;
    for (n, act) in SESSION_ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{n}")).await;
        let token = prepare_end(&site, &person, act).await;
        let sid = sid(&site, &wiki(), &person.browser).await;
        // The tokens have expired; the application gets a logout token nevertheless.
        site.advance("15m");
        let copy = person.browser.copy();
        end_session(&person, &copy, act, token.as_deref()).await;
        deliver(&site).await;
        let logouts = logout_claims(&site, &receiver).await;
        receiver.clear();
        site.mails().await;
        if matches!(act, SessionEnd::PasswordChange) {
            assert!(logouts.is_empty(), "the session goes on under another id");
            continue;
        }
        let now = site.now() / 1000;
        assert_eq!(logouts.len(), 1, "{act:?}");
        let expected = json!({
            "iss": ISSUER, "aud": "wiki", "sub": site.user(&person.name).await["id"],
            "sid": sid, "iat": now, "exp": now + 120, "jti": logouts[0]["jti"],
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        assert_eq!(logouts[0], expected, "{act:?}");
    }
    assert!(
        other.received_requests().is_empty(),
        "nobody signed in there"
    );
}

// security: OP-11
on_both_databases!(an_expiry_and_a_sign_out_in_the_settings_are_reported_but_a_new_sign_in_is_not);
async fn an_expiry_and_a_sign_out_in_the_settings_are_reported_but_a_new_sign_in_is_not(
    db: Database,
) {
    let (site, receiver, _other) = site(&db).await;
    let ada = site.signed_in("ada").await;
    let before = sid(&site, &wiki(), &ada.browser).await;
    // The same person signs in again in the same browser.
    assert_status!(ada.try_sign_in(&ada.browser), 200);
    assert_eq!(sid(&site, &wiki(), &ada.browser).await, before);
    deliver(&site).await;
    assert!(receiver.received_requests().is_empty());
    ada.browser
        .delete("/connected-apps/wiki")
        .await
        .assert_empty();
    deliver(&site).await;
    assert_eq!(logout_claims(&site, &receiver).await.len(), 1);
    receiver.clear();
    let url = wiki().redirect(&ada.browser, &[]).await;
    assert!(query_value(&url, "code").is_some());
    site.advance("8d");
    site.run_expiry().await;
    deliver(&site).await;
    assert_eq!(logout_claims(&site, &receiver).await[0]["sid"], before);
    assert_eq!(site.count("app_sessions").await, 0);
}

// security: OP-11
on_both_databases!(an_unreachable_application_gets_five_attempts_and_delays_no_other);
async fn an_unreachable_application_gets_five_attempts_and_delays_no_other(db: Database) {
    let (site, receiver, other) = site(&db).await;
    let ada = site.signed_in("ada").await;
    wiki().tokens(&site, &ada.browser).await;
    relying_party("vault", super::CALLBACK)
        .tokens(&site, &ada.browser)
        .await;
    // A redirect is a failure too.
    receiver.set_reaction(Reaction::Elsewhere);
    ada.browser.post_empty("/logout").await;
    deliver(&site).await;
    assert_eq!(other.received_requests().len(), 1);
    for (tries, wait) in [(1, "10s"), (2, "1m"), (3, "10m"), (4, "1h"), (5, "1d")] {
        deliver(&site).await;
        assert_eq!(receiver.received_requests().len(), tries);
        site.advance(wait);
    }
    deliver(&site).await;
    assert_eq!(receiver.received_requests().len(), 5);
    assert_eq!(site.count("deliveries").await, 0);
    let logouts = logout_claims(&site, &receiver).await;
    let ids: std::collections::HashSet<_> = logouts
        .iter()
        .map(|claims| text_value(claims, "jti"))
        .collect();
    assert_eq!(ids.len(), 5, "a fresh token each");
}
