//! Codes become tokens, and tokens become claims.

use axum::http::Request;
use serde_json::{Value, json};

use super::{
    CALLBACK, ISSUER, TOKEN, asks, basic, encoded, form, jwks, provider, refuses, rp, text,
    userinfo, verified, wiki,
};
use crate::passkeys;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database};

both!(an_id_token_has_the_user_time_and_method_of_the_sign_in);
async fn an_id_token_has_the_user_time_and_method_of_the_sign_in(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    site.wait("10s");
    let answer = wiki().tokens(&site, &ada.browser).await;
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["expires_in"], 600);
    assert_eq!(answer["scope"], "openid profile email offline_access");
    let (header, claims) = verified(&jwks(&site).await, &text(&answer, "id_token")).unwrap();
    assert_eq!(
        (&header["alg"], &header["typ"]),
        (&json!("RS256"), &json!("JWT"))
    );
    let now = site.now() / 1000;
    let expected = json!({
        "iss": ISSUER, "aud": "wiki", "sub": ada.user().await["id"],
        "iat": now, "exp": now + 600, "auth_time": now - 10, "nonce": "a-nonce",
        "acr": "aal1", "amr": ["pwd"], "sid": claims["sid"], "at_hash": claims["at_hash"],
    });
    assert_eq!(claims, expected);
    // Without a nonce in the request there is none.
    let plain = wiki();
    let url = super::returned(&ada.browser.open(&plain.request(&[("nonce", "")])).await);
    let code = super::value(&url, "code").unwrap();
    let answer = asks(&site, "wiki", &plain.redemption(&code)).await.json();
    let (_, second) = verified(&jwks(&site).await, &text(&answer, "id_token")).unwrap();
    assert_eq!(second.get("nonce"), None);
    assert_eq!(second["sid"], claims["sid"], "the session has one name");
}

both!(the_kind_of_a_passkey_is_in_amr);
async fn the_kind_of_a_passkey_is_in_amr(db: Database) {
    let site = provider(&db).await;
    for (name, mut authenticator, amr) in [
        ("ada", Authenticator::synced(), json!(["swk", "mfa"])),
        ("eve", Authenticator::device_bound(), json!(["hwk", "mfa"])),
    ] {
        let person = passkeys::holder(&site, name, &mut authenticator).await;
        passkeys::sign_in(&person.browser, &mut authenticator).await;
        let answer = wiki().tokens(&site, &person.browser).await;
        let (_, claims) = verified(&jwks(&site).await, &text(&answer, "id_token")).unwrap();
        assert_eq!((&claims["amr"], &claims["acr"]), (&amr, &json!("aal2")));
    }
}

async fn claims_of(site: &crate::support::Site, browser: &Browser, scope: &str) -> Value {
    let wiki = wiki();
    let url = super::returned(&browser.open(&wiki.request(&[("scope", scope)])).await);
    let code = super::value(&url, "code").unwrap();
    let answer = asks(site, "wiki", &wiki.redemption(&code)).await.json();
    userinfo(site, &text(&answer, "access_token")).await.json()
}

// security: OP-13
both!(userinfo_returns_only_the_claims_of_the_scope);
async fn userinfo_returns_only_the_claims_of_the_scope(db: Database) {
    let site = provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let sub = ada.user().await["id"].clone();
    let only = claims_of(&site, &ada.browser, "openid address phone").await;
    assert_eq!(only, json!({"sub": sub}));
    let profile = claims_of(&site, &ada.browser, "openid profile").await;
    let registered = super::super::support::site::NOON / 1000;
    let expected = json!({
        "sub": sub, "preferred_username": "ada", "locale": "en",
        "zoneinfo": "America/New_York", "updated_at": registered,
    });
    assert_eq!(profile, expected);
    let email = claims_of(&site, &ada.browser, "openid email").await;
    let expected = json!({"sub": sub, "email": "ada@example.org", "email_verified": true});
    assert_eq!(email, expected);
    let other = claims_of(&site, &eve.browser, "openid").await;
    assert_ne!(other["sub"], sub);
    let sql =
        "UPDATE accounts SET first_name = 'Ada', last_name = 'Lovelace' WHERE username = 'ada'";
    let mut tx = site.app.store.write().await.unwrap();
    tx.execute(sql, &[]).await.unwrap();
    tx.commit().await.unwrap();
    let named = claims_of(&site, &ada.browser, "openid profile").await;
    let names = ["name", "given_name", "family_name"].map(|name| named[name].clone());
    assert_eq!(
        names,
        [json!("Ada Lovelace"), json!("Ada"), json!("Lovelace")]
    );
}

