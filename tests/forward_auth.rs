//! Forward-auth: the identity headers for a proxy, and the redirects through the sign-in and back.

use account::testing::error::ErrorCode;
use axum::http::{Method, Request};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::support::{Browser, Database, Response, Site};

const CHECK_PATH: &str = "/forward-auth";

/// A site that trusts the network of the test browsers as a proxy.
async fn site_behind_proxy(db: &Database) -> Site {
    db.site_with(|c| {
        c.forward_auth.enabled = true;
        c.server.trusted_proxies = test_networks();
    })
    .await
}

/// The network of the test browsers.
fn test_networks<T: serde::de::DeserializeOwned>() -> T {
    serde_json::from_str("[\"10.0.0.0/8\"]").unwrap()
}

/// The request of a proxy that checks the session of a visitor of a page.
fn check_request(browser: &Browser, path: &str, page: &str) -> axum::http::request::Builder {
    browser
        .fetch(Method::GET, path)
        .header("x-forwarded-host", "localhost:8080")
        .header("x-forwarded-method", "GET")
        .header("x-forwarded-uri", page)
}

async fn check_session(browser: &Browser, path: &str, page: &str) -> Response {
    browser.send(check_request(browser, path, page)).await
}

/// The sign-in page to which a refusal redirects, as a path of the site.
fn sign_in_page(response: &Response) -> String {
    response.assert_error(ErrorCode::Unauthenticated);
    let page = response.header("x-account-location").unwrap();
    let path = page.strip_prefix("http://localhost:8080").unwrap();
    assert!(path.starts_with("/account/?continue="), "{path}");
    path.to_owned()
}

/// The configuration that the page contains.
pub(crate) fn config_of(page: &Response) -> Value {
    let (_, block) = page.text().split_once("id=\"boot\">").unwrap();
    let (block, _) = block.split_once("</script>").unwrap();
    let boot: Value = serde_json::from_str(block).unwrap();
    boot["config"].clone()
}

fn is_plain_sign_in(page: &Response) -> bool {
    let config = config_of(page);
    config["signing_in_to"].is_null() && config["signed_in_home"] == "/"
}

// security: FA-1
on_both_databases!(a_proxy_gets_the_user_of_the_session_despite_forged_headers);
async fn a_proxy_gets_the_user_of_the_session_despite_forged_headers(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    let me = ada.browser.get("/users/me").await.json();
    let claimed = check_request(&ada.browser, CHECK_PATH, "/wiki")
        .header("remote-user", "root")
        .header("remote-email", "root@example.org")
        .header("remote-subject", "0");
    let response = ada.browser.send(claimed).await;
    response.assert_empty();
    for (name, value) in [
        ("remote-user", &me["username"]),
        ("remote-email", &me["email"]),
        ("remote-subject", &me["id"]),
    ] {
        assert_eq!(response.header(name), value.as_str(), "{name}");
        assert_eq!(response.headers.get_all(name).iter().count(), 1, "{name}");
    }
    assert_eq!(response.header("vary"), Some("cookie"));

    let stranger = site.browser();
    let claimed = check_request(&stranger, CHECK_PATH, "/wiki").header("remote-user", "root");
    let refused = stranger.send(claimed).await;
    sign_in_page(&refused);
    assert_eq!(refused.header("vary"), Some("cookie"));
    assert_eq!(refused.header("remote-user"), None);
}

on_both_databases!(the_email_address_is_sent_only_if_configured);
async fn the_email_address_is_sent_only_if_configured(db: Database) {
    let site = db
        .site_with(|c| {
            c.forward_auth.enabled = true;
            c.forward_auth.email = false;
            c.server.trusted_proxies = test_networks();
        })
        .await;
    let ada = site.signed_in("ada").await;
    let response = check_session(&ada.browser, CHECK_PATH, "/").await;
    assert_eq!(response.header("remote-user"), Some("ada"));
    assert_eq!(response.header("remote-email"), None);
}

