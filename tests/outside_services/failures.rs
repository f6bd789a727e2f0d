//! Every failure of a service: the response stays in time, and the rest of the site is unaffected.

use std::time::{Duration, Instant};

use account::testing::error::ErrorCode;
use serde_json::Value;

use super::{FOOTER, HEADER, from};
use crate::support::{Answer, Browser, Database};
use crate::wire::service::{Does, Service};

/// The time-out of the services in these tests, and a margin for a busy machine.
const SOON: Duration = Duration::from_millis(1500);

/// Failures of a service.
fn failures() -> Vec<(&'static str, Does)> {
    let html = "text/html";
    let gzip =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\xff";
    let large = format!("<p>{}</p>", "x".repeat(600 << 10));
    vec![
        ("hangs", Does::Hangs),
        ("drips", Does::Drips(Duration::from_millis(20))),
        ("floods", Does::Floods),
        ("closes", Does::Closes),
        (
            "is late",
            Does::WritesLate(Duration::from_secs(3), b"HTTP/1.1 200 OK\r\n\r\n".into()),
        ),
        (
            "is no HTTP",
            Does::Writes(b"\0\xff\xfe no HTTP at all\r\n\r\n".into()),
        ),
        (
            "breaks off",
            Does::Writes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>".into()),
        ),
        (
            "is no UTF-8",
            Does::Writes(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<p>\xff".into()),
        ),
        ("says gzip", Does::Writes(gzip.to_vec())),
        ("is too large", Does::answers("200 OK", html, &large)),
        (
            "is broken",
            Does::answers("500 Internal Server Error", html, "<p>stack trace</p>"),
        ),
        (
            "has nothing",
            Does::answers("404 Not Found", html, "<p>nothing here</p>"),
        ),
        (
            "has no content",
            Does::Writes(b"HTTP/1.1 204 No Content\r\n\r\n".into()),
        ),
        (
            "endless head",
            Does::Writes([b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'y'; 2 << 20]].concat()),
        ),
    ]
}

async fn in_time(browser: &Browser, path: &str) -> Answer {
    let begun = Instant::now();
    let answer = browser.get(path).await;
    assert!(begun.elapsed() < SOON, "{path}: {:?}", begun.elapsed());
    answer
}

both!(a_failing_service_delays_no_request_beyond_its_deadline);
// security: FI-6
async fn a_failing_service_delays_no_request_beyond_its_deadline(db: Database) {
    let service = Service::start(Does::Closes).await;
    let site = db.site_with(from(&service)).await;
    let ada = site.signed_in("ada").await;
    let bundled: Value = serde_json::from_str(account::testing::i18n::catalogue(
        account::testing::i18n::Language::De,
    ))
    .unwrap();
    for (name, does) in failures() {
        // After the pause that follows a failure, each address is requested again.
        site.wait("1m");
        service.now(does);
        println!("{name}");
        let answers = tokio::join!(
            in_time(&ada.browser, HEADER),
            in_time(&ada.browser, FOOTER),
            in_time(&ada.browser, "/translations/de"),
            in_time(&ada.browser, "/users/me"),
            in_time(&ada.browser, "/config"),
        );
        answers.0.refuses(ErrorCode::FragmentUnavailable);
        answers.1.refuses(ErrorCode::FragmentUnavailable);
        answers.2.is(200, &bundled);
        answers.3.is(200, &ada.user().await);
        assert_eq!(answers.4.status, 200);
        let begun = Instant::now();
        assert_eq!(ada.browser.open("/account/").await.status, 200, "{name}");
        assert!(begun.elapsed() < SOON, "{name}");
    }
}

both!(a_hanging_service_gets_one_request_per_pause);
// security: FI-6
async fn a_hanging_service_gets_one_request_per_pause(db: Database) {
    let service = Service::start(Does::Hangs).await;
    let site = db.site_with(from(&service)).await;
    let browser = site.browser();
    let crowd = (0..50).map(|_| in_time(&browser, HEADER));
    for answer in futures_util::future::join_all(crowd).await {
        answer.refuses(ErrorCode::FragmentUnavailable);
    }
    assert_eq!(service.requests().len(), 1);
    let begun = Instant::now();
    in_time(&browser, HEADER)
        .await
        .refuses(ErrorCode::FragmentUnavailable);
    assert!(
        begun.elapsed() < Duration::from_millis(300),
        "a failed service is not waited for again"
    );
    assert_eq!(service.requests().len(), 0);
}
