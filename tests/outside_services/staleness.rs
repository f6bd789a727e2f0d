//! A cached response of a service is served for a day while the service is slow or unavailable. Failures do not flood
//! the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use account::testing::clock::Clock;
use account::testing::pages::upstream::Upstream;
use url::Url;

use super::{HEADER, TIMEOUT, use_service};
use crate::events::LogBuffer;
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_sqlite!(
    a_stale_response_is_served_while_it_is_refreshed,
    the_last_response_is_served_for_a_day
);

async fn header(browser: &Browser) -> String {
    let response = assert_status!(browser.get(HEADER), 200);
    response.text().to_owned()
}

/// Repeats the request until it returns `wanted`, because a new response is fetched in the background.
async fn wait_for_content(browser: &Browser, wanted: &str) {
    eventually(wanted, async || header(browser).await == wanted).await;
}

async fn site_with_header(db: &Database) -> (Service, Site, Browser) {
    let service = Service::start(Behaviour::html("<p>one</p>")).await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    assert_eq!(header(&browser).await, "<p>one</p>");
    (service, site, browser)
}

// security: FI-6
async fn a_stale_response_is_served_while_it_is_refreshed(db: Database) {
    let (service, site, browser) = site_with_header(&db).await;
    service.set_behaviour(Behaviour::html("<p>two</p>"));
    site.advance("59s");
    assert_eq!(header(&browser).await, "<p>one</p>");
    assert_eq!(service.requests().len(), 1);
    site.advance("1s");
    assert_eq!(header(&browser).await, "<p>one</p>");
    wait_for_content(&browser, "<p>two</p>").await;
    assert_eq!(service.requests().len(), 1);
}

// security: FI-6
async fn the_last_response_is_served_for_a_day(db: Database) {
    let (service, site, browser) = site_with_header(&db).await;
    for does in [
        Behaviour::Hangs,
        Behaviour::response("500 Internal Server Error", "text/html", "<p>broken</p>"),
        Behaviour::Closes,
    ] {
        service.set_behaviour(does);
        site.advance("2m");
        service.requests();
        // The fetch of the previous round may still be running; a new one starts after its time-out.
        eventually("the service gets a request again", async || {
            let started = Instant::now();
            assert_eq!(header(&browser).await, "<p>one</p>");
            assert!(
                started.elapsed() < TIMEOUT.get() / 2,
                "a stale fragment is served without waiting for the fetch"
            );
            site.advance("1s");
            !service.requests().is_empty()
        })
        .await;
    }
    site.advance("1d");
    assert_refused!(browser.get(HEADER), FragmentUnavailable);
    site.advance("1m");
    service.set_behaviour(Behaviour::html("<p>back</p>"));
    assert_eq!(header(&browser).await, "<p>back</p>");
}

// security: FI-6
// A single thread, so that the collected log contains only lines of this test.
#[tokio::test]
async fn failures_are_logged_once_a_minute() {
    let log = LogBuffer::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _logged_here = tracing::subscriber::set_default(subscriber);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let service = Service::start(Behaviour::Closes).await;
    let (at, second) = (Arc::new(AtomicI64::new(1_000_000)), "1s".parse().unwrap());
    let clock = Clock::Manual(at.clone());
    let clean = |text: &str| Ok(text.to_owned());
    let upstream = Upstream::new("fragments", second, 1000, second, clean).unwrap();
    let upstream = Arc::new(upstream);
    let url = Url::parse(&format!("{}/x?secret=y", service.url())).unwrap();
    let lines = || {
        let text = log.text();
        assert_lacks!(text, "secret");
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