on_both_databases!(the_email_address_is_sent_in_ascii_or_not_at_all);
async fn the_email_address_is_sent_in_ascii_or_not_at_all(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    for (stored, sent) in [
        (
            "ann@münchen.example.com",
            Some("ann@xn--mnchen-3ya.example.com"),
        ),
        ("ünï@fans.example.com", None),
    ] {
        db.run_script(&format!("UPDATE accounts SET email = '{stored}'"))
            .await;
        let response = check_session(&ada.browser, CHECK_PATH, "/").await;
        assert_eq!(response.header("remote-email"), sent);
        assert_eq!(response.header("remote-user"), Some("ada"));
    }
}

on_both_databases!(only_trusted_proxies_may_check_sessions_and_only_for_hosts_of_the_site);
async fn only_trusted_proxies_may_check_sessions_and_only_for_hosts_of_the_site(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    for host in ["localhost", "localhost:8080", "LOCALHOST:99"] {
        let request = ada.browser.fetch(Method::GET, CHECK_PATH);
        let request = request.header("x-forwarded-host", host);
        ada.browser.send(request).await.assert_empty();
    }
    for host in [
        "",
        "evil.example",
        "localhost.evil.example",
        "localhost, evil.example",
    ] {
        let request = ada.browser.fetch(Method::GET, CHECK_PATH);
        let request = request.header("x-forwarded-host", host);
        let response = ada.browser.send(request).await;
        response.assert_error(ErrorCode::NotFound);
    }
    ada.browser
        .get(CHECK_PATH)
        .await
        .assert_error(ErrorCode::NotFound);
    let twice =
        check_request(&ada.browser, CHECK_PATH, "/").header("x-forwarded-host", "localhost");
    ada.browser
        .send(twice)
        .await
        .assert_error(ErrorCode::NotFound);
    let wrong = check_session(&ada.browser, "/forward-auth?mode=open", "/").await;
    wrong.assert_error(ErrorCode::BadRequest);

    let outside = ada.browser.moved_to("203.0.113.9");
    check_session(&outside, CHECK_PATH, "/")
        .await
        .assert_error(ErrorCode::NotFound);
}

on_both_databases!(without_forward_auth_even_a_trusted_proxy_is_refused);
async fn without_forward_auth_even_a_trusted_proxy_is_refused(db: Database) {
    let site = db
        .site_with(|c| c.server.trusted_proxies = test_networks())
        .await;
    let ada = site.signed_in("ada").await;
    let response = check_session(&ada.browser, CHECK_PATH, "/").await;
    response.assert_error(ErrorCode::NotFound);
}

// security: FA-2
on_both_databases!(an_ended_session_is_refused_at_the_next_request_on_every_node);
async fn an_ended_session_is_refused_at_the_next_request_on_every_node(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    let thief = ada.browser.copy();
    check_session(&thief, CHECK_PATH, "/").await.assert_empty();
    ada.browser.post_empty("/logout").await.assert_empty();
    sign_in_page(&check_session(&thief, CHECK_PATH, "/").await);
}

// security: FA-2
on_both_databases!(a_password_session_is_redirected_to_the_required_second_factor);
async fn a_password_session_is_redirected_to_the_required_second_factor(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = crate::second_factor::person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    check_session(browser, "/forward-auth?aal=2", "/")
        .await
        .assert_empty();

    let bob = site.signed_in("bob").await;
    check_session(&bob.browser, CHECK_PATH, "/")
        .await
        .assert_empty();
    let page =
        sign_in_page(&check_session(&bob.browser, "/forward-auth?aal=2", "/admin?x=1").await);
    let led = bob.browser.open(&page).await;
    assert_eq!(led.status, 303);
    let set_up = led.header("location").unwrap();
    assert!(
        set_up.starts_with("/account/settings/security/two-step?continue="),
        "{set_up}"
    );
    let config = config_of(&bob.browser.open(set_up).await);
    assert_eq!(config["signed_in_home"], resume_path(set_up));
    let resumed = bob.browser.open(&resume_path(set_up)).await;
    assert_eq!(
        resumed.header("location"),
        Some(set_up),
        "the set-up is still required"
    );
}

