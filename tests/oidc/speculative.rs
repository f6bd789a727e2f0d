//! Requests that no person has made: HEAD of a scanner, and prefetches of a browser.

use axum::http::{Method, Request};

use super::{
    form_encoded, provider_with_signed_in, query_value, redirect_target, text_value, wiki,
};
use crate::support::{Browser, Database, Response};

/// The responses to a HEAD request and to each kind of prefetch.
async fn speculate(browser: &Browser, path: &str) -> (Response, Vec<Response>) {
    let head = send(browser, Method::HEAD, path, ("accept", "*/*")).await;
    let mut prefetches = Vec::new();
    for header in [
        ("sec-purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
        ("sec-purpose", "prefetch;anonymous-client-ip"),
        ("purpose", "prefetch"),
        ("x-purpose", "preview"),
        ("x-moz", "Prefetch"),
    ] {
        prefetches.push(send(browser, Method::GET, path, header).await);
    }
    (head, prefetches)
}

async fn send(
    browser: &Browser,
    method: Method,
    path: &str,
    (name, value): (&str, &str),
) -> Response {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("sec-fetch-mode", "navigate");
    browser.send(request.header(name, value)).await
}

// security: OP-16
on_both_databases!(a_request_of_no_person_changes_and_issues_nothing);
async fn a_request_of_no_person_changes_and_issues_nothing(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    let stranger = site.browser();
    let ticket = redirect_target(&stranger.open(&wiki().request(&[])).await);
    let ticket = query_value(&ticket, "continue").unwrap();
    let (codes, limits) = (site.count("oidc_codes").await, site.count("limits").await);
    let logout = form_encoded(&[("id_token_hint", &hint)]);
    let confirm = |path| format!("/account/account-api/{path}?token=made-up");
    for (browser, path, head_status, prefetch_status) in [
        (&ada.browser, wiki().request(&[]), 204, 503),
        (&site.browser(), wiki().request(&[]), 204, 503),
        (
            &ada.browser,
            format!("/account/oidc/logout?{logout}"),
            204,
            503,
        ),
        (
            &site.browser(),
            format!("/account/?continue={ticket}"),
            204,
            503,
        ),
        (&stranger, format!("/account/?continue={ticket}"), 204, 503),
        (
            &stranger,
            format!("/account/oidc/authorize?continue={ticket}"),
            204,
            503,
        ),
        (&stranger, confirm("confirm-email"), 405, 403),
        (&stranger, confirm("confirm-email-change"), 405, 403),
    ] {
        let (head, prefetches) = speculate(browser, &path).await;
        assert_eq!(head.status, head_status, "{path}");
        for response in &prefetches {
            assert_eq!(response.status, prefetch_status, "{path}");
        }
        for response in prefetches.iter().chain([&head]) {
            response.assert_header("cache-control", "no-store");
            assert_eq!(response.header("set-cookie"), None);
            assert_eq!(response.header("location"), None);
        }
    }
    // A refused prefetch is no server error, for which an operator would be called.
    let errors = [("status", "503")];
    let errors = site
        .scrape()
        .await
        .sum("account_http_requests_total", &errors);
    assert_eq!(errors, 0.0);
    assert_eq!(site.count("oidc_codes").await, codes);
    assert_eq!(site.count("limits").await, limits);
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
    // The same addresses work for the person.
    let code = wiki().redirect(&ada.browser, &[]).await;
    assert!(query_value(&code, "code").is_some());
    assert_status!(stranger.open(&format!("/account/?continue={ticket}")), 200);
    // Pages that change nothing are still there.
    let (head, prefetches) = speculate(&site.browser(), "/account/signup").await;
    for response in prefetches.iter().chain([&head]) {
        assert_eq!(response.status, 200);
        assert_eq!(response.header("set-cookie"), None);
    }
}
