//! Pages that require a session: the sign-in comes first and returns to them.

use crate::forward_auth::config_of;
use crate::support::prelude::*;

/// Opens a page without a session. Returns the address of the sign-in.
async fn sign_in_page(browser: &Browser, page: &str) -> String {
    let response = browser.open(page).await;
    assert_eq!(response.status, 303, "{page}");
    response.assert_header("cache-control", "no-store");
    assert!(response.set_cookie("ticket").is_some(), "{page}");
    let address = response.header("location").unwrap();
    assert!(address.starts_with("/account/?continue="), "{address}");
    address.to_owned()
}

on_sqlite!(
    the_sign_in_returns_to_the_page_that_required_it,
    a_session_that_has_ended_is_no_session,
    the_ticket_of_a_page_serves_the_browser_that_opened_it,
    only_a_visit_of_a_page_issues_a_ticket,
    the_well_known_address_opens_the_change_of_the_password,
);

async fn the_sign_in_returns_to_the_page_that_required_it(Member(_, ada): Member) {
    for page in [
        "/account/settings",
        "/account/settings?change=password",
        "/account/settings/security",
        "/account/settings/data?lang=de",
        "/account/activity",
        "/account/delete",
    ] {
        let browser = ada.browser.copy();
        let opened = browser.open(&sign_in_page(&browser, page).await).await;
        assert_eq!(opened.status, 200, "{page}");
        let config = config_of(&opened);
        assert!(config["signing_in_to"].is_null(), "{page}");
        let home = config["signed_in_home"].as_str().unwrap().to_owned();
        assert_ok!(ada.try_sign_in(&browser));
        let resumed = browser.open(&home).await;
        resumed.assert_header("location", page);
        assert_eq!(browser.open(page).await.status, 200, "{page}");
        browser.post_empty("/logout").await.assert_empty();
    }
}

async fn a_session_that_has_ended_is_no_session((_, ada): (Site, Person)) {
    assert_ok!(ada.browser.open("/account/activity"));
    let stale = ada.browser.copy();
    let id = ada.browser.cookie("session").unwrap();
    ada.browser.post_empty("/logout").await.assert_empty();
    stale.set_cookie("session", &id);
    sign_in_page(&stale, "/account/activity").await;
}

async fn the_ticket_of_a_page_serves_the_browser_that_opened_it(db: Database) {
    let (site, bob) = db.site_with_signed_in("bob").await;
    let address = sign_in_page(&site.browser(), "/account/settings/data").await;
    let config = config_of(&site.browser().open(&address).await);
    assert_eq!(config["signed_in_home"], "/");
    let resume = address.replace("/account/?", "/account/oidc/authorize?");
    let foreign = bob.browser.open(&resume).await;
    foreign.assert_header("location", "/account/");
    let plain = config_of(&site.browser().open("/account/").await);
    assert_eq!(plain["signed_in_home"], "/");
}

async fn only_a_visit_of_a_page_issues_a_ticket(browser: Browser) {
    for (method, purpose) in [
        (Method::HEAD, ""),
        (Method::GET, "prefetch"),
        (Method::GET, "prefetch;prerender"),
    ] {
        let request = Request::builder()
            .method(method.clone())
            .uri("/account/settings")
            .header("sec-purpose", purpose);
        let response = browser.send(request).await;
        assert_eq!(response.status, 200, "{method} {purpose}");
        assert_eq!(response.set_cookies().count(), 0, "{method} {purpose}");
    }
}

async fn the_well_known_address_opens_the_change_of_the_password(browser: Browser) {
    let found = assert_status!(browser.open("/.well-known/change-password"), 307);
    let page = found.header("location").unwrap();
    assert_eq!(page, "/account/settings?change=password");
    sign_in_page(&browser, page).await;
}
