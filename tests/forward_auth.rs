//! Forward-auth: the identity headers for a proxy, and the redirects through the sign-in and back.

mod tickets;

use account::config::Config;
use account::testing::accounts::set_email;
use account::testing::error::ErrorCode;
use axum::http::Method;

use crate::pages::boot_data;
use crate::prelude::*;

on_both_databases!(
    a_proxy_gets_the_user_of_the_session_despite_forged_headers,
    an_application_gets_no_address_before_its_mailbox_confirms_it,
    the_email_address_is_sent_only_if_configured,
    a_header_has_an_ascii_value_or_is_absent,
    only_trusted_proxies_may_check_sessions_and_only_for_hosts_of_the_site,
    an_ended_session_is_refused_at_the_next_request_on_every_node,
    a_password_session_is_redirected_to_the_required_second_factor
);
on_sqlite!(
    without_forward_auth_even_a_trusted_proxy_is_refused,
    a_request_that_no_person_made_gets_no_ticket,
    only_a_visitor_who_opens_a_page_is_redirected
);

const CHECK_PATH: &str = "/forward-auth";

async fn site_behind_proxy(db: &Database) -> Site {
    db.site_with(enable_behind_proxy).await
}

/// The network of the test browsers is trusted as a proxy.
fn enable_behind_proxy(config: &mut Config) {
    config.forward_auth.enabled = true;
    config.server.trusted_proxies = test_networks();
}

async fn signed_in_behind_proxy(db: &Database) -> (Site, Person) {
    let site = site_behind_proxy(db).await;
    let ada = site.signed_in("ada").await;
    (site, ada)
}

/// The network of the test browsers.
fn test_networks<T: serde::de::DeserializeOwned>() -> T {
    serde_json::from_str("[\"10.0.0.0/8\"]").unwrap()
}

/// The request of a proxy that checks the session of a visitor of a page.
fn check_request(browser: &Browser, query: &str, page: &str) -> axum::http::request::Builder {
    browser
        .fetch(Method::GET, &format!("{CHECK_PATH}{query}"))
        .header("x-forwarded-host", "localhost:8080")
        .header("x-forwarded-method", "GET")
        .header("x-forwarded-uri", page)
}

async fn check_session(browser: &Browser, page: &str) -> Response {
    check_with(browser, "", page).await
}

async fn check_with(browser: &Browser, query: &str, page: &str) -> Response {
    browser.send(check_request(browser, query, page)).await
}

/// The sign-in page to which a visitor of a page is redirected, as a path of the site.
async fn sign_in_page_for(browser: &Browser, page: &str) -> String {
    sign_in_page(&check_session(browser, page).await)
}

/// The sign-in page to which a refusal redirects, as a path of the site.
fn sign_in_page(response: &Response) -> String {
    response.assert_error(ErrorCode::Unauthenticated);
    let page = response.header("x-account-location").unwrap();
    let path = page.strip_prefix("http://localhost:8080").unwrap();
    assert!(path.starts_with("/account/?continue="), "{path}");
    path.to_owned()
}

/// The place to which a page of the site redirects.
async fn redirect_of(browser: &Browser, page: &str) -> String {
    let response = assert_status!(browser.open(page), 303);
    response.header("location").unwrap().to_owned()
}

/// The configuration that the page contains.
pub fn config_of(page: &Response) -> Value {
    boot_data(page)["config"].clone()
}

// security: FA-1
async fn a_proxy_gets_the_user_of_the_session_despite_forged_headers(db: Database) {
    let (site, ada) = signed_in_behind_proxy(&db).await;
    let me = ada.browser.get("/users/me").await.json();
    let claimed = check_request(&ada.browser, "", "/wiki")
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
    response.assert_header("vary", "cookie");

    let stranger = site.browser();
    let claimed = check_request(&stranger, "", "/wiki").header("remote-user", "root");
    let refused = stranger.send(claimed).await;
    sign_in_page(&refused);
    refused.assert_header("vary", "cookie");
    assert_eq!(refused.header("remote-user"), None);
}

// security: FA-1
async fn an_application_gets_no_address_before_its_mailbox_confirms_it(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            enable_behind_proxy(c);
            allow_new_devices(c);
        })
        .await;
    let ada = site.signed_in("ada").await;
    let moved = set_email(&site.app, site.id_of("ada").await, "victim@example.org");
    moved.await.unwrap();
    ada.browser.assert_signed_out().await;
    let email = async || {
        let response = check_session(&ada.browser, "/").await;
        response.header("remote-email").map(str::to_owned)
    };
    ada.sign_in(&ada.browser).await;
    assert_eq!(email().await.as_deref(), Some(&*ada.email));
    let token = site.last_token_to("victim@example.org", "").await;
    assert_status!(site.browser().confirm_email_change(&token), 200);
    assert_eq!(email().await.as_deref(), Some("victim@example.org"));
}

async fn the_email_address_is_sent_only_if_configured(db: Database) {
    let without_email = |c: &mut Config| {
        enable_behind_proxy(c);
        c.forward_auth.email = false;
    };
    let site = db.site_with(without_email).await;
    let ada = site.signed_in("ada").await;
    let response = check_session(&ada.browser, "/").await;
    response.assert_header("remote-user", "ada");
    assert_eq!(response.header("remote-email"), None);
}

