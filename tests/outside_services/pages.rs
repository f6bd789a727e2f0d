//! A page inlines the cached header and footer of the provider, and waits for neither.

use std::time::Instant;

use account::testing::pages::branding::digest;
use account::testing::pages::files::EmbeddedFiles;
use account::testing::time_limit::TimeLimit;

use super::{FOOTER, HEADER, use_service};
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_sqlite!(
    a_page_inlines_cached_fragments_and_allows_their_styles,
    a_stale_fragment_is_inlined_while_it_is_refreshed,
    no_page_waits_for_a_hanging_service
);

async fn page(browser: &Browser) -> Response {
    assert_status!(browser.open("/account/"), 200)
}

/// Reloads the page until it contains `wanted`, because the fragment is fetched in the background.
async fn wait_for_content(browser: &Browser, wanted: &str) -> Response {
    eventually_some(wanted, async || {
        Some(page(browser).await).filter(|page| page.text().contains(wanted))
    })
    .await
}

// security: HD-2, HD-4
async fn a_page_inlines_cached_fragments_and_allows_their_styles(db: Database) {
    let service = Service::start(Behaviour::html(
        "<style>b{color:red}</style><header><b onclick=\"x()\">first</b><script>x()</script></header>",
    ))
    .await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    assert_status!(browser.get(HEADER), 200);
    assert_status!(browser.get(FOOTER), 200);
    let request = || {
        let requests = service.requests();
        let parts = requests.iter().filter(|head| head.contains(" /parts/"));
        parts.count()
    };
    assert_eq!(request(), 2);

    let page = page(&browser).await;
    assert_eq!(request(), 0, "a fresh fragment is not requested");
    let shown = "<style>b{color:red}</style><header><b>first</b></header>";
    let policy = page.header("content-security-policy").unwrap();
    assert_contains!(policy, &digest("b{color:red}"));
    assert_lacks!(policy, "unsafe");
    if EmbeddedFiles::get("index.html").is_some() {
        let root = format!("{shown}</template></div>");
        assert_eq!(page.text().matches(&root).count(), 2, "{}", page.text());
        assert!(
            page.text()
                .contains("\"fragments\":{\"footer\":null,\"header\":null}")
        );
    } else {
        let text = shown.replace('<', "\\u003c");
        assert_eq!(page.text().matches(&text).count(), 2, "{}", page.text());
    }
}

async fn a_stale_fragment_is_inlined_while_it_is_refreshed(db: Database) {
    let service = Service::start(Behaviour::html("<header>first</header>")).await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    wait_for_content(&browser, "header>first").await;
    service.set_behaviour(Behaviour::html("<header>second</header>"));
    site.advance("2m");
    assert!(page(&browser).await.text().contains("header>first"));
    wait_for_content(&browser, "header>second").await;
    // The footer has the same text and may arrive later, with the time of its own fetch.
    eventually("no part of the page is old", async || {
        !page(&browser).await.text().contains("header>first")
    })
    .await;
    site.advance("2d");
    let late = page(&browser).await;
    assert!(
        !late.text().contains("header>second"),
        "a fragment older than a day is not shown"
    );
}

// security: FI-6
async fn no_page_waits_for_a_hanging_service(db: Database) {
    let service = Service::start(Behaviour::Hangs).await;
    let timeout = TimeLimit::from_secs(30).get();
    let site = db
        .site_with(|config| {
            use_service(&service)(config);
            config.fragments.timeout = account::config::Duration(timeout);
        })
        .await;
    let browser = site.browser();
    let started = Instant::now();
    for _ in 0..3 {
        let page = page(&browser).await;
        assert!(
            page.text()
                .contains("\"fragments\":{\"footer\":null,\"header\":null}")
        );
    }
    // Not a measurement of speed: a request that waited for the service would take the whole time.
    assert!(started.elapsed() < timeout / 2);
    service.requests();
}
