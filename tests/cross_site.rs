//! Cross-site protection: only our own pages and clients other than browsers may send changing requests.

use account::config::Region;
use axum::http::request;

use crate::support::browser::API;
use crate::support::prelude::*;
use crate::support::routes;

fn post(path: &str) -> request::Builder {
    Request::post(format!("{API}{path}")).header("content-type", "application/json")
}

on_sqlite!(
    cross_site_requests_are_refused_on_every_changing_route,
    another_site_can_neither_sign_in_nor_out,
    own_pages_and_non_browser_clients_are_accepted,
    a_page_of_a_host_with_a_dot_at_its_end_is_redirected,
    no_response_allows_cross_origin_reads,
    other_methods_are_refused_and_change_nothing,
    method_override_headers_are_ignored,
    content_types_of_html_forms_are_refused,
    json_is_accepted_with_and_without_charset,
);

// security: CS-2, CS-3
async fn cross_site_requests_are_refused_on_every_changing_route(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    for route in routes::posts() {
        for (origin, fetch_site) in [
            (Some("https://evil.example"), None),
            (Some("null"), None),
            (Some("http://localhost:8080.evil.example"), None),
            (Some("http://localhost:8081"), None),
            (Some("https://localhost:8080"), None),
            (Some("http://evil.example:8080"), None),
            (Some(""), None),
            (None, Some("cross-site")),
            (None, Some("same-site")),
            (None, Some("unheard-of")),
            (Some("https://evil.example"), Some("same-origin")),
            (Some("https://evil.example"), Some("none")),
        ] {
            let mut request = post(&route.path);
            if let Some(origin) = origin {
                request = request.header("origin", origin);
            }
            if let Some(fetch_site) = fetch_site {
                request = request.header("sec-fetch-site", fetch_site);
            }
            let response = ada.browser.send_with(request, "{}").await;
            let code = response.json()["code"].clone();
            assert_eq!(
                (response.status.as_u16(), code),
                (403, "cross_site".into()),
                "{route:?} {origin:?}"
            );
        }
    }
    ada.assert_still_signed_in().await;
}

// security: CS-2
async fn another_site_can_neither_sign_in_nor_out((site, ada): (Site, Person)) {
    let evil = |path: &str| post(path).header("origin", "https://evil.example");
    assert_refused!(ada.browser.send(evil("/logout")), CrossSite);
    let stranger = site.browser();
    let body = ada.credentials().to_string();
    let response = stranger.send_with(evil("/login"), body).await;
    response.assert_error(ErrorCode::CrossSite);
    assert_eq!(response.set_cookies().count(), 0);
    ada.assert_still_signed_in().await;
}

async fn own_pages_and_non_browser_clients_are_accepted(db: Database) {
    let region = Region {
        id: "de".into(),
        hosts: vec!["www.example.de".into()],
        ..Region::default()
    };
    let site = db.site_with(|c| c.regions.push(region)).await;
    let browser = site.browser();
    let region_host = || post("/logout").header("host", "www.example.de:8080");
    for request in [
        post("/logout"),
        post("/logout").header("sec-fetch-site", "same-origin"),
        post("/logout").header("sec-fetch-site", "none"),
        post("/logout").header("origin", "http://localhost:8080"),
        post("/logout")
            .header("origin", "http://127.0.0.1:8080")
            .header("host", "127.0.0.1:8080"),
        region_host().header("origin", "http://www.example.de:8080"),
        post("/logout").header("origin", "http://www.example.de:8080"),
    ] {
        browser.send(request).await.assert_empty();
    }
    for request in [
        // Scheme and port equal those of the site.
        region_host().header("origin", "https://www.example.de:8080"),
        post("/logout").header("origin", "http://www.example.de:9090"),
        post("/logout")
            .header("origin", "http://evil.example")
            .header("host", "evil.example"),
    ] {
        assert_refused!(browser.send(request), CrossSite);
    }
}