/// The address that continues with the ticket of a page.
fn resume_path(page: &str) -> String {
    let (_, ticket) = page.split_once("?continue=").unwrap();
    format!("/account/oidc/authorize?continue={ticket}")
}

// security: FA-3
on_both_databases!(the_sign_in_redirects_back_to_the_page_with_its_query);
async fn the_sign_in_redirects_back_to_the_page_with_its_query(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.member("ada").await;
    let page =
        sign_in_page(&check_session(&ada.browser, CHECK_PATH, "/wiki/A?b=c&d=%2F%2Fe").await);
    let opened = ada.browser.open(&page).await;
    assert_eq!(opened.status, 200);
    let config = config_of(&opened);
    assert_eq!(config["signing_in_to"], "localhost");
    let cookie = opened.set_cookie("ticket").unwrap();
    for attribute in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=3600"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let home = config["signed_in_home"].as_str().unwrap().to_owned();
    let early = ada.browser.open(&home).await;
    assert_eq!(early.status, 303, "without a session");
    assert!(
        early
            .header("location")
            .unwrap()
            .starts_with("/account/?continue=")
    );

    let response = ada.browser.post("/login", &ada.credentials()).await;
    response.assert_json(200, &ada.me());
    let back = ada.browser.open(&home).await;
    assert_eq!(
        (back.status.as_u16(), back.header("location")),
        (303, Some("/wiki/A?b=c&d=%2F%2Fe"))
    );
    assert_eq!(back.header("cache-control"), Some("no-store"));
    // With the live session the next ticket continues without a sign-in.
    ada.browser.remove_cookie("ticket");
    let at_once = ada.browser.open(&page).await;
    assert_eq!(at_once.status, 303);
    let at_once = ada.browser.open(at_once.header("location").unwrap()).await;
    assert_eq!(at_once.header("location"), Some("/wiki/A?b=c&d=%2F%2Fe"));
}

// security: FA-3
on_both_databases!(a_return_address_on_another_host_becomes_the_start_page);
async fn a_return_address_on_another_host_becomes_the_start_page(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    let stranger = site.browser();
    for page in [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example/",
        "evil",
        "/a b",
    ] {
        let page = sign_in_page(&check_session(&stranger, CHECK_PATH, page).await);
        let led = ada.browser.open(&page).await;
        let led = ada.browser.open(led.header("location").unwrap()).await;
        assert_eq!(led.header("location"), Some("/"), "{page}");
    }
}

// security: OP-1, OP-4
on_both_databases!(a_ticket_of_another_browser_or_host_shows_the_plain_sign_in);
async fn a_ticket_of_another_browser_or_host_shows_the_plain_sign_in(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.browser();
    let page = sign_in_page(&check_session(&ada, CHECK_PATH, "/wiki").await);
    let home = config_of(&ada.open(&page).await)["signed_in_home"].clone();
    let home = home.as_str().unwrap();
    let own = home.replace("oidc/authorize", "");
    assert!(
        !is_plain_sign_in(&ada.open(&own).await),
        "the ticket is bound to this browser"
    );

    let bob = site.signed_in("bob").await;
    assert!(is_plain_sign_in(&bob.browser.open(&own).await));
    let response = bob.browser.open(home).await;
    assert_eq!(
        (response.status.as_u16(), response.header("location")),
        (303, Some("/account/"))
    );
    for page in [
        "/account/?continue=https://evil.example".to_owned(),
        "/account/?continue=".to_owned(),
        format!("{own}x"),
        format!("{own}&continue=x"),
    ] {
        assert!(is_plain_sign_in(&ada.open(&page).await), "{page}");
    }
    let elsewhere = Request::get(&page).header("host", "www.example.org");
    assert!(is_plain_sign_in(&ada.send(elsewhere).await));

    site.advance("1h");
    assert!(
        is_plain_sign_in(&ada.open(&own).await),
        "the ticket has expired"
    );
}

