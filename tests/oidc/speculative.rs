//! Requests that no person has made: HEAD of a scanner, and prefetches of a browser.

use axum::http::Method;

use super::{Provider, text_value, wiki};
use crate::prelude::*;

on_both_databases!(a_request_of_no_person_changes_and_issues_nothing);

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
async fn a_request_of_no_person_changes_and_issues_nothing(Provider(site, ada): Provider) {
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    let stranger = site.browser();
    let ticket = wiki().ticket(&stranger, "", "/account/").await;
    let page = format!("/account/?continue={ticket}");
    let (codes, limits) = (site.count("oidc_codes").await, site.count("limits").await);
    let confirm = |path| format!("/account/account-api/{path}?token=made-up");
    for (browser, path, statuses) in [
        (&ada.browser, wiki().request(""), (204, 503)),
        (&site.browser(), wiki().request(""), (204, 503)),
        (
            &ada.browser,
            format!("/account/oidc/logout?id_token_hint={hint}"),
            (204, 503),
        ),
        (&site.browser(), page.clone(), (204, 503)),
        (&stranger, page.clone(), (204, 503)),
        (
            &stranger,
            format!("/account/oidc/authorize?continue={ticket}"),
            (204, 503),
        ),
        (&stranger, confirm("confirm-email"), (405, 403)),
        (&stranger, confirm("confirm-email-change"), (405, 403)),
    ] {
        let (head, prefetches) = speculate(browser, &path).await;
        assert_eq!(head.status, statuses.0, "{path}");
        for response in &prefetches {
            assert_eq!(response.status, statuses.1, "{path}");
        }
        for response in prefetches.iter().chain([&head]) {
            response.assert_header("cache-control", "no-store");
            assert_eq!(response.header("set-cookie"), None);
            assert_eq!(response.header("location"), None);
        }
    }
    // A refused prefetch is no server error, for which an operator would be called.
    let scraped = site.scrape().await;
    let errors = scraped.sum(r#"account_http_requests_total{status="503"}"#);
    assert_eq!(errors, 0.0);
    site.assert_count("oidc_codes", codes).await;
    site.assert_count("limits", limits).await;
    assert_status!(ada.browser.get("/users/me"), 200);
    // The same addresses work for the person.
    wiki().code(&ada.browser).await;
    assert_status!(stranger.open(&page), 200);
    // Pages that change nothing are still there.
    let (head, prefetches) = speculate(&site.browser(), "/account/signup").await;
    for response in prefetches.iter().chain([&head]) {
        response.assert_status(200);
        assert_eq!(response.header("set-cookie"), None);
    }
}