both!(an_access_token_is_accepted_in_the_header_or_in_a_post_body);
async fn an_access_token_is_accepted_in_the_header_or_in_a_post_body(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let token = text(&wiki().tokens(&site, &ada.browser).await, "access_token");
    let server = site.browser();
    let (path, bearer) = ("/account/oidc/userinfo", format!("Bearer {token}"));
    let body = encoded(&[("access_token", &token)]);
    let in_body = server.send_with(form(path), body.clone()).await;
    assert_eq!(in_body.json()["email"], "ada@example.org");
    let by_post = server
        .send(Request::post(path).header("authorization", &bearer))
        .await;
    assert_eq!(by_post.json()["email"], "ada@example.org");
    let both = form(path).header("authorization", &bearer);
    refuses(&server.send_with(both, body).await, 400, "invalid_request");
    let none = server.open(path).await;
    assert_eq!((none.status.as_u16(), none.text()), (401, ""));
    assert_eq!(
        none.header("www-authenticate"),
        Some("Bearer realm=\"account\"")
    );
    // A cookie is no token.
    assert_eq!(ada.browser.open(path).await.status, 401);
    for wrong in ["", "x", "Bearer", "Bearer x", &bearer.to_uppercase()] {
        let request = Request::get(path).header("authorization", wrong);
        let answer = server.send(request).await;
        refuses(&answer, 401, "invalid_token");
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\""),
            "{challenge}"
        );
    }
}

// security: OP-2, OP-3
both!(a_code_works_once_for_its_client_redirect_uri_and_verifier);
async fn a_code_works_once_for_its_client_redirect_uri_and_verifier(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let (wiki, vault) = (wiki(), rp("vault", CALLBACK));
    let code = wiki.code(&ada.browser).await;
    let right = wiki.redemption(&code);
    let changed = |name: &str, value: &str| {
        let mut form = right.clone();
        form.retain(|(key, _)| key != name || !value.is_empty());
        for (key, own) in &mut form {
            if key == name {
                value.clone_into(own);
            }
        }
        form
    };
    refuses(&asks(&site, "vault", &right).await, 400, "invalid_grant");
    refuses(&asks(&site, "avatar", &right).await, 400, "invalid_grant");
    let short = "v".repeat(42);
    for (name, value, error) in [
        (
            "redirect_uri",
            "https://wiki.example.org/other",
            "invalid_grant",
        ),
        ("redirect_uri", "", "invalid_grant"),
        ("code_verifier", vault.challenge().as_str(), "invalid_grant"),
        ("code_verifier", short.as_str(), "invalid_grant"),
        ("code_verifier", wiki.challenge().as_str(), "invalid_grant"),
        ("code_verifier", "", "invalid_grant"),
        ("code", vault.challenge().as_str(), "invalid_grant"),
        ("code", "x", "invalid_grant"),
        ("code", "", "invalid_request"),
        ("grant_type", "", "invalid_request"),
        ("grant_type", "password", "unsupported_grant_type"),
    ] {
        let answer = asks(&site, "wiki", &changed(name, value)).await;
        refuses(&answer, 400, error);
    }
    let answer = asks(&site, "wiki", &right).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let tokens = answer.json();
    // The second use ends what the first one produced.
    refuses(&asks(&site, "wiki", &right).await, 400, "invalid_grant");
    refuses(
        &userinfo(&site, &text(&tokens, "access_token")).await,
        401,
        "invalid_token",
    );
    let answer = super::refresh(&site, &text(&tokens, "refresh_token")).await;
    refuses(&answer, 400, "invalid_grant");
}

// security: OP-2
both!(a_code_expires_and_ends_with_its_session);
async fn a_code_expires_and_ends_with_its_session(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let wiki = wiki();
    let (late, on_time) = (wiki.code(&ada.browser).await, wiki.code(&ada.browser).await);
    site.wait("59s");
    assert_eq!(
        asks(&site, "wiki", &wiki.redemption(&on_time)).await.status,
        200
    );
    site.wait("1s");
    refuses(
        &asks(&site, "wiki", &wiki.redemption(&late)).await,
        400,
        "invalid_grant",
    );
    let code = wiki.code(&ada.browser).await;
    ada.browser.press("/logout").await;
    refuses(
        &asks(&site, "wiki", &wiki.redemption(&code)).await,
        400,
        "invalid_grant",
    );
}

// security: OP-3
both!(a_verifier_without_a_challenge_is_refused);
async fn a_verifier_without_a_challenge_is_refused(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let wiki = wiki();
    let plain = [("code_challenge", ""), ("code_challenge_method", "")];
    let url = super::returned(&ada.browser.open(&wiki.request(&plain)).await);
    let code = super::value(&url, "code").unwrap();
    let mut redemption = wiki.redemption(&code);
    refuses(
        &asks(&site, "wiki", &redemption).await,
        400,
        "invalid_grant",
    );
    redemption.retain(|(name, _)| name != "code_verifier");
    assert_eq!(asks(&site, "wiki", &redemption).await.status, 200);
}

