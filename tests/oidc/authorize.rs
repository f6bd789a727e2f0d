//! The authorization endpoint.

use url::Url;

use super::{
    ISSUER, Provider, REVOKE, RelyingParty, TOKEN, USERINFO, WITHOUT_CHALLENGE, avatar, code_in,
    form_request, id_token, logged_refusals, provider_with_signed_in, query_value, redirect_target,
    relying_party, resume, site_with_provider, text_value, vault, wiki,
};
use crate::forward_auth::config_of;
use crate::prelude::*;
use crate::second_factor;

on_both_databases!(
    a_signed_in_browser_gets_a_code_at_once,
    a_wrong_client_or_redirect_uri_shows_an_error_page_and_never_redirects,
    the_port_of_a_loopback_address_is_free_for_a_public_client,
    an_invalid_request_of_a_known_client_is_reported_to_the_client,
    a_refused_authorization_request_is_logged_with_client_and_reason,
    prompt_none_never_shows_a_page,
    a_sign_in_returns_to_the_application,
    a_ticket_of_another_browser_shows_the_plain_form,
    an_expired_ticket_still_names_its_destination,
    prompt_login_and_max_age_require_one_more_sign_in,
    a_client_that_needs_a_second_factor_gets_one,
    a_password_does_not_renew_the_proof_of_a_client_that_needs_level_two,
    a_hint_for_another_user_asks_for_that_user,
    a_post_is_handled_like_the_same_get
);
on_sqlite!(a_disabled_provider_responds_404);

#[track_caller]
fn assert_query(url: &Url, name: &str, value: &str) {
    assert_eq!(query_value(url, name).as_deref(), Some(value), "{url}");
}

// security: OP-6
async fn a_signed_in_browser_gets_a_code_at_once(Provider(site, ada): Provider) {
    site.advance("1s");
    let url = wiki().redirect(&ada.browser, "").await;
    let start = "https://wiki.example.org/callback?code=";
    assert!(url.as_str().starts_with(start), "{url}");
    assert_query(&url, "state", "a state & more");
    assert_query(&url, "iss", ISSUER);
    assert_eq!(url.query_pairs().count(), 3);
    let events = ada.browser.get("/activity").await.json();
    let newest = &events["events"][0];
    assert_eq!(
        (&newest["kind"], &newest["details"]),
        (&json!("app_signed_in"), &json!({"app": "wiki of ours"}))
    );
    // A second sign-in of the same session is no news.
    ada.browser.open(&wiki().request("")).await;
    site.assert_count("security_events WHERE kind = 'app_signed_in'", 1)
        .await;
}

// security: OP-1, OP-10
async fn a_wrong_client_or_redirect_uri_shows_an_error_page_and_never_redirects(
    Provider(site, ada): Provider,
) {
    let whole = wiki().request("");
    let mut requests = vec![
        format!("{whole}&client_id=wiki"),
        format!("{whole}&redirect_uri=https%3A%2F%2Fevil.example"),
    ];
    for change in [
        "client_id=stranger",
        "client_id=",
        "redirect_uri=",
        "redirect_uri=https://evil.example/callback",
        "redirect_uri=https://wiki.example.org/callback/",
        "redirect_uri=https://wiki.example.org/callback?x=1",
        "redirect_uri=https://wiki.example.org:443/callback",
        "redirect_uri=https://wiki.example.org@evil.example/callback",
        "redirect_uri=javascript:alert(1)",
    ] {
        for prompt in ["", "none"] {
            requests.push(wiki().request(&format!("{change}&prompt={prompt}")));
        }
    }
    for request in requests {
        let response = ada.browser.open(&request).await;
        assert_eq!(response.status, 400, "{request}");
        assert_eq!(response.header("location"), None);
        assert_lacks!(response.text(), "evil");
    }
    site.assert_count("oidc_codes", 0).await;
}

// security: OP-1
async fn the_port_of_a_loopback_address_is_free_for_a_public_client(Provider(site, ada): Provider) {
    let native = relying_party("avatar", "http://127.0.0.1:51004/callback");
    native.tokens(&site, &ada.browser).await;
    let other = relying_party("avatar", "http://127.0.0.1:51004/other");
    assert_status!(ada.browser.open(&other.request("")), 400);
}

