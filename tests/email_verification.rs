//! Mailed links that verify an address: redeemed once, by our own page only, and requested again.

use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use axum::http::Method;
use serde_json::{Value, json};

use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Response, Site};

fn verified_body() -> Value {
    json!({"code": "email_verified", "message": "Your email has been verified"})
}

pub(crate) async fn verified_count(site: &Site) -> i64 {
    site.count("accounts WHERE email_verified_at IS NOT NULL")
        .await
}

on_both_databases!(a_verification_link_is_idempotent_until_it_expires);
// security: TK-13
async fn a_verification_link_is_idempotent_until_it_expires(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let started = site.now();
    for _ in 0..3 {
        assert_json!(ada.browser.confirm_email(&token), 200, &verified_body());
        site.advance("1h");
    }
    let rows = site
        .rows("SELECT email_verified_at FROM accounts", &[])
        .await;
    assert_eq!(rows[0].get::<i64>(0), started);
    site.advance("21h");
    ada.browser.assert_email_link_ended(&token).await;
    assert!(site.mails().await.is_empty());
}

on_both_databases!(fifty_parallel_clicks_verify_the_address_once);
async fn fifty_parallel_clicks_verify_the_address_once(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let clicks = (0..50).map(|_| {
        let (browser, path) = (ada.new_browser(), format!("/confirm-email?token={token}"));
        async move { browser.get(&path).await }
    });
    for response in futures_util::future::join_all(clicks).await {
        response.assert_json(200, &verified_body());
    }
    // The browser of the registration, and the one whose click counted.
    assert_eq!(site.count("devices").await, 2);
}

on_both_databases!(scanners_prefetches_and_other_sites_do_not_redeem_a_link);
// security: CS-5
async fn scanners_prefetches_and_other_sites_do_not_redeem_a_link(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let path = format!("/confirm-email?token={token}");
    let stranger = site.browser();
    let plain = || axum::http::Request::get(format!("/account/account-api{path}"));
    for request in [
        plain().header("sec-purpose", "prefetch"),
        plain().header("sec-purpose", "prefetch;prerender"),
        plain().header("purpose", "prefetch"),
        plain().header("x-moz", "prefetch"),
        plain().header("x-purpose", "preview"),
        plain()
            .header("sec-fetch-site", "cross-site")
            .header("sec-fetch-mode", "cors"),
        plain()
            .header("sec-fetch-site", "same-site")
            .header("sec-fetch-mode", "cors"),
        plain()
            .header("sec-fetch-site", "same-origin")
            .header("sec-fetch-mode", "no-cors"),
        plain().header("sec-fetch-dest", "image"),
        plain().header("sec-fetch-dest", "iframe"),
        plain().header("sec-fetch-dest", "document"),
    ] {
        assert_refused!(stranger.send(request), CrossSite);
    }
    let typed = plain()
        .header("sec-fetch-site", "none")
        .header("sec-fetch-mode", "navigate");
    stranger
        .send(typed)
        .await
        .assert_error_with_message(ErrorCode::CrossSite, Message::ErrorOwnPageOnly);
    let head = stranger.send(stranger.fetch(Method::HEAD, &path)).await;
    assert_eq!(
        (head.status.as_u16(), head.header("allow")),
        (405, Some("GET"))
    );
    let page = format!("/account/verify-email?token={token}");
    assert_eq!(stranger.open(&page).await.status, 200);
    assert_eq!(verified_count(&site).await, 0);
    assert_json!(ada.browser.get(&path), 200, &verified_body());
}

on_both_databases!(a_link_verifies_only_the_address_it_was_mailed_to);
// security: TK-12
async fn a_link_verifies_only_the_address_it_was_mailed_to(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let sql = "UPDATE accounts SET email = 'other@example.org', email_key = 'other@example.org'";
    site.execute(sql, &[]).await;
    let sql = "UPDATE names SET key = 'other@example.org' WHERE kind = 'email'";
    site.execute(sql, &[]).await;
    ada.browser.assert_email_link_ended(&token).await;
    assert_eq!(verified_count(&site).await, 0);
}

on_both_databases!(the_browser_that_opens_the_link_is_enrolled);
async fn the_browser_that_opens_the_link_is_enrolled(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    let phone = ada.new_browser();
    assert_json!(phone.confirm_email(&token), 200, &verified_body());
    ada.sign_in(&ada.browser).await;
    // The account has already signed in on another device, but this device needs no approval.
    ada.sign_in(&phone).await;
}

