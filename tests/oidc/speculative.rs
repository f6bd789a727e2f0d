//! Requests that no person has made: HEAD of a scanner, and prefetches of a browser.

use axum::http::{Method, Request};

use super::{
    form_encoded, provider_with_signed_in, query_value, redirect_target, text_value, wiki,
};
use crate::support::{Browser, Database, Response};

/// The response to each kind of speculative request.
async fn speculate(browser: &Browser, path: &str) -> Vec<Response> {
    let mut responses = Vec::new();
    for (method, header) in [
        (Method::HEAD, ("accept", "*/*")),
        (Method::GET, ("sec-purpose", "prefetch")),
        (Method::GET, ("sec-purpose", "prefetch;prerender")),
        (Method::GET, ("sec-purpose", "prefetch;anonymous-client-ip")),
        (Method::GET, ("purpose", "prefetch")),
        (Method::GET, ("x-moz", "Prefetch")),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("sec-fetch-mode", "navigate");
        responses.push(browser.send(request.header(header.0, header.1)).await);
    }
    responses
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
    for (browser, path) in [
        (&ada.browser, wiki().request(&[])),
        (&site.browser(), wiki().request(&[])),
        (&ada.browser, format!("/account/oidc/logout?{logout}")),
        (&site.browser(), format!("/account/?continue={ticket}")),
        (&stranger, format!("/account/?continue={ticket}")),
        (
            &stranger,
            format!("/account/oidc/authorize?continue={ticket}"),
        ),
    ] {
        for response in speculate(browser, &path).await {
            assert_eq!(response.status, 204, "{path}");
            response.assert_header("cache-control", "no-store");
            assert_eq!(response.header("set-cookie"), None);
            assert_eq!(response.header("location"), None);
        }
    }
    assert_eq!(site.count("oidc_codes").await, codes);
    assert_eq!(site.count("limits").await, limits);
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
    // The same addresses work for the person.
    let code = wiki().redirect(&ada.browser, &[]).await;
    assert!(query_value(&code, "code").is_some());
    assert_status!(stranger.open(&format!("/account/?continue={ticket}")), 200);
    // Pages that change nothing are still there.
    for response in speculate(&site.browser(), "/account/signup").await {
        assert_eq!(response.status, 200);
        assert_eq!(response.header("set-cookie"), None);
    }
}