// security: OP-3, OP-6
async fn an_invalid_request_of_a_known_client_is_reported_to_the_client(
    Provider(_, ada): Provider,
) {
    let assert_reported = async |of: RelyingParty, changes: &str, error: &str| {
        let url = of.redirect(&ada.browser, changes).await;
        assert!(
            url.as_str().starts_with(of.redirect_uri),
            "{changes}: {url}"
        );
        let parameters = ["error", "iss", "state", "code"].map(|name| query_value(&url, name));
        let expected = [Some(error), Some(ISSUER), Some("a state & more"), None];
        assert_eq!(
            parameters.each_ref().map(Option::as_deref),
            expected,
            "{changes}"
        );
    };
    for (change, error) in [
        ("response_type=", "invalid_request"),
        ("response_type=token", "unsupported_response_type"),
        ("response_type=code id_token", "unsupported_response_type"),
        ("response_mode=fragment", "invalid_request"),
        ("request=e30.e30.", "request_not_supported"),
        (
            "request_uri=https://a.example/r",
            "request_uri_not_supported",
        ),
        ("scope=profile", "invalid_scope"),
        ("scope=", "invalid_scope"),
        ("prompt=none login", "invalid_request"),
        ("prompt=none none", "invalid_request"),
        ("prompt=create login", "invalid_request"),
        ("prompt=none create", "invalid_request"),
        ("prompt=unknown", "invalid_request"),
        ("prompt=login unknown", "invalid_request"),
        ("prompt=LOGIN", "invalid_request"),
        ("max_age=-1", "invalid_request"),
        ("max_age=soon", "invalid_request"),
        (&format!("nonce={}", "n".repeat(513)), "invalid_request"),
        ("code_challenge_method=plain", "invalid_request"),
        ("code_challenge_method=", "invalid_request"),
        ("code_challenge=", "invalid_request"),
        ("code_challenge=short", "invalid_request"),
        ("id_token_hint=e30.e30.x", "invalid_request"),
    ] {
        assert_reported(wiki(), change, error).await;
    }
    assert_reported(avatar(), WITHOUT_CHALLENGE, "invalid_request").await;
    let twice = format!("{}&nonce=other", wiki().request(""));
    let url = redirect_target(&ada.browser.open(&twice).await);
    assert_query(&url, "error", "invalid_request");
    for name in [
        "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "id_token_hint", "login_hint", "ui_locales",
        "acr_values", "request", "request_uri",
    ] {
        let url = wiki().redirect(&ada.browser, &format!("{name}=a\0b")).await;
        assert_query(&url, "error", "invalid_request");
    }
}

async fn a_refused_authorization_request_is_logged_with_client_and_reason(db: Database) {
    let site = site_with_provider(&db).await;
    let (refused, log) = logged_refusals("authorization_refused", async {
        for request in [
            vault().request(WITHOUT_CHALLENGE),
            wiki().request("redirect_uri=https://stranger.example/"),
            wiki().request("prompt=none"),
            wiki().request("client_id=stranger"),
        ] {
            site.browser().open(&request).await;
        }
    })
    .await;
    let expected = json!([
        [
            "WARN",
            "vault",
            "PKCE is required: code_challenge is missing"
        ],
        ["WARN", "wiki", "redirect_uri is missing or not registered"],
        ["INFO", "wiki", "no matching session"],
        ["WARN", null, "client_id is missing or unknown"],
    ]);
    assert_eq!(refused, expected);
    assert_lacks!(log, "stranger");
}

// security: OP-10
async fn prompt_none_never_shows_a_page(db: Database) {
    let site = site_with_provider(&db).await;
    let ada = site.member("ada").await;
    let error = async |of: RelyingParty, changes: &str| {
        let url = of.redirect(&ada.browser, changes).await;
        assert!(url.as_str().starts_with(of.redirect_uri), "{url}");
        query_value(&url, "error").unwrap_or_default()
    };
    assert_eq!(error(wiki(), "prompt=none").await, "login_required");
    assert_status!(ada.try_sign_in(&ada.browser), 200);
    assert_eq!(error(wiki(), "prompt=none").await, "");
    assert_eq!(error(vault(), "prompt=none").await, "interaction_required");
    site.advance("2m");
    assert_eq!(
        error(wiki(), "prompt=none&max_age=60").await,
        "login_required"
    );
    assert_eq!(error(wiki(), "prompt=none&max_age=121").await, "");
}

async fn a_sign_in_returns_to_the_application(db: Database) {
    let site = site_with_provider(&db).await;
    let ada = site.member("ada").await;
    let wiki = wiki();
    let hint = "login_hint=ada@example.org";
    let ticket = wiki.ticket(&ada.browser, hint, "/account/").await;
    assert_eq!(resume(&ada.browser, &ticket).await.path(), "/account/");
    ada.try_sign_in(&ada.browser).await;
    let url = resume(&ada.browser, &ticket).await;
    assert_query(&url, "state", "a state & more");
    wiki.redeem(&site, &code_in(&url)).await;
}

// security: OP-4
async fn a_ticket_of_another_browser_shows_the_plain_form(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.member("eve").await);
    let ticket = wiki().ticket(&eve.browser, "", "/account/").await;
    let url = resume(&ada.browser, &ticket).await;
    assert_eq!((url.path(), url.query()), ("/account/", None));
    site.assert_count("oidc_codes", 0).await;
}

