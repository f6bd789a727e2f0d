//! Every failure of a service: the response stays in time, and the rest of the site is unaffected.

use std::time::{Duration, Instant};

use account::testing::error::ErrorCode;
use account::testing::time_limit::TimeLimit;

use super::{FOOTER, HEADER, TIMEOUT, use_service};
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_both_databases!(a_failing_service_delays_no_request_beyond_its_deadline);
on_sqlite!(a_hanging_service_gets_one_request_per_pause);

/// The time-out of the services in these tests, and a margin.
const DEADLINE: TimeLimit = TimeLimit::from_millis(1500);

/// Failures of a service.
fn failures() -> Vec<(&'static str, Behaviour)> {
    let html = "text/html";
    let gzip =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\xff";
    let large = format!("<p>{}</p>", "x".repeat(600 << 10));
    vec![
        ("hangs", Behaviour::Hangs),
        ("drips", Behaviour::Drips(Duration::from_millis(20))),
        ("floods", Behaviour::Floods),
        ("closes", Behaviour::Closes),
        (
            "is late",
            Behaviour::WritesLate(2 * DEADLINE.get(), b"HTTP/1.1 200 OK\r\n\r\n".into()),
        ),
        (
            "is no HTTP",
            Behaviour::Writes(b"\0\xff\xfe no HTTP at all\r\n\r\n".into()),
        ),
        (
            "breaks off",
            Behaviour::Writes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>".into()),
        ),
        (
            "is no UTF-8",
            Behaviour::Writes(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<p>\xff".into()),
        ),
        ("says gzip", Behaviour::Writes(gzip.to_vec())),
        ("is too large", Behaviour::response("200 OK", html, &large)),
        (
            "is broken",
            Behaviour::response("500 Internal Server Error", html, "<p>stack trace</p>"),
        ),
        (
            "has nothing",
            Behaviour::response("404 Not Found", html, "<p>nothing here</p>"),
        ),
        (
            "has no content",
            Behaviour::Writes(b"HTTP/1.1 204 No Content\r\n\r\n".into()),
        ),
        (
            "redirects",
            Behaviour::Writes(b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n".into()),
        ),
        (
            "endless head",
            Behaviour::Writes([b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'y'; 2 << 20]].concat()),
        ),
    ]
}

async fn get_within_deadline(browser: &Browser, path: &str) -> Response {
    within(DEADLINE, path, browser.get(path)).await
}

// security: FI-6
async fn a_failing_service_delays_no_request_beyond_its_deadline(db: Database) {
    let service = Service::start(Behaviour::Closes).await;
    let site = db.site_with(use_service(&service)).await;
    let ada = site.signed_in("ada").await;
    let bundled: Value = serde_json::from_str(account::testing::i18n::catalogue(
        account::testing::i18n::Language::De,
    ))
    .unwrap();
    for (name, does) in failures() {
        // After the pause that follows a failure, each address is requested again.
        site.advance("1m");
        service.set_behaviour(does);
        println!("{name}");
        let responses = tokio::join!(
            get_within_deadline(&ada.browser, HEADER),
            get_within_deadline(&ada.browser, FOOTER),
            get_within_deadline(&ada.browser, "/translations/de"),
            get_within_deadline(&ada.browser, "/users/me"),
            get_within_deadline(&ada.browser, "/config"),
        );
        responses.0.assert_error(ErrorCode::FragmentUnavailable);
        responses.1.assert_error(ErrorCode::FragmentUnavailable);
        responses.2.assert_json(200, &bundled);
        responses.3.assert_json(200, &ada.user().await);
        assert_eq!(responses.4.status, 200);
        let page = within(DEADLINE, name, ada.browser.open("/account/")).await;
        assert_eq!(page.status, 200, "{name}");
    }
}

// security: FI-6
async fn a_hanging_service_gets_one_request_per_pause(db: Database) {
    let service = Service::start(Behaviour::Hangs).await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    let crowd = (0..50).map(|_| get_within_deadline(&browser, HEADER));
    for response in futures_util::future::join_all(crowd).await {
        response.assert_error(ErrorCode::FragmentUnavailable);
    }
    assert_eq!(service.requests().len(), 1);
    let started = Instant::now();
    assert_refused!(get_within_deadline(&browser, HEADER), FragmentUnavailable);
    assert!(
        started.elapsed() < TIMEOUT.get() / 2,
        "a failed service is not waited for again"
    );
    assert_eq!(service.requests().len(), 0);
}
