//! The page of the support view.

use super::{agent, site};
use crate::prelude::*;

on_both_databases!(only_agents_can_open_the_page);
on_sqlite!(public_pages_do_not_mention_the_support_view);

const PAGE: &str = "/account/support";

// security: AD-1
async fn only_agents_can_open_the_page(db: Database) {
    let site = site(&db).await;
    let support = agent(&site, "support1", "support").await;
    let page = assert_status!(support.open(PAGE), 200);
    page.assert_header("cache-control", "no-store");
    let policy = page.header("content-security-policy").unwrap();
    assert_contains!(policy, "script-src 'self';");
    assert_contains!(policy, "form-action 'none'");
    assert_contains!(page.text(), "Find an account");

    let member = crate::second_factor::person_with_second_factor(&site, "holder").await;
    for browser in [&member.person.browser, &site.browser()] {
        let unknown = browser.open("/account/nothing").await;
        for path in [PAGE, "/account/support/", "/account/support/x"] {
            let page = browser.open(path).await;
            page.assert_status(404);
            assert_eq!(page.text(), unknown.text(), "{path}");
        }
    }
    // It is idle or at level 1: the page then asks for a proof.
    site.advance("1h");
    assert_status!(support.open(PAGE), 200);
}

async fn public_pages_do_not_mention_the_support_view(db: Database) {
    let site = site(&db).await;
    let browser = site.browser();
    for path in ["/account/", "/account/settings", "/account/activity"] {
        let page = browser.open(path).await;
        assert!(!page.text().contains("Find an account"), "{path}");
        assert!(!page.text().contains("/account/support"), "{path}");
    }
    let words = browser.get("/translations/en").await.json();
    assert!(words.get("support").is_none());
}
