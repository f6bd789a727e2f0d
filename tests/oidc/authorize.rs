//! The authorization endpoint.

use axum::http::Request;
use serde_json::json;
use url::Url;

use super::{
    CALLBACK, ISSUER, RelyingParty, form_encoded, form_request, logged_refusals,
    provider_with_signed_in, query_value, redirect_target, relying_party, request_token,
    site_with_provider, text_value, wiki,
};
use crate::second_factor;
use crate::support::{Browser, Database, Response, Site};

const WITHOUT_CHALLENGE: [(&str, &str); 2] =
    [("code_challenge", ""), ("code_challenge_method", "")];

/// The ticket of a response that leads to one of our pages.
#[track_caller]
pub(super) fn ticket_of(response: &Response, page: &str) -> String {
    let url = redirect_target(response);
    assert_eq!(url.path(), page);
    query_value(&url, "continue").expect("a ticket")
}

#[track_caller]
fn assert_query(url: &Url, name: &str, value: &str) {
    assert_eq!(query_value(url, name).as_deref(), Some(value), "{url}");
}

pub(super) async fn resume(browser: &Browser, ticket: &str) -> Response {
    let path = format!("/account/oidc/authorize?continue={ticket}");
    let response = browser.open(&path).await;
    let next = redirect_target(&response);
    if next.path() != "/account/oidc/authorize" {
        return response;
    }
    browser
        .open(&format!("{}?{}", next.path(), next.query().unwrap()))
        .await
}

// security: OP-6
on_both_databases!(a_signed_in_browser_gets_a_code_at_once);
async fn a_signed_in_browser_gets_a_code_at_once(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    site.advance("1s");
    let url = wiki().redirect(&ada.browser, &[]).await;
    assert!(
        url.as_str()
            .starts_with("https://wiki.example.org/callback?code="),
        "{url}"
    );
    assert_query(&url, "state", "a state & more");
    assert_query(&url, "iss", ISSUER);
    assert_eq!(url.query_pairs().count(), 3);
    let events = ada.browser.get("/activity").await.json();
    assert_eq!(events["events"][0]["kind"], "app_signed_in");
    assert_eq!(
        events["events"][0]["details"],
        json!({"app": "wiki of ours"})
    );
    // A second sign-in of the same session is no news.
    ada.browser.open(&wiki().request(&[])).await;
    site.assert_count("security_events WHERE kind = 'app_signed_in'", 1)
        .await;
}

// security: OP-1, OP-10
on_both_databases!(a_wrong_client_or_redirect_uri_shows_an_error_page_and_never_redirects);
async fn a_wrong_client_or_redirect_uri_shows_an_error_page_and_never_redirects(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let twice = format!("{}&client_id=wiki", wiki().request(&[]));
    let two_addresses = format!(
        "{}&redirect_uri=https%3A%2F%2Fevil.example",
        wiki().request(&[])
    );
    let mut requests = vec![twice, two_addresses];
    for change in [
        ("client_id", "stranger"),
        ("client_id", ""),
        ("redirect_uri", ""),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "https://wiki.example.org/callback/"),
        ("redirect_uri", "https://wiki.example.org/callback?x=1"),
        ("redirect_uri", "https://wiki.example.org:443/callback"),
        (
            "redirect_uri",
            "https://wiki.example.org@evil.example/callback",
        ),
        ("redirect_uri", "javascript:alert(1)"),
    ] {
        for prompt in ["", "none"] {
            requests.push(wiki().request(&[change, ("prompt", prompt)]));
        }
    }
    for request in requests {
        let response = ada.browser.open(&request).await;
        assert_eq!(response.status, 400, "{request}");
        assert_eq!(response.header("location"), None);
        assert!(!response.text().contains("evil"), "{}", response.text());
    }
    assert_eq!(site.count("oidc_codes").await, 0);
}