// security: OP-9
both!(a_client_authenticates_in_one_of_three_ways);
async fn a_client_authenticates_in_one_of_three_ways(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let wiki = wiki();
    let server = site.browser();
    let secret = super::SECRET;
    let sent = async |header: Option<String>, more: &[(&str, &str)], code: &str| {
        let redemption = wiki.redemption(code);
        let mut pairs: Vec<_> = redemption
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        pairs.extend(more);
        let mut request = form(TOKEN);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        server.send_with(request, encoded(&pairs)).await
    };
    let code = wiki.code(&ada.browser).await;
    let both = [("client_id", "wiki"), ("client_secret", secret)];
    for (header, more, error) in [
        (None, &[][..], "invalid_client"),
        (None, &[("client_id", "wiki")], "invalid_client"),
        (
            None,
            &[("client_id", "wiki"), ("client_secret", "wrong")],
            "invalid_client",
        ),
        (
            None,
            &[("client_id", "stranger"), ("client_secret", secret)],
            "invalid_client",
        ),
        (
            None,
            &[("client_id", "avatar"), ("client_secret", secret)],
            "invalid_client",
        ),
        (Some(basic("wiki", "wrong")), &[], "invalid_client"),
        (Some(basic("wiki", "")), &[], "invalid_client"),
        (Some("Bearer x".to_owned()), &[], "invalid_client"),
        (Some(basic("wiki", secret)), &both, "invalid_request"),
        (
            Some(basic("wiki", secret)),
            &[("client_id", "vault")],
            "invalid_request",
        ),
    ] {
        let answer = sent(header, more, &code).await;
        let status = if error == "invalid_client" { 401 } else { 400 };
        refuses(&answer, status, error);
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
    }
    assert_eq!(sent(None, &both, &code).await.status, 200);
    let code = wiki.code(&ada.browser).await;
    let named = [("client_id", "wiki")];
    assert_eq!(
        sent(Some(basic("wiki", secret)), &named, &code)
            .await
            .status,
        200
    );
    let avatar = rp("avatar", "https://avatar.example.org/cb");
    avatar.tokens(&site, &ada.browser).await;
}

both!(a_token_request_without_a_form_body_is_refused);
async fn a_token_request_without_a_form_body_is_refused(db: Database) {
    let site = provider(&db).await;
    let server = site.browser();
    for kind in ["application/json", "text/plain", "multipart/form-data"] {
        let request = Request::post(TOKEN).header("content-type", kind);
        refuses(
            &server.send_with(request, "{}").await,
            400,
            "invalid_request",
        );
    }
    let large = encoded(&[("code", &"x".repeat(20_000))]);
    refuses(
        &server.send_with(form(TOKEN), large).await,
        400,
        "invalid_request",
    );
    let twice =
        "grant_type=refresh_token&grant_type=refresh_token&refresh_token=x&client_id=avatar";
    refuses(
        &server.send_with(form(TOKEN), twice).await,
        400,
        "invalid_request",
    );
}

both!(pages_of_public_clients_may_call_the_token_endpoint);
async fn pages_of_public_clients_may_call_the_token_endpoint(db: Database) {
    let site = provider(&db).await;
    let server = site.browser();
    for (origin, is_allowed) in [
        ("https://avatar.example.org", true),
        ("https://wiki.example.org", false),
        ("https://evil.example", false),
        ("null", false),
    ] {
        for path in [TOKEN, "/account/oidc/userinfo", "/account/oidc/revoke"] {
            let expected = is_allowed.then_some(origin);
            let preflight = Request::options(path)
                .header("origin", origin)
                .header("access-control-request-method", "POST");
            let answer = server.send(preflight).await;
            assert_eq!(
                answer.header("access-control-allow-origin"),
                expected,
                "{path}"
            );
            assert_eq!(
                answer.header("access-control-allow-headers").is_some(),
                is_allowed
            );
            let answer = server.send(form(path).header("origin", origin)).await;
            assert_eq!(
                answer.header("access-control-allow-origin"),
                expected,
                "{path}"
            );
            assert_eq!(answer.header("access-control-allow-credentials"), None);
        }
    }
}

// security: OP-13
both!(a_new_account_with_the_same_address_gets_another_sub);
async fn a_new_account_with_the_same_address_gets_another_sub(db: Database) {
    let site = provider(&db).await;
    let ada = site.signed_in("ada").await;
    let first = claims_of(&site, &ada.browser, "openid").await["sub"].clone();
    let mut tx = site.app.store.write().await.unwrap();
    tx.execute("DELETE FROM accounts", &[]).await.unwrap();
    tx.commit().await.unwrap();
    let ada = site.signed_in("ada").await;
    assert_ne!(claims_of(&site, &ada.browser, "openid").await["sub"], first);
}
