//! RP-initiated logout.

use account::testing::clock::rfc3339;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{
    fetch_jwks, form_encoded, form_request, logged_refusals, provider_with_signed_in,
    redirect_target, site_with_provider, text_value, verify_token, wiki,
};
use crate::support::{Browser, Database};

const AFTER_LOGOUT: &str = "https://wiki.example.org/bye?from=us";
/// The sign-in page, which says that the person is signed out.
const SIGNED_OUT: &str = "/account/?signed_out=1";
const LOGOUT: &str = "/account/oidc/logout";

async fn logout(browser: &Browser, parameters: &[(&str, &str)]) -> String {
    let response = browser
        .open(&format!("{LOGOUT}?{}", form_encoded(parameters)))
        .await;
    redirect_target(&response);
    response.header("location").unwrap().to_owned()
}

on_both_databases!(a_hint_of_this_session_signs_out_at_once_and_returns);
async fn a_hint_of_this_session_signs_out_at_once_and_returns(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    // Also long after the token has expired.
    site.advance("3d");
    let parameters = [
        ("id_token_hint", hint.as_str()),
        ("post_logout_redirect_uri", AFTER_LOGOUT),
        ("state", "x & y"),
    ];
    assert_eq!(
        logout(&ada.browser, &parameters).await,
        format!("{AFTER_LOGOUT}&state=x+%26+y")
    );
    assert_eq!(ada.browser.get("/users/me").await.status, 401);
    assert_eq!(site.count("sessions").await, 0);
    // Without a session there is nothing to ask.
    assert_eq!(logout(&ada.browser, &parameters[..2]).await, AFTER_LOGOUT);
    assert_eq!(logout(&ada.browser, &[]).await, SIGNED_OUT);
}

// security: OP-1
on_both_databases!(the_logout_redirects_only_to_a_registered_address);
async fn the_logout_redirects_only_to_a_registered_address(db: Database) {
    let site = site_with_provider(&db).await;
    for uri in [
        "https://evil.example/",
        "https://wiki.example.org/bye",
        "https://wiki.example.org/bye?from=us&x=1",
        "//evil.example",
        super::CALLBACK,
    ] {
        let ada = site.member("ada").await;
        assert_status!(ada.try_sign_in(&ada.browser), 200);
        let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
        let parameters = [
            ("id_token_hint", hint.as_str()),
            ("post_logout_redirect_uri", uri),
        ];
        assert_eq!(logout(&ada.browser, &parameters).await, SIGNED_OUT, "{uri}");
        assert_eq!(ada.browser.get("/users/me").await.status, 401);
        site.remove_accounts().await;
    }
    // Of another client, or without one.
    for id in ["avatar", ""] {
        let parameters = [
            ("client_id", id),
            ("post_logout_redirect_uri", AFTER_LOGOUT),
        ];
        assert_eq!(logout(&site.browser(), &parameters).await, SIGNED_OUT);
    }
    let parameters = [
        ("client_id", "wiki"),
        ("post_logout_redirect_uri", AFTER_LOGOUT),
    ];
    assert_eq!(logout(&site.browser(), &parameters).await, AFTER_LOGOUT);
}

on_both_databases!(an_unregistered_address_of_a_logout_is_logged);
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
            let parameters = [("client_id", id), ("post_logout_redirect_uri", uri)];
            logout(&site.browser(), &parameters).await;
        }
    })
    .await;
    let expected = [
        json!(["INFO", "wiki", "post_logout_redirect_uri is not registered"]),
        json!(["INFO", null, "the client is missing or unknown"]),
    ];
    assert_eq!(refused, expected);
    assert!(!log.contains("stranger"));
}

on_both_databases!(without_a_matching_hint_the_logout_asks_for_confirmation);
async fn without_a_matching_hint_the_logout_asks_for_confirmation(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let hint = text_value(&wiki().tokens(&site, &eve.browser).await, "id_token");
    assert_eq!(logout(&ada.browser, &[]).await, "/account/sign-out");
    let kept = form_encoded(&[
        ("client_id", "wiki"),
        ("post_logout_redirect_uri", AFTER_LOGOUT),
        ("state", "s"),
    ]);
    let by_id = [
        ("client_id", "wiki"),
        ("post_logout_redirect_uri", AFTER_LOGOUT),
        ("state", "s"),
    ];
    let by_hint = [("id_token_hint", hint.as_str()), by_id[1], by_id[2]];
    let foreign = [
        ("id_token_hint", hint.as_str()),
        ("client_id", "vault"),
        by_id[1],
    ];
    for (parameters, page) in [
        (&by_id[..], format!("/account/sign-out?{kept}")),
        (&by_hint, format!("/account/sign-out?{kept}")),
        (&foreign, "/account/sign-out?client_id=vault".to_owned()),
        (&by_id[..1], "/account/sign-out?client_id=wiki".to_owned()),
        (&by_hint[..1], "/account/sign-out?client_id=wiki".to_owned()),
    ] {
        assert_eq!(logout(&ada.browser, parameters).await, page);
        assert_eq!(ada.browser.get("/users/me").await.status, 200);
    }
    // The page signs out and calls this endpoint again.
    ada.browser.post_empty("/logout").await;
    let response = ada.browser.open(&format!("{LOGOUT}?{kept}")).await;
    response.assert_header("location", "https://wiki.example.org/bye?from=us&state=s");
}

// security: OP-5
on_both_databases!(a_forged_hint_does_not_sign_out);
async fn a_forged_hint_does_not_sign_out(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
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
        with_header("kid", es256["kid"].as_str().unwrap()),
        with_header("typ", "logout+jwt"),
        format!("{}.{}.{}", parts[0], encode(&other_claims), parts[2]),
        format!("{}.{}.{}", parts[0], parts[1], &parts[2][1..]),
        format!("{}.{}", parts[0], parts[1]),
        "x".to_owned(),
    ] {
        let page = logout(&ada.browser, &[("id_token_hint", forged.as_str())]).await;
        assert_eq!(page, "/account/sign-out", "{forged}");
        let request = wiki().request(&[("id_token_hint", forged.as_str())]);
        let url = redirect_target(&ada.browser.open(&request).await);
        assert_eq!(
            super::query_value(&url, "error").as_deref(),
            Some("invalid_request")
        );
    }
    assert_eq!(
        ada.browser.get("/users/me").await.status,
        200,
        "{}",
        rfc3339(site.now())
    );
    assert_eq!(
        logout(&ada.browser, &[("id_token_hint", hint.as_str())]).await,
        SIGNED_OUT
    );
}

on_both_databases!(a_logout_by_post_is_handled_like_the_same_get);
async fn a_logout_by_post_is_handled_like_the_same_get(db: Database) {
    let site = site_with_provider(&db).await;
    let body = form_encoded(&[
        ("client_id", "wiki"),
        ("post_logout_redirect_uri", AFTER_LOGOUT),
    ]);
    let response = site
        .browser()
        .send_with(form_request(LOGOUT), body.clone())
        .await;
    redirect_target(&response);
    assert_eq!(
        response.header("location"),
        Some(format!("{LOGOUT}?{body}").as_str())
    );
}
