//! Codes become tokens, and tokens become claims.

use account::params;

use super::{
    ISSUER, Provider, REVOKE, TOKEN, USERINFO, WITHOUT_CHALLENGE, assert_invalid_grant,
    assert_oauth_error, assert_tokens_ended, form_request, id_token, logged_refusals, refresh_form,
    request_token, site_with_provider, text_value, userinfo, vault, wiki, with_changes,
};
use crate::passkeys;
use crate::prelude::*;
use crate::support::authenticator::Authenticator;

on_both_databases!(
    an_id_token_has_the_user_time_and_method_of_the_sign_in,
    the_kind_of_a_passkey_is_in_amr,
    userinfo_returns_only_the_claims_of_the_scope,
    an_id_token_has_the_claims_of_the_scopes_for_a_client_that_wants_them,
    an_access_token_is_accepted_in_the_header_or_in_a_post_body,
    a_code_works_once_for_its_client_redirect_uri_and_verifier,
    a_refused_token_request_is_logged_with_client_and_reason,
    a_code_expires_and_ends_with_its_session,
    a_verifier_without_a_challenge_is_refused,
    a_new_account_with_the_same_address_gets_another_sub
);
on_sqlite!(
    a_token_request_without_a_form_body_is_refused,
    pages_of_public_clients_may_call_the_token_endpoint
);

async fn an_id_token_has_the_user_time_and_method_of_the_sign_in(Provider(site, ada): Provider) {
    site.advance("10s");
    let response = wiki().tokens(&site, &ada.browser).await;
    assert_eq!(response["token_type"], "Bearer");
    assert_eq!(response["expires_in"], 600);
    assert_eq!(response["scope"], "openid profile email offline_access");
    let (header, claims) = id_token(&site, &response).await;
    assert_eq!(
        json!([header["alg"], header["typ"]]),
        json!(["RS256", "JWT"])
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
    let code = plain.code_with(&ada.browser, "nonce=").await;
    let (_, second) = id_token(&site, &plain.redeem(&site, &code).await).await;
    assert_eq!(second.get("nonce"), None);
    assert_eq!(second["sid"], claims["sid"], "the session has one name");
}

async fn the_kind_of_a_passkey_is_in_amr(db: Database) {
    let site = site_with_provider(&db).await;
    for (name, mut authenticator, amr) in [
        ("ada", Authenticator::synced(), json!(["swk", "mfa"])),
        ("eve", Authenticator::device_bound(), json!(["hwk", "mfa"])),
    ] {
        let person = passkeys::person_with_passkey(&site, name, &mut authenticator).await;
        passkeys::sign_in(&person.browser, &mut authenticator).await;
        let response = wiki().tokens(&site, &person.browser).await;
        let (_, claims) = id_token(&site, &response).await;
        assert_eq!((&claims["amr"], &claims["acr"]), (&amr, &json!("aal2")));
    }
}

async fn claims_of(site: &Site, browser: &Browser, scope: &str) -> Value {
    let wiki = wiki();
    let code = wiki.code_with(browser, &format!("scope={scope}")).await;
    let tokens = wiki.redeem(site, &code).await;
    userinfo(site, &tokens).await.json()
}

// security: OP-13
async fn userinfo_returns_only_the_claims_of_the_scope(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let sub = ada.user().await["id"].clone();
    let only = claims_of(&site, &ada.browser, "openid address phone").await;
    assert_eq!(only, json!({"sub": sub}));
    let profile = claims_of(&site, &ada.browser, "openid profile").await;
    let registered = crate::support::site::NOON / 1000;
    let expected = json!({
        "sub": sub, "name": "ada", "preferred_username": "ada", "locale": "en",
        "zoneinfo": "America/New_York", "updated_at": registered,
    });
    assert_eq!(profile, expected);
    let email = claims_of(&site, &ada.browser, "openid email").await;
    let expected = json!({"sub": sub, "email": "ada@example.org", "email_verified": true});
    assert_eq!(email, expected);
    let other = claims_of(&site, &eve.browser, "openid").await;
    assert_ne!(other["sub"], sub);
    for (first, last, full) in [
        (Some("Ada"), None, "Ada"),
        (None, Some("Lovelace"), "Lovelace"),
        (Some("Ada"), Some("Lovelace"), "Ada Lovelace"),
    ] {
        let sql = "UPDATE accounts SET first_name = $1, last_name = $2 WHERE username = 'ada'";
        site.execute(sql, params![first, last]).await;
        let named = claims_of(&site, &ada.browser, "openid profile").await;
        let names = ["name", "given_name", "family_name"].map(|name| named[name].clone());
        assert_eq!(names, [json!(full), json!(first), json!(last)]);
    }
}

// security: OP-13
async fn an_id_token_has_the_claims_of_the_scopes_for_a_client_that_wants_them(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            super::enable_provider(c);
            c.oidc.clients[0].id_token_claims = true;
        })
        .await;
    let ada = site.signed_in("ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let (_, claims) = id_token(&site, &tokens).await;
    let person = userinfo(&site, &tokens).await;
    for (name, value) in person.json().members() {
        assert_eq!(claims[name], *value, "{name}");
    }
    assert_eq!(claims["email"], "ada@example.org");
    assert_eq!(claims["aud"], "wiki");
    // A refresh that narrows the scope narrows the claims.
    let form = refresh_form(&tokens) + "&scope=openid+profile";
    let narrow = request_token(&site, "wiki", &form).await.json();
    let (_, claims) = id_token(&site, &narrow).await;
    assert_eq!(claims["preferred_username"], "ada");
    assert_eq!(claims.get("email"), None);
}

