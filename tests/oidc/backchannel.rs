//! Back-channel logout: applications learn that a session has ended.

use account::config::Aal;

use super::{
    ISSUER, RelyingParty, enable_provider, fetch_jwks, id_token, text_value, vault, verify_token,
    wiki,
};
use crate::ended_sessions::{SESSION_ENDS, SessionEnd, end_session, prepare_end};
use crate::prelude::*;
use crate::support::receiver::{Reaction, Receiver};
use crate::webhooks::deliver;

on_both_databases!(
    every_end_of_a_session_is_reported_to_its_applications,
    an_expiry_and_a_sign_out_in_the_settings_are_reported_but_a_new_sign_in_is_not,
    an_unreachable_application_gets_five_attempts_and_delays_no_other
);

async fn site(db: &Database) -> (Site, Receiver, Receiver) {
    db.allow_unread_mails();
    let (wiki, vault) = (Receiver::start().await, Receiver::start().await);
    let site = db.site_with(|c| {
        enable_provider(c);
        for (at, receiver) in [(0, &wiki), (2, &vault)] {
            let client = &mut c.oidc.clients[at];
            client.backchannel_logout_uri = Some(receiver.url.clone());
            client.aal = Aal::One;
        }
    });
    (site.await, wiki, vault)
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
    let (_, claims) = id_token(site, &of.tokens(site, browser).await).await;
    claims["sid"].clone()
}

// security: OP-11
async fn every_end_of_a_session_is_reported_to_its_applications(db: Database) {
    let (site, receiver, other) = site(&db).await;
    for (n, act) in SESSION_ENDS.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{n}")).await;
        let token = prepare_end(&person, act).await;
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
    wiki().code(&ada.browser).await;
    site.advance("8d");
    site.run_expiry().await;
    deliver(&site).await;
    assert_eq!(logout_claims(&site, &receiver).await[0]["sid"], before);
    site.assert_count("app_sessions", 0).await;
}

// security: OP-11
async fn an_unreachable_application_gets_five_attempts_and_delays_no_other(db: Database) {
    let (site, receiver, other) = site(&db).await;
    let ada = site.signed_in("ada").await;
    wiki().tokens(&site, &ada.browser).await;
    vault().tokens(&site, &ada.browser).await;
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
    site.assert_count("deliveries", 0).await;
    let logouts = logout_claims(&site, &receiver).await;
    let ids: std::collections::HashSet<_> = logouts
        .iter()
        .map(|claims| text_value(claims, "jti"))
        .collect();
    assert_eq!(ids.len(), 5, "a fresh token each");
}