async fn an_expired_ticket_still_names_its_destination(db: Database) {
    let site = site_with_provider(&db).await;
    let own = "/account/settings/data?lang=de";
    for (hours, is_told) in [(2, true), (23, true), (25, false)] {
        for (number, request) in [wiki().request(""), own.to_owned()].iter().enumerate() {
            let ada = site.member(&format!("ada{hours}{number}")).await;
            let url = redirect_target(&ada.browser.open(request).await);
            let ticket = query_value(&url, "continue").expect("a ticket");
            site.advance(&format!("{hours}h"));
            let page = format!("/account/?continue={ticket}");
            let home = config_of(&ada.browser.open(&page).await)["signed_in_home"].clone();
            let resume_path = format!("/account/oidc/authorize?continue={ticket}");
            assert_eq!(home == resume_path.as_str(), is_told, "{hours} {request}");
            ada.try_sign_in(&ada.browser).await;
            let resumed = ada.browser.open(&resume_path).await;
            if is_told && request != own {
                assert_eq!(resumed.status, 400);
                let text = resumed.text();
                let advice = "Go back to wiki of ours and start again.";
                assert!(text.contains(advice), "{text}");
            } else {
                resumed.assert_header("location", if is_told { own } else { "/account/" });
            }
            // A stranger learns nothing from the ticket.
            let foreign = site.browser().open(&resume_path).await;
            foreign.assert_header("location", "/account/");
        }
    }
}

async fn prompt_login_and_max_age_require_one_more_sign_in(Provider(site, ada): Provider) {
    for change in ["prompt=login", "prompt=select_account", "max_age=60"] {
        site.advance("2m");
        let ticket = wiki().ticket(&ada.browser, change, "/account/").await;
        let url = resume(&ada.browser, &ticket).await;
        assert_eq!(url.path(), "/account/", "{change}");
        ada.try_sign_in(&ada.browser).await;
        code_in(&resume(&ada.browser, &ticket).await);
    }
    wiki().code_with(&ada.browser, "prompt=consent").await;
}

async fn a_client_that_needs_a_second_factor_gets_one(Provider(site, ada): Provider) {
    let vault = vault();
    let set_up = "/account/settings/security/two-step";
    let ticket = vault.ticket(&ada.browser, "", set_up).await;
    let ada = second_factor::turn_on(&site, ada).await;
    let url = resume(&ada.person.browser, &ticket).await;
    let tokens = vault.redeem(&site, &code_in(&url)).await;
    let (header, claims) = id_token(&site, &tokens).await;
    assert_eq!(header["alg"], "EdDSA");
    assert_eq!(claims["acr"], "aal2");
    assert_eq!(claims["amr"], json!(["pwd", "otp", "mfa"]));
}

// security: LV-6
async fn a_password_does_not_renew_the_proof_of_a_client_that_needs_level_two(db: Database) {
    db.allow_unread_mails();
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let mut phone = crate::support::authenticator::Authenticator::synced();
    crate::passkeys::add_passkey(&ada.browser, &mut phone).await;
    let vault = vault();
    let recent = "max_age=60";
    vault.code_with(&ada.browser, recent).await;
    site.advance("2m");
    let proof = ada.credentials();
    ada.browser.reauthenticate(&proof).await;
    vault.ticket(&ada.browser, recent, "/account/").await;
    // The same proof is enough for a client without a level.
    wiki().code_with(&ada.browser, recent).await;
}

async fn a_hint_for_another_user_asks_for_that_user(db: Database) {
    let site = site_with_provider(&db).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let hint = format!("id_token_hint={}", text_value(&tokens, "id_token"));
    let silent = format!("{hint}&prompt=none");
    wiki().code_with(&ada.browser, &silent).await;
    let other = wiki().redirect(&eve.browser, &silent).await;
    assert_query(&other, "error", "login_required");
    // Another sign-in as a different user is not enough.
    site.advance("1s");
    let ticket = wiki().ticket(&eve.browser, &hint, "/account/").await;
    eve.try_sign_in(&eve.browser).await;
    let url = resume(&eve.browser, &ticket).await;
    assert_query(&url, "error", "login_required");
}

async fn a_post_is_handled_like_the_same_get(Provider(site, ada): Provider) {
    let request = wiki().request("");
    let (path, query) = request.split_once('?').unwrap();
    let posted = async |form: &str| {
        let browser = site.browser();
        redirect_target(&browser.send_with(form_request(path), form.to_owned()).await)
    };
    let url = posted(query).await;
    assert_eq!(url.path(), path);
    let same = format!("{path}?{}", url.query().unwrap());
    code_in(&redirect_target(&ada.browser.open(&same).await));
    let repeated = format!("{query}&scope=openid");
    assert_eq!(posted(&repeated).await.query(), Some(&*repeated));
    assert_eq!(query_value(&posted("continue=x").await, "continue"), None);
}

async fn a_disabled_provider_responds_404(site: Site) {
    for path in [
        "/account/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/account",
        "/account/oidc/jwks",
        "/account/oidc/authorize?client_id=wiki",
        USERINFO,
        "/account/oidc/logout",
    ] {
        assert_status!(site.browser().open(path), 404);
    }
    for path in [TOKEN, REVOKE] {
        for request in [Request::post(path), Request::options(path)] {
            let response = site.browser().send(request).await;
            response.assert_status(404);
        }
    }
}
