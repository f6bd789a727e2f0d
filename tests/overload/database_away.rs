//! PostgreSQL unavailable or unresponsive: the right status in time, and recovery without a restart.

use account::testing::time_limit::TimeLimit;

use super::proxy::{LinkState, Proxy};
use crate::prelude::*;

on_postgres!(
    each_error_of_the_database_has_one_consequence,
    an_unreachable_database_is_reported_and_the_site_recovers,
    a_silent_host_does_not_block_the_next_one
);

/// The deadline of a response while the database is unavailable.
const DEADLINE: TimeLimit = TimeLimit::from_secs(5);

async fn site_behind_proxy(db: &Database) -> (Proxy, Site) {
    let url = url::Url::parse(db.url()).unwrap();
    let port = url.port().unwrap_or(5432);
    let proxy = Proxy::start(format!("{}:{port}", url.host_str().unwrap())).await;
    let mut through = url;
    through.set_host(Some("127.0.0.1")).unwrap();
    through.set_port(Some(proxy.address.port())).unwrap();
    let site = db
        .site_with(|config| {
            config.database.url = through.as_str().parse().unwrap();
            config.limits.enabled = false;
        })
        .await;
    (proxy, site)
}

async fn each_error_of_the_database_has_one_consequence(site: Site) {
    for (codes, message) in [
        (&["40001", "40P01"][..], "transaction conflict: "),
        (
            &[
                "08006", "53300", "53400", "57014", "57P01", "55P03", "25P03", "25P04",
            ],
            "database unavailable: ",
        ),
        (&["25006", "53100"], "database accepts no writes: "),
        (&["22021", "42P01", "25P02", "55000"], "database: "),
    ] {
        for code in codes {
            let sql = format!("DO $$ BEGIN RAISE 'x' USING ERRCODE = '{code}'; END $$");
            let mut tx = site.app.store.write().await.unwrap();
            let error = tx.execute(&sql, &[]).await.unwrap_err();
            assert_eq!(error.to_string(), format!("{message}{code}: x"));
        }
    }
}

async fn within_deadline(response: impl Future<Output = Response>) -> Response {
    within(DEADLINE, "a response without a database", response).await
}

/// Sends reads and writes of every kind in parallel, more than there are connections.
async fn assert_all_unavailable(ada: &Person) {
    let address = json!({"email": ada.email});
    let credentials = ada.credentials();
    let form = crate::support::form("bob");
    // Well formed, so that it is looked up.
    let link = format!("/confirm-email?token={}", "A".repeat(43));
    let request = (0..8).map(|_| async {
        let (reads, signs_in, joins, resets, link, signs_out) = tokio::join!(
            within_deadline(ada.browser.get("/users/me")),
            within_deadline(ada.browser.post("/login", &credentials)),
            within_deadline(ada.browser.post("/register", &form)),
            within_deadline(ada.browser.post("/reset-password", &address)),
            within_deadline(ada.browser.get(&link)),
            within_deadline(ada.browser.post_empty("/logout")),
        );
        [reads, signs_in, joins, resets, link, signs_out]
    });
    for response in futures_util::future::join_all(request).await.concat() {
        response.assert_status(503);
        assert_eq!(response.json()["code"], "unavailable");
        response.assert_header("retry-after", "2");
        assert_eq!(response.set_cookies().count(), 0);
    }
    let ready = within_deadline(ada.browser.open("/readyz")).await;
    assert_eq!(
        (ready.status.as_u16(), ready.text()),
        (503, "database unavailable\n")
    );
    assert_status!(ada.browser.open("/healthz"), 200);
    assert_status!(ada.browser.open("/account/"), 200);
}

async fn assert_recovers(ada: &Person) {
    eventually("the site recovers", async || {
        ada.browser.get("/users/me").await.status == 200
    })
    .await;
    // The pool may find its lost connections one by one.
    for _ in 0..20 {
        ada.try_sign_in(&ada.browser).await;
    }
    ada.sign_in(&ada.browser).await;
}

// Promise: 503 within five seconds while the database is unavailable, and recovery without a restart.
async fn an_unreachable_database_is_reported_and_the_site_recovers(db: Database) {
    let (proxy, site) = site_behind_proxy(&db).await;
    let ada = site.signed_in("ada").await;
    for link in [LinkState::Cut, LinkState::Hung, LinkState::Cut] {
        proxy.set_link(link);
        assert_all_unavailable(&ada).await;
        site.advance("11s");
        site.scrape().await.assert_lines("account_database_up 0");
        proxy.set_link(LinkState::Works);
        assert_recovers(&ada).await;
        site.advance("11s");
        site.scrape().await.assert_lines("account_database_up 1");
    }
    site.assert_count("accounts", 1).await;
}

/// The first host of the address does not respond, the second one does.
async fn a_silent_host_does_not_block_the_next_one(db: Database) {
    let url = url::Url::parse(db.url()).unwrap();
    let port = url.port().unwrap_or(5432);
    let proxy = Proxy::start(format!("{}:{port}", url.host_str().unwrap())).await;
    let (before, after) = db.url().split_once(&format!(":{port}/")).unwrap();
    let through = proxy.address.port();
    let both = format!("{before}:{through},127.0.0.1:{port}/{after}");
    let site = db
        .site_with(|config| {
            config.database.url = both.parse().unwrap();
            config.limits.enabled = false;
        })
        .await;
    let ada = site.signed_in("ada").await;
    proxy.set_link(LinkState::Hung);
    assert_recovers(&ada).await;
    // A node that starts now becomes ready.
    let other = db
        .site_with(|config| config.database.url = both.parse().unwrap())
        .await;
    assert_status!(other.browser().open("/readyz"), 200);
}