async fn a_page_of_a_host_with_a_dot_at_its_end_is_redirected(browser: Browser) {
    let page = "http://localhost:8080/account/?lang=de";
    for (host, path, target) in [
        ("localhost.:8080", "/account/?lang=de", Some(page)),
        (
            "LOCALHOST.",
            "//evil.example/",
            Some("http://LOCALHOST//evil.example/"),
        ),
        ("localhost..:8080", "/account/", None),
        ("evil.example.", "/account/", None),
    ] {
        let response = browser.send(Request::get(path).header("host", host)).await;
        assert_eq!(response.status == 308, target.is_some(), "{host}");
        assert_eq!(response.header("location"), target, "{host}");
    }
    let call = post("/logout").header("origin", "http://localhost.:8080");
    assert_refused!(
        browser.send(call.header("host", "localhost.:8080")),
        CrossSite
    );
}

// security: CS-4
async fn no_response_allows_cross_origin_reads((_, ada): (Site, Person)) {
    let preflight = Request::options(format!("{API}/login"))
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let read = Request::get(format!("{API}/users/me")).header("origin", "https://evil.example");
    for request in [preflight, read] {
        let response = ada.browser.send(request).await;
        for name in response.headers.keys() {
            assert!(!name.as_str().starts_with("access-control-"), "{name}");
        }
        for value in response.headers.values() {
            assert!(!value.to_str().unwrap().contains("evil.example"));
        }
    }
}

// security: CS-3
async fn other_methods_are_refused_and_change_nothing((_, ada): (Site, Person)) {
    let routes = routes::all();
    for route in &routes {
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND",
        ] {
            if routes
                .iter()
                .any(|r| r.path == route.path && r.method == method)
            {
                continue;
            }
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let response = ada
                .browser
                .send(ada.browser.fetch(method.clone(), &route.path))
                .await;
            assert_eq!(response.json()["code"], "method_not_allowed");
            let allowed = response.header("allow").unwrap_or_default().to_owned();
            assert!(
                allowed.split(',').any(|m| m == route.method),
                "{method} {route:?}: {allowed}"
            );
        }
    }
    ada.assert_still_signed_in().await;
}

// security: CS-3
async fn method_override_headers_are_ignored((_, ada): (Site, Person)) {
    let request = ada
        .browser
        .fetch(Method::GET, "/logout?_method=POST")
        .header("x-http-method-override", "POST")
        .header("x-method-override", "POST");
    assert_refused!(ada.browser.send(request), MethodNotAllowed);
    ada.assert_still_signed_in().await;
}

// security: CS-7
async fn content_types_of_html_forms_are_refused(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    for route in routes::posts() {
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/jsonp",
            "application/ld+json",
            "application/json; charset=utf-16",
            "application/json; charset=utf-7",
            "application/json; x=y",
            "application/json, text/plain",
            "",
        ] {
            let request = ada
                .browser
                .fetch(Method::POST, &route.path)
                .header("content-type", kind);
            let response = ada.browser.send_with(request, "{}").await;
            assert_eq!(
                response.json()["code"],
                "unsupported_media_type",
                "{route:?} {kind}"
            );
        }
    }
    ada.assert_still_signed_in().await;
}

async fn json_is_accepted_with_and_without_charset(site: Site) {
    for (name, kind) in [
        ("a", "application/json"),
        ("b", "application/json; charset=utf-8"),
        ("c", "Application/JSON;charset=\"UTF-8\""),
    ] {
        let browser = site.browser();
        let request = browser
            .fetch(Method::POST, "/register")
            .header("content-type", kind);
        let response = browser.send_with(request, form(name).to_string()).await;
        assert_eq!(response.status, 201, "{kind}");
        site.mail_to(&format!("{name}@example.org")).await;
    }
    let browser = site.browser();
    let without = browser.fetch(Method::POST, "/register");
    assert_code!(
        browser.send_with(without, form("d").to_string()),
        UnsupportedMediaType
    );
}