async fn an_access_token_is_accepted_in_the_header_or_in_a_post_body(
    Provider(site, ada): Provider,
) {
    let token = text_value(&wiki().tokens(&site, &ada.browser).await, "access_token");
    let server = site.browser();
    let (path, bearer) = (USERINFO, format!("Bearer {token}"));
    let body = format!("access_token={token}");
    let in_body = server.send_with(form_request(path), body.clone()).await;
    assert_eq!(in_body.json()["email"], "ada@example.org");
    let by_post = server
        .send(Request::post(path).header("authorization", &bearer))
        .await;
    assert_eq!(by_post.json()["email"], "ada@example.org");
    let both = form_request(path).header("authorization", &bearer);
    assert_oauth_error(&server.send_with(both, body).await, 400, "invalid_request");
    let none = server.open(path).await;
    assert_eq!((none.status.as_u16(), none.text()), (401, ""));
    assert_eq!(
        none.header("www-authenticate"),
        Some("Bearer realm=\"account\"")
    );
    // A cookie is no token.
    assert_status!(ada.browser.open(path), 401);
    for wrong in ["", "x", "Bearer", "Bearer x", &bearer.to_uppercase()] {
        let request = Request::get(path).header("authorization", wrong);
        let response = server.send(request).await;
        assert_oauth_error(&response, 401, "invalid_token");
        let challenge = response.header("www-authenticate").unwrap();
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\""),
            "{challenge}"
        );
    }
}

// security: OP-2, OP-3
async fn a_code_works_once_for_its_client_redirect_uri_and_verifier(Provider(site, ada): Provider) {
    let (wiki, other) = (wiki(), vault().challenge());
    let code = wiki.code(&ada.browser).await;
    let right = wiki.token_form(&code);
    for other in ["vault", "avatar"] {
        assert_invalid_grant(&site, other, &right).await;
    }
    for (change, error) in [
        (
            "redirect_uri=https://wiki.example.org/other",
            "invalid_grant",
        ),
        ("redirect_uri=", "invalid_grant"),
        (&*format!("code_verifier={other}"), "invalid_grant"),
        (
            &format!("code_verifier={}", "v".repeat(42)),
            "invalid_grant",
        ),
        (
            &format!("code_verifier={}", wiki.challenge()),
            "invalid_grant",
        ),
        ("code_verifier=", "invalid_grant"),
        (&format!("code={other}"), "invalid_grant"),
        ("code=x", "invalid_grant"),
        ("code=", "invalid_request"),
        ("grant_type=", "invalid_request"),
        ("grant_type=password", "unsupported_grant_type"),
    ] {
        let response = request_token(&site, "wiki", &with_changes(&right, change)).await;
        assert_oauth_error(&response, 400, error);
    }
    let tokens = wiki.redeem(&site, &code).await;
    // The second use ends what the first one produced. Later uses end nothing, and are not listed.
    for _ in 0..2 {
        assert_invalid_grant(&site, "wiki", &right).await;
    }
    assert_tokens_ended(&site, &tokens).await;
    let activity = ada.browser.get("/activity").await.json();
    let events = activity["events"].list();
    let ended = events.iter().filter(|one| one["kind"] == "app_signed_out");
    let reasons: Vec<_> = ended.map(|one| &one["details"]["reason"]).collect();
    assert_eq!(reasons, ["code_reused"]);
}