// security: OP-4
on_both_databases!(a_mailed_link_in_the_same_browser_continues_the_sign_in);
async fn a_mailed_link_in_the_same_browser_continues_the_sign_in(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.browser();
    let page = sign_in_page(&check_session(&ada, CHECK_PATH, "/wiki").await);
    let home = config_of(&ada.open(&page).await)["signed_in_home"].clone();
    for link in [
        "verify-email?token=x",
        "reset-password?token=x",
        "migration?token=x",
        "signup",
    ] {
        let config = config_of(&ada.open(&format!("/account/{link}")).await);
        assert_eq!(config["signed_in_home"], home, "{link}");
    }
    assert!(
        is_plain_sign_in(&ada.open("/account/").await),
        "opened by hand"
    );
    let other = site.browser().open("/account/verify-email?token=x").await;
    assert!(is_plain_sign_in(&other), "another browser");
}

on_both_databases!(only_a_visitor_who_opens_a_page_is_redirected);
async fn only_a_visitor_who_opens_a_page_is_redirected(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.browser();
    let page_request = |method: &str, mode: &str, accept: &str| {
        let request = Request::get(format!("/account/account-api{CHECK_PATH}?mode=redirect"))
            .header("x-forwarded-host", "localhost")
            .header("x-forwarded-method", method)
            .header("x-forwarded-uri", "/wiki")
            .header("accept", accept);
        match mode {
            "" => request,
            mode => request.header("sec-fetch-mode", mode),
        }
    };
    for (method, mode, accept, status) in [
        ("GET", "navigate", "*/*", 303),
        ("GET", "", "text/html,*/*", 303),
        ("GET", "cors", "text/html", 401),
        ("GET", "", "application/json", 401),
        ("POST", "navigate", "text/html", 401),
    ] {
        let response = ada.send(page_request(method, mode, accept)).await;
        assert_eq!(response.status, status, "{method} {mode} {accept}");
        let name = if status == 303 {
            "location"
        } else {
            "x-account-location"
        };
        assert!(
            response
                .header(name)
                .unwrap()
                .starts_with("http://localhost:8080/account/?continue=")
        );
        assert!(response.header("vary").unwrap().contains("cookie"));
    }
}

// security: FA-3
on_both_databases!(a_path_is_checked_again_when_a_ticket_is_opened);
async fn a_path_is_checked_again_when_a_ticket_is_opened(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    let page = sign_in_page(&check_session(&site.browser(), CHECK_PATH, "/wiki").await);
    let (json, _) = page.rsplit_once('=').unwrap().1.split_once('.').unwrap();
    let json = URL_SAFE_NO_PAD.decode(json).unwrap();
    let json = String::from_utf8(json).unwrap();
    for (path, opened) in [
        ("/wiki", "/wiki"),
        ("//evil.example", "/"),
        ("/\\\\evil", "/"),
    ] {
        // A forgery needs the key of the installation.
        let forged = json.replace("\"/wiki\"", &format!("\"{path}\""));
        let mut mac = Hmac::<Sha256>::new_from_slice(&site.app.signing_key).unwrap();
        mac.update(b"ticket\0");
        mac.update(forged.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        let ticket = format!("{}.{signature}", URL_SAFE_NO_PAD.encode(&forged));
        let bound = ada
            .browser
            .open(&format!("/account/?continue={ticket}"))
            .await;
        let end = ada.browser.open(bound.header("location").unwrap()).await;
        assert_eq!(end.header("location"), Some(opened), "{path}");
    }
}

on_both_databases!(a_header_has_an_ascii_value_or_is_absent);
async fn a_header_has_an_ascii_value_or_is_absent(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    let me = ada.browser.get("/users/me").await.json();
    let mut tx = site.app.store.write().await.unwrap();
    let sql = "UPDATE accounts SET email = 'ünï@fans.example.com', username = 'Ünï'";
    tx.execute(sql, &[]).await.unwrap();
    tx.commit().await.unwrap();
    let response = check_session(&ada.browser, CHECK_PATH, "/").await;
    response.assert_empty();
    assert_eq!(response.header("remote-subject"), me["id"].as_str());
    for name in ["remote-user", "remote-email"] {
        assert!(!response.headers.contains_key(name), "{name}");
    }
}
