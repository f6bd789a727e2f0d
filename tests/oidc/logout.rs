//! RP-initiated logout.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{
    CALLBACK, Provider, fetch_jwks, form_request, logged_refusals, query_value, redirect_target,
    site_with_provider, text_value, verify_token, wiki,
};
use crate::prelude::*;

on_both_databases!(
    a_hint_of_this_session_signs_out_at_once_and_returns,
    the_logout_redirects_only_to_a_registered_address,
    an_unregistered_address_of_a_logout_is_logged,
    without_a_matching_hint_the_logout_asks_for_confirmation,
    a_forged_hint_does_not_sign_out
);
on_sqlite!(a_logout_by_post_is_handled_like_the_same_get);

const AFTER_LOGOUT: &str = "https://wiki.example.org/bye?from=us";
/// The sign-in page, which says that the person is signed out.
const SIGNED_OUT: &str = "/account/?signed_out=1";
const LOGOUT: &str = "/account/oidc/logout";

/// The query of a logout that returns to the application.
const RETURN: &str =
    "client_id=wiki&post_logout_redirect_uri=https%3A%2F%2Fwiki.example.org%2Fbye%3Ffrom%3Dus";

async fn id_token_hint(site: &Site, browser: &Browser) -> String {
    let tokens = wiki().tokens(site, browser).await;
    format!("id_token_hint={}", text_value(&tokens, "id_token"))
}

async fn logout(browser: &Browser, query: &str) -> String {
    let response = browser.open(&format!("{LOGOUT}?{query}")).await;
    redirect_target(&response);
    response.header("location").unwrap().to_owned()
}

async fn a_hint_of_this_session_signs_out_at_once_and_returns(Provider(site, ada): Provider) {
    let hint = id_token_hint(&site, &ada.browser).await;
    // Also long after the token has expired.
    site.advance("3d");
    let query = format!("{hint}&post_logout_redirect_uri={AFTER_LOGOUT}");
    assert_eq!(
        logout(&ada.browser, &format!("{query}&state=x+%26+y")).await,
        format!("{AFTER_LOGOUT}&state=x+%26+y")
    );
    assert_status!(ada.browser.get("/users/me"), 401);
    site.assert_count("sessions", 0).await;
    // Without a session there is nothing to ask.
    assert_eq!(logout(&ada.browser, &query).await, AFTER_LOGOUT);
    assert_eq!(logout(&ada.browser, "").await, SIGNED_OUT);
}

// security: OP-1
async fn the_logout_redirects_only_to_a_registered_address(db: Database) {
    let site = site_with_provider(&db).await;
    for uri in [
        "https://evil.example/",
        "https://wiki.example.org/bye",
        "https://wiki.example.org/bye?from=us%26x=1",
        "//evil.example",
        CALLBACK,
    ] {
        let ada = site.member("ada").await;
        assert_status!(ada.try_sign_in(&ada.browser), 200);
        let hint = id_token_hint(&site, &ada.browser).await;
        let query = format!("{hint}&post_logout_redirect_uri={uri}");
        assert_eq!(logout(&ada.browser, &query).await, SIGNED_OUT, "{uri}");
        assert_status!(ada.browser.get("/users/me"), 401);
        site.remove_accounts().await;
    }
    // Of another client, or without one.
    for id in ["avatar", ""] {
        let query = RETURN.replace("=wiki", &format!("={id}"));
        assert_eq!(logout(&site.browser(), &query).await, SIGNED_OUT);
    }
    assert_eq!(logout(&site.browser(), RETURN).await, AFTER_LOGOUT);
}

async fn an_unregistered_address_of_a_logout_is_logged(db: Database) {
    let site = site_with_provider(&db).await;
    let unregistered = "https://stranger.example/?token=x";
    let (refused, log) = logged_refusals("logout_redirect_refused", async {
        for (id, uri) in [
            ("wiki", unregistered),
            ("stranger", AFTER_LOGOUT),
            ("wiki", AFTER_LOGOUT),
            ("stranger", ""),
        ] {
            let query = format!("client_id={id}&post_logout_redirect_uri={uri}");
            logout(&site.browser(), &query).await;
        }
    })
    .await;
    let expected = json!([
        ["INFO", "wiki", "post_logout_redirect_uri is not registered"],
        ["INFO", null, "the client is missing or unknown"],
    ]);
    assert_eq!(refused, expected);
    assert_lacks!(log, "stranger");
}

