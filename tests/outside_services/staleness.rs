//! A cached response of a service is served for a day while the service is slow or unavailable. Failures do not flood
//! the log.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use account::testing::clock::Clock;
use account::testing::error::ErrorCode;
use account::testing::pages::upstream::Upstream;
use url::Url;

use super::{HEADER, from};
use crate::support::{Browser, Database, Site, eventually};
use crate::wire::service::{Does, Service};

async fn header(browser: &Browser) -> String {
    let answer = browser.get(HEADER).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.text().to_owned()
}

/// Repeats the request until it returns `wanted`, because a new response is fetched in the background.
async fn becomes(browser: &Browser, wanted: &str) {
    eventually(wanted, async || header(browser).await == wanted).await;
}

async fn shown(db: &Database) -> (Service, Site, Browser) {
    let service = Service::start(Does::shows("<p>one</p>")).await;
    let site = db.site_with(from(&service)).await;
    let browser = site.browser();
    assert_eq!(header(&browser).await, "<p>one</p>");
    (service, site, browser)
}

both!(a_stale_response_is_served_while_it_is_refreshed);
// security: FI-6
async fn a_stale_response_is_served_while_it_is_refreshed(db: Database) {
    let (service, site, browser) = shown(&db).await;
    service.now(Does::shows("<p>two</p>"));
    site.wait("59s");
    assert_eq!(header(&browser).await, "<p>one</p>");
    assert_eq!(service.requests().len(), 1);
    site.wait("1s");
    assert_eq!(header(&browser).await, "<p>one</p>");
    becomes(&browser, "<p>two</p>").await;
    assert_eq!(service.requests().len(), 1);
}

both!(the_last_response_is_served_for_a_day);
// security: FI-6
async fn the_last_response_is_served_for_a_day(db: Database) {
    let (service, site, browser) = shown(&db).await;
    for does in [
        Does::Hangs,
        Does::answers("500 Internal Server Error", "text/html", "<p>broken</p>"),
        Does::Closes,
    ] {
        service.now(does);
        site.wait("2m");
        service.requests();
        // The fetch of the previous round may still be running; a new one starts after its time-out.
        eventually("the service gets a request again", async || {
            let begun = Instant::now();
            assert_eq!(header(&browser).await, "<p>one</p>");
            assert!(
                begun.elapsed() < Duration::from_millis(300),
                "a stale fragment is served without waiting for the fetch"
            );
            site.wait("1s");
            !service.requests().is_empty()
        })
        .await;
    }
    site.wait("1d");
    browser
        .get(HEADER)
        .await
        .refuses(ErrorCode::FragmentUnavailable);
    site.wait("1m");
    service.now(Does::shows("<p>back</p>"));
    assert_eq!(header(&browser).await, "<p>back</p>");
}

/// Collects the log of a test.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

// security: FI-6
// A single thread, so that the collected log contains only lines of this test.
#[tokio::test]
async fn failures_are_logged_once_a_minute() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _logged_here = tracing::subscriber::set_default(subscriber);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let service = Service::start(Does::Closes).await;
    let (at, second) = (Arc::new(AtomicI64::new(1_000_000)), "1s".parse().unwrap());
    let clock = Clock::Hand(at.clone());
    let clean = |text: &str| Ok(text.to_owned());
    let upstream = Upstream::new("fragments", second, 1000, second, clean).unwrap();
    let upstream = Arc::new(upstream);
    let url = Url::parse(&format!("{}/x?secret=y", service.url())).unwrap();
    let lines = || {
        let bytes = log.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("secret"), "{text}");
        text.matches("an external service failed").count()
    };
    for _ in 0..9 {
        assert!(upstream.get(url.clone(), &clock).await.is_none());
        at.fetch_add(6_000, Ordering::SeqCst);
    }
    assert_eq!((service.requests().len(), lines()), (9, 1));
    at.fetch_add(6_000, Ordering::SeqCst);
    upstream.get(url, &clock).await;
    assert_eq!(lines(), 2);
}