async fn a_header_has_an_ascii_value_or_is_absent(db: Database) {
    let (site, ada) = signed_in_behind_proxy(&db).await;
    let me = ada.browser.get("/users/me").await.json();
    let (idn, punycode) = ("ann@münchen.example.com", "ann@xn--mnchen-3ya.example.com");
    let fan = "ünï@fans.example.com";
    for (stored, sent) in [
        ((idn, "ada"), (Some(punycode), Some("ada"))),
        ((fan, "ada"), (None, Some("ada"))),
        ((fan, "Ünï"), (None, None)),
    ] {
        let sql = "UPDATE accounts SET email = $1, username = $2";
        let values = account::params![stored.0, stored.1];
        site.execute(sql, values).await;
        let response = check_session(&ada.browser, "/").await;
        response.assert_empty();
        let header = |name: &str| response.header(name);
        assert_eq!(header("remote-subject"), me["id"].as_str());
        assert_eq!(
            (header("remote-email"), header("remote-user")),
            sent,
            "{stored:?}"
        );
    }
}

async fn only_trusted_proxies_may_check_sessions_and_only_for_hosts_of_the_site(db: Database) {
    let (_, ada) = signed_in_behind_proxy(&db).await;
    for (host, is_of_site) in [
        ("localhost", true),
        ("localhost:8080", true),
        ("LOCALHOST:99", true),
        ("", false),
        ("evil.example", false),
        ("localhost.evil.example", false),
        ("localhost, evil.example", false),
    ] {
        let request = ada.browser.fetch(Method::GET, CHECK_PATH);
        let request = request.header("x-forwarded-host", host);
        let response = ada.browser.send(request).await;
        match is_of_site {
            true => response.assert_empty(),
            false => response.assert_error(ErrorCode::NotFound),
        };
    }
    assert_refused!(ada.browser.get(CHECK_PATH), NotFound);
    let twice = check_request(&ada.browser, "", "/");
    let twice = twice.header("x-forwarded-host", "localhost");
    assert_refused!(ada.browser.send(twice), NotFound);
    assert_refused!(check_with(&ada.browser, "?mode=open", "/"), BadRequest);

    let outside = ada.browser.moved_to("203.0.113.9");
    assert_refused!(check_session(&outside, "/"), NotFound);
}

async fn without_forward_auth_even_a_trusted_proxy_is_refused(db: Database) {
    let site = db
        .site_with(|c| c.server.trusted_proxies = test_networks())
        .await;
    let ada = site.signed_in("ada").await;
    assert_refused!(check_session(&ada.browser, "/"), NotFound);
}

// security: FA-2
async fn an_ended_session_is_refused_at_the_next_request_on_every_node(db: Database) {
    let (_, ada) = signed_in_behind_proxy(&db).await;
    let thief = ada.browser.copy();
    check_session(&thief, "/").await.assert_empty();
    ada.browser.post_empty("/logout").await.assert_empty();
    sign_in_page_for(&thief, "/").await;
}

// security: FA-2
async fn a_password_session_is_redirected_to_the_required_second_factor(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = crate::second_factor::person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    check_with(browser, "?aal=2", "/").await.assert_empty();

    let bob = site.signed_in("bob").await;
    check_session(&bob.browser, "/").await.assert_empty();
    let page = sign_in_page(&check_with(&bob.browser, "?aal=2", "/admin?x=1").await);
    let set_up = &*redirect_of(&bob.browser, &page).await;
    assert!(
        set_up.starts_with("/account/settings/security/two-step?continue="),
        "{set_up}"
    );
    let config = config_of(&bob.browser.open(set_up).await);
    assert_eq!(config["signed_in_home"], resume_path(set_up));
    let resumed = redirect_of(&bob.browser, &resume_path(set_up)).await;
    assert_eq!(resumed, set_up, "the set-up is still required");
}

/// The address that continues with the ticket of a page.
fn resume_path(page: &str) -> String {
    let (_, ticket) = page.split_once("?continue=").unwrap();
    format!("/account/oidc/authorize?continue={ticket}")
}

async fn a_request_that_no_person_made_gets_no_ticket(db: Database) {
    let site = site_behind_proxy(&db).await;
    let browser = site.browser();
    for (name, value) in [
        ("x-forwarded-method", "HEAD"),
        ("sec-purpose", "prefetch"),
        ("purpose", "prefetch"),
    ] {
        let mut request =
            check_request(&browser, "?mode=redirect", "/wiki").header("accept", "text/html");
        let headers = request.headers_mut().unwrap();
        headers.insert(name, value.parse().unwrap());
        let response = browser.send(request).await;
        response.assert_error(ErrorCode::Unauthenticated);
        assert_eq!(response.header("x-account-location"), None, "{name}");
    }
    let queries = "aal=0 aal=3 aal=two aal= aal AAL=2 aal=2&AAL=2 aal=1&aal=2 aal=2&aal=2 \
        mode=redirect&mode=redirect mode=Redirect mode= level=2 aal=2&x %61al2=2";
    for query in queries.split(' ') {
        let query = format!("?{query}");
        assert_refused!(check_with(&browser, &query, "/"), BadRequest);
    }
}

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
        let name = ["x-account-location", "location"][usize::from(status == 303)];
        let page = response.header(name).unwrap();
        assert!(page.starts_with("http://localhost:8080/account/?continue="));
        assert!(response.header("vary").unwrap().contains("cookie"));
    }
}