async fn without_a_matching_hint_the_logout_asks_for_confirmation(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let hint = id_token_hint(&site, &eve.browser).await;
    assert_eq!(logout(&ada.browser, "").await, "/account/sign-out");
    let kept = format!("{RETURN}&state=s");
    let (_, way_back) = kept.split_once('&').unwrap();
    for (query, page) in [
        (&*kept, &*format!("/account/sign-out?{kept}")),
        (
            &format!("{hint}&{way_back}"),
            &format!("/account/sign-out?{kept}"),
        ),
        (
            &format!("{hint}&client_id=vault&{way_back}"),
            "/account/sign-out?client_id=vault",
        ),
        ("client_id=wiki", "/account/sign-out?client_id=wiki"),
        (&hint, "/account/sign-out?client_id=wiki"),
    ] {
        assert_eq!(logout(&ada.browser, query).await, page);
        ada.assert_signed_in(&ada.browser).await;
    }
    // The page signs out and calls this endpoint again.
    ada.browser.post_empty("/logout").await;
    let back = logout(&ada.browser, &kept).await;
    assert_eq!(back, "https://wiki.example.org/bye?from=us&state=s");
}

// security: OP-5
async fn a_forged_hint_does_not_sign_out(Provider(site, ada): Provider) {
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    let parts: Vec<_> = hint.split('.').collect();
    let keys = fetch_jwks(&site).await;
    let (header, claims) = verify_token(&keys, &hint).unwrap();
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let with_header = |name: &str, value: &str| {
        let mut header = header.clone();
        header[name] = json!(value);
        format!("{}.{}.{}", encode(&header), parts[1], parts[2])
    };
    // HS256 with the public key as the secret.
    let rs256 = keys.iter().find(|key| key["kid"] == header["kid"]).unwrap();
    let text_of_hs256 = with_header("alg", "HS256");
    let (text_of_hs256, _) = text_of_hs256.rsplit_once('.').unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(rs256.to_string().as_bytes()).unwrap();
    mac.update(text_of_hs256.as_bytes());
    let hs256 = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    let mut other_claims = claims.clone();
    other_claims["sub"] = json!("00000000-0000-7000-8000-000000000000");
    let es256 = keys.iter().find(|key| key["alg"] == "ES256").unwrap();
    for forged in [
        with_header("alg", "none").replace(parts[2], ""),
        with_header("alg", "none"),
        format!("{text_of_hs256}.{hs256}"),
        with_header("kid", "foreign"),
        with_header("kid", es256["kid"].text()),
        with_header("typ", "logout+jwt"),
        format!("{}.{}.{}", parts[0], encode(&other_claims), parts[2]),
        format!("{}.{}.{}", parts[0], parts[1], &parts[2][1..]),
        format!("{}.{}", parts[0], parts[1]),
        "x".to_owned(),
    ] {
        let forged = format!("id_token_hint={forged}");
        assert_eq!(
            logout(&ada.browser, &forged).await,
            "/account/sign-out",
            "{forged}"
        );
        let url = wiki().redirect(&ada.browser, &forged).await;
        assert_eq!(
            query_value(&url, "error").as_deref(),
            Some("invalid_request")
        );
    }
    ada.assert_signed_in(&ada.browser).await;
    let own = format!("id_token_hint={hint}");
    assert_eq!(logout(&ada.browser, &own).await, SIGNED_OUT);
}

async fn a_logout_by_post_is_handled_like_the_same_get(db: Database) {
    let site = site_with_provider(&db).await;
    let response = site.browser().send_with(form_request(LOGOUT), RETURN).await;
    let url = redirect_target(&response);
    assert_eq!((url.path(), url.query()), (LOGOUT, Some(RETURN)));
}