fn sent_body() -> Value {
    let message =
        "If an account with this address is waiting to be verified, a new link is on its way.";
    json!({"message": message})
}

async fn resend(browser: &Browser, email: &str) -> Response {
    let form = json!({"email": email});
    browser.post("/resend-verification", &form).await
}

on_both_databases!(a_new_link_ends_the_old_one_and_is_limited_to_one_in_three_minutes);
// security: TK-13, EN-7
async fn a_new_link_ends_the_old_one_and_is_limited_to_one_in_three_minutes(db: Database) {
    let site = db.site().await;
    let (ada, first) = site.registered("ada").await;
    for email in ["ADA@example.org", "nobody@example.org"] {
        assert_json!(resend(&ada.new_browser(), email), 200, &sent_body());
        let limited = resend(&ada.new_browser(), email).await;
        limited.assert_error(ErrorCode::RateLimited);
        limited.assert_header("retry-after", "180");
    }
    let second = site.mail_to(&ada.email).await.token();
    site.advance("3m");
    assert_json!(resend(&ada.new_browser(), &ada.email), 200, &sent_body());
    let third = site.mail_to(&ada.email).await.token();

    let path = |token: &str| format!("/confirm-email?token={token}");
    for token in [&first, &second] {
        assert_refused!(ada.browser.get(&path(token)), InvalidToken);
    }
    assert_json!(ada.browser.get(&path(&third)), 200, &verified_body());
    site.advance("3m");
    assert_json!(resend(&ada.new_browser(), &ada.email), 200, &sent_body());
    assert!(site.mails().await.is_empty());
}

on_both_databases!(an_account_that_may_not_be_used_gets_no_link);
async fn an_account_that_may_not_be_used_gets_no_link(db: Database) {
    let site = db.site_without_limits().await;
    let ada = site.registered("ada").await.0;
    for (block, unblock) in [
        (
            "UPDATE accounts SET disabled_at = 1",
            "UPDATE accounts SET disabled_at = NULL",
        ),
        (
            "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
             SELECT id, 'deletion', 1, 1, 1 FROM accounts",
            "DELETE FROM pending_acts",
        ),
    ] {
        db.run_script(block).await;
        assert_json!(resend(&ada.new_browser(), &ada.email), 200, &sent_body());
        assert_status!(ada.try_sign_in(&ada.new_browser()), 403);
        assert!(site.mails().await.is_empty(), "{block}");
        db.run_script(unblock).await;
    }
}

on_both_databases!(of_several_unsent_links_only_the_last_is_sent);
async fn of_several_unsent_links_only_the_last_is_sent(db: Database) {
    let site = db.site_without_limits().await;
    let browser = site.browser();
    let form = crate::support::form("ada");
    browser.post("/register", &form).await;
    for _ in 0..4 {
        resend(&browser, "ada@example.org").await;
    }
    let token = site.mail_to("ada@example.org").await.token();
    assert_json!(browser.confirm_email(&token), 200, &verified_body());
}

on_both_databases!(the_link_is_mailed_to_the_address_as_it_was_registered);
// security: IN-3
async fn the_link_is_mailed_to_the_address_as_it_was_registered(db: Database) {
    let site = db.site().await;
    let ada = site.registered("ada").await.0;
    for typed in [
        "ADA@EXAMPLE.ORG", "аda@example.org", "ada@example.org\u{200b}",
    ] {
        let response = resend(&ada.new_browser(), typed).await;
        assert!(
            matches!(response.status.as_u16(), 200 | 422 | 429),
            "{typed}"
        );
    }
    site.mail_to("ada@example.org").await;
    let credentials = json!({"email": "ada@example.org", "password": PASSWORD});
    assert_refused!(ada.browser.post("/login", &credentials), EmailNotVerified);
}

on_both_databases!(an_unverified_account_is_deleted_after_a_week);
async fn an_unverified_account_is_deleted_after_a_week(db: Database) {
    let site = db.site().await;
    site.registered("ada").await;
    let bob = site.member("bob").await;
    site.advance("7d");
    site.run_expiry().await;
    assert_eq!(site.count("accounts").await, 2);
    site.advance("1s");
    site.run_expiry().await;
    let left = site.rows("SELECT email FROM accounts", &[]).await;
    assert_eq!(
        (left.len(), left[0].get::<String>(0)),
        (1, bob.email.clone())
    );
    assert_eq!(site.count("devices").await, 1);
    site.registered("ada").await;
}