// security: OP-1
on_both_databases!(the_port_of_a_loopback_address_is_free_for_a_public_client);
async fn the_port_of_a_loopback_address_is_free_for_a_public_client(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let native = relying_party("avatar", "http://127.0.0.1:51004/callback");
    let code = native.code(&ada.browser).await;
    let response = request_token(&site, "avatar", &native.token_form(&code)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let other = relying_party("avatar", "http://127.0.0.1:51004/other");
    assert_eq!(ada.browser.open(&other.request(&[])).await.status, 400);
}

// security: OP-3, OP-6
on_both_databases!(an_invalid_request_of_a_known_client_is_reported_to_the_client);
async fn an_invalid_request_of_a_known_client_is_reported_to_the_client(db: Database) {
    let (_, ada) = provider_with_signed_in(&db, "ada").await;
    let assert_reported = async |of: RelyingParty, changes: &[(&str, &str)], error: &str| {
        let url = of.redirect(&ada.browser, changes).await;
        assert!(
            url.as_str().starts_with(of.redirect_uri),
            "{changes:?}: {url}"
        );
        let parameters = ["error", "iss", "state", "code"].map(|name| query_value(&url, name));
        let expected = [Some(error), Some(ISSUER), Some("a state & more"), None];
        assert_eq!(
            parameters,
            expected.map(|value| value.map(str::to_owned)),
            "{changes:?}"
        );
    };
    let long = "n".repeat(513);
    for (name, value, error) in [
        ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        (
            "response_type", "code id_token", "unsupported_response_type",
        ),
        ("response_mode", "fragment", "invalid_request"),
        ("request", "e30.e30.", "request_not_supported"),
        (
            "request_uri", "https://a.example/r", "request_uri_not_supported",
        ),
        ("scope", "profile", "invalid_scope"),
        ("scope", "", "invalid_scope"),
        ("prompt", "none login", "invalid_request"),
        ("prompt", "none none", "invalid_request"),
        ("prompt", "create login", "invalid_request"),
        ("prompt", "none create", "invalid_request"),
        ("prompt", "unknown", "invalid_request"),
        ("prompt", "login unknown", "invalid_request"),
        ("prompt", "LOGIN", "invalid_request"),
        ("max_age", "-1", "invalid_request"),
        ("max_age", "soon", "invalid_request"),
        ("nonce", long.as_str(), "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("id_token_hint", "e30.e30.x", "invalid_request"),
    ] {
        assert_reported(wiki(), &[(name, value)], error).await;
    }
    let avatar = relying_party("avatar", "https://avatar.example.org/cb");
    assert_reported(avatar, &WITHOUT_CHALLENGE, "invalid_request").await;
    let twice = format!("{}&nonce=other", wiki().request(&[]));
    let url = redirect_target(&ada.browser.open(&twice).await);
    assert_query(&url, "error", "invalid_request");
    for name in [
        "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "id_token_hint", "login_hint", "ui_locales",
        "acr_values", "request", "request_uri",
    ] {
        let url = wiki().redirect(&ada.browser, &[(name, "a\0b")]).await;
        assert_query(&url, "error", "invalid_request");
    }
}

on_both_databases!(a_refused_authorization_request_is_logged_with_client_and_reason);
async fn a_refused_authorization_request_is_logged_with_client_and_reason(db: Database) {
    let site = site_with_provider(&db).await;
    let (refused, log) = logged_refusals("authorization_refused", async {
        for request in [
            relying_party("vault", CALLBACK).request(&WITHOUT_CHALLENGE),
            wiki().request(&[("redirect_uri", "https://stranger.example/")]),
            wiki().request(&[("prompt", "none")]),
            wiki().request(&[("client_id", "stranger")]),
        ] {
            site.browser().open(&request).await;
        }
    })
    .await;
    let pkce = "PKCE is required: code_challenge is missing";
    let expected = [
        json!(["WARN", "vault", pkce]),
        json!(["WARN", "wiki", "redirect_uri is missing or not registered"]),
        json!(["INFO", "wiki", "no matching session"]),
        json!(["WARN", null, "client_id is missing or unknown"]),
    ];
    assert_eq!(refused, expected);
    assert!(!log.contains("stranger"), "{log}");
}

// security: OP-10
on_both_databases!(prompt_none_never_shows_a_page);
async fn prompt_none_never_shows_a_page(db: Database) {
    let site = site_with_provider(&db).await;
    let ada = site.member("ada").await;
    let silent = [("prompt", "none")];
    let error = async |of: &RelyingParty, changes: &[(&str, &str)]| {
        let url = of.redirect(&ada.browser, changes).await;
        assert!(url.as_str().starts_with(of.redirect_uri), "{url}");
        query_value(&url, "error").unwrap_or_default()
    };
    assert_eq!(error(&wiki(), &silent).await, "login_required");
    assert_status!(ada.try_sign_in(&ada.browser), 200);
    assert_eq!(error(&wiki(), &silent).await, "");
    assert_eq!(
        error(&relying_party("vault", CALLBACK), &silent).await,
        "interaction_required"
    );
    site.advance("2m");
    let old = [("prompt", "none"), ("max_age", "60")];
    assert_eq!(error(&wiki(), &old).await, "login_required");
    assert_eq!(
        error(&wiki(), &[("prompt", "none"), ("max_age", "121")]).await,
        ""
    );
}

on_both_databases!(a_sign_in_returns_to_the_application);
async fn a_sign_in_returns_to_the_application(db: Database) {
    let site = site_with_provider(&db).await;
    let ada = site.member("ada").await;
    let wiki = wiki();
    let response = ada
        .browser
        .open(&wiki.request(&[("login_hint", "ada@example.org")]))
        .await;
    let ticket = ticket_of(&response, "/account/");
    assert_eq!(
        resume(&ada.browser, &ticket)
            .await
            .header("location")
            .map(|l| &l[..9]),
        Some("/account/")
    );
    ada.try_sign_in(&ada.browser).await;
    let url = redirect_target(&resume(&ada.browser, &ticket).await);
    let code = query_value(&url, "code").expect("a code");
    assert_query(&url, "state", "a state & more");
    assert_status!(request_token(&site, "wiki", &wiki.token_form(&code)), 200);
}

// security: OP-4
on_both_databases!(a_ticket_of_another_browser_shows_the_plain_form);
async fn a_ticket_of_another_browser_shows_the_plain_form(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.member("eve").await);
    let ticket = ticket_of(&eve.browser.open(&wiki().request(&[])).await, "/account/");
    let url = redirect_target(&resume(&ada.browser, &ticket).await);
    assert_eq!((url.path(), url.query()), ("/account/", None));
    assert_eq!(site.count("oidc_codes").await, 0);
}

on_both_databases!(prompt_login_and_max_age_require_one_more_sign_in);
async fn prompt_login_and_max_age_require_one_more_sign_in(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    for change in [
        ("prompt", "login"),
        ("prompt", "select_account"),
        ("max_age", "60"),
    ] {
        site.advance("2m");
        let ticket = ticket_of(
            &ada.browser.open(&wiki().request(&[change])).await,
            "/account/",
        );
        let url = redirect_target(&resume(&ada.browser, &ticket).await);
        assert_eq!(url.path(), "/account/", "{change:?}");
        ada.try_sign_in(&ada.browser).await;
        let url = redirect_target(&resume(&ada.browser, &ticket).await);
        assert!(query_value(&url, "code").is_some(), "{change:?}: {url}");
    }
    wiki()
        .code_with(&ada.browser, &[("prompt", "consent")])
        .await;
}

on_both_databases!(a_client_that_needs_a_second_factor_gets_one);
async fn a_client_that_needs_a_second_factor_gets_one(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let vault = relying_party("vault", CALLBACK);
    let response = ada.browser.open(&vault.request(&[])).await;
    let ticket = ticket_of(&response, "/account/settings/security/two-step");
    let ada = second_factor::turn_on(&site, ada).await;
    let url = redirect_target(&resume(&ada.person.browser, &ticket).await);
    let code = query_value(&url, "code").expect("a code");
    let response = request_token(&site, "vault", &vault.token_form(&code))
        .await
        .json();
    let (header, claims) = super::id_token(&site, &response).await;
    assert_eq!(header["alg"], "EdDSA");
    assert_eq!(claims["acr"], "aal2");
    assert_eq!(claims["amr"], json!(["pwd", "otp", "mfa"]));
}

// security: LV-6
on_both_databases!(a_password_does_not_renew_the_proof_of_a_client_that_needs_level_two);
async fn a_password_does_not_renew_the_proof_of_a_client_that_needs_level_two(db: Database) {
    db.allow_unread_mails();
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let mut phone = crate::support::authenticator::Authenticator::synced();
    crate::passkeys::add_passkey(&ada.browser, &mut phone).await;
    let vault = relying_party("vault", CALLBACK);
    let recent = [("max_age", "60")];
    vault.code_with(&ada.browser, &recent).await;
    site.advance("2m");
    let proof = ada.credentials();
    ada.browser.reauthenticate(&proof).await;
    ticket_of(
        &ada.browser.open(&vault.request(&recent)).await,
        "/account/",
    );
    // The same proof is enough for a client without a level.
    wiki().code_with(&ada.browser, &recent).await;
}

on_both_databases!(a_hint_for_another_user_asks_for_that_user);
async fn a_hint_for_another_user_asks_for_that_user(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    let request = |prompt| wiki().request(&[("id_token_hint", hint.as_str()), ("prompt", prompt)]);
    let own = redirect_target(&ada.browser.open(&request("none")).await);
    assert!(query_value(&own, "code").is_some());
    let other = redirect_target(&eve.browser.open(&request("none")).await);
    assert_query(&other, "error", "login_required");
    // Another sign-in as a different user is not enough.
    site.advance("1s");
    let ticket = ticket_of(&eve.browser.open(&request("")).await, "/account/");
    eve.try_sign_in(&eve.browser).await;
    let url = redirect_target(&resume(&eve.browser, &ticket).await);
    assert_query(&url, "error", "login_required");
}

on_both_databases!(a_post_is_handled_like_the_same_get);
async fn a_post_is_handled_like_the_same_get(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let request = wiki().request(&[]);
    let (path, query) = request.split_once('?').unwrap();
    let url = redirect_target(
        &site
            .browser()
            .send_with(form_request(path), query.to_owned())
            .await,
    );
    assert_eq!(url.path(), path);
    let response = ada
        .browser
        .open(&format!("{path}?{}", url.query().unwrap()))
        .await;
    assert!(query_value(&redirect_target(&response), "code").is_some());
    let repeated = format!("{query}&scope=openid");
    let url = redirect_target(
        &site
            .browser()
            .send_with(form_request(path), repeated.clone())
            .await,
    );
    assert_eq!(url.query(), Some(repeated.as_str()));
    let ticket = form_encoded(&[("continue", "x")]);
    let url = redirect_target(&site.browser().send_with(form_request(path), ticket).await);
    assert_eq!(query_value(&url, "continue"), None);
}

on_both_databases!(a_disabled_provider_responds_404);
async fn a_disabled_provider_responds_404(db: Database) {
    let site: Site = db.site().await;
    for path in [
        "/account/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/account",
        "/account/oidc/jwks",
        "/account/oidc/authorize?client_id=wiki",
        "/account/oidc/userinfo",
        "/account/oidc/logout",
    ] {
        assert_eq!(site.browser().open(path).await.status, 404, "{path}");
    }
    for path in ["/account/oidc/token", "/account/oidc/revoke"] {
        for request in [Request::post(path), Request::options(path)] {
            let response = site.browser().send(request).await;
            assert_eq!(response.status, 404, "{path}");
        }
    }
}