// security: OP-9
async fn a_refused_token_request_is_logged_with_client_and_reason(Provider(site, ada): Provider) {
    let wiki = wiki();
    let tokens = wiki.tokens(&site, &ada.browser).await;
    let code = wiki.code(&ada.browser).await;
    let right = wiki.token_form(&code);
    let changed = |change: &str| with_changes(&right, change);
    let cases = [
        (
            changed("redirect_uri=https://stranger.example/?token=x"),
            "redirect_uri is not the one of the authorization request",
        ),
        (
            changed(&format!("code_verifier={}", wiki.challenge())),
            "wrong code_verifier",
        ),
        (changed("code_verifier="), "code_verifier is missing"),
        (
            changed("grant_type=password"),
            "grant_type is authorization_code or refresh_token",
        ),
        (
            refresh_form(&tokens) + "&scope=openid+address",
            "the scope was not granted",
        ),
    ];
    let (refused, log) = logged_refusals("token_refused", async {
        for (form, _) in &cases {
            assert_status!(request_token(&site, "wiki", form), 400);
        }
        assert_status!(request_token(&site, "wiki", &right), 200);
    })
    .await;
    let expected = cases
        .each_ref()
        .map(|(_, why)| json!(["WARN", "wiki", why]));
    assert_eq!(refused, json!(expected));
    let token = text_value(&tokens, "refresh_token");
    for private in [&code, &wiki.verifier, &token, "stranger"] {
        assert_lacks!(log, private);
    }
}

// security: OP-2
async fn a_code_expires_and_ends_with_its_session(Provider(site, ada): Provider) {
    let wiki = wiki();
    let (late, on_time) = (wiki.code(&ada.browser).await, wiki.code(&ada.browser).await);
    site.advance("59s");
    wiki.redeem(&site, &on_time).await;
    site.advance("1s");
    assert_invalid_grant(&site, "wiki", &wiki.token_form(&late)).await;
    let code = wiki.code(&ada.browser).await;
    ada.browser.post_empty("/logout").await;
    assert_invalid_grant(&site, "wiki", &wiki.token_form(&code)).await;
}

// security: OP-3
async fn a_verifier_without_a_challenge_is_refused(Provider(site, ada): Provider) {
    let wiki = wiki();
    let code = wiki.code_with(&ada.browser, WITHOUT_CHALLENGE).await;
    let form = wiki.token_form(&code);
    assert_invalid_grant(&site, "wiki", &form).await;
    let form = with_changes(&form, "code_verifier=");
    assert_status!(request_token(&site, "wiki", &form), 200);
}

async fn a_token_request_without_a_form_body_is_refused(db: Database) {
    let site = site_with_provider(&db).await;
    let server = site.browser();
    let assert_refused = async |request, body: &str| {
        let response = server.send_with(request, body.to_owned()).await;
        assert_oauth_error(&response, 400, "invalid_request");
    };
    for kind in ["application/json", "text/plain", "multipart/form-data"] {
        let request = Request::post(TOKEN).header("content-type", kind);
        assert_refused(request, "{}").await;
    }
    let large = format!("code={}", "x".repeat(20_000));
    assert_refused(form_request(TOKEN), &large).await;
    let twice =
        "grant_type=refresh_token&grant_type=refresh_token&refresh_token=x&client_id=avatar";
    assert_refused(form_request(TOKEN), twice).await;
}

async fn pages_of_public_clients_may_call_the_token_endpoint(db: Database) {
    let site = site_with_provider(&db).await;
    let server = site.browser();
    for (origin, is_allowed) in [
        ("https://avatar.example.org", true),
        ("https://wiki.example.org", false),
        ("https://evil.example", false),
        ("null", false),
    ] {
        for path in [TOKEN, USERINFO, REVOKE] {
            let expected = is_allowed.then_some(origin);
            let preflight = Request::options(path)
                .header("origin", origin)
                .header("access-control-request-method", "POST");
            let response = server.send(preflight).await;
            assert_eq!(
                response.header("access-control-allow-origin"),
                expected,
                "{path}"
            );
            assert_eq!(
                response.header("access-control-allow-headers").is_some(),
                is_allowed
            );
            let response = server
                .send(form_request(path).header("origin", origin))
                .await;
            assert_eq!(
                response.header("access-control-allow-origin"),
                expected,
                "{path}"
            );
            assert_eq!(response.header("access-control-allow-credentials"), None);
        }
    }
}

// security: OP-13
async fn a_new_account_with_the_same_address_gets_another_sub(Provider(site, ada): Provider) {
    let first = claims_of(&site, &ada.browser, "openid").await["sub"].clone();
    site.remove_accounts().await;
    let ada = site.signed_in("ada").await;
    assert_ne!(claims_of(&site, &ada.browser, "openid").await["sub"], first);
}
