//! Mailed links that verify an address: redeemed once, by our own page only, and requested again.

use axum::http::request;

use crate::support::prelude::*;

fn verified_body() -> Value {
    json!({"code": "email_verified", "message": "Your email has been verified"})
}

pub async fn verified_count(site: &Site) -> i64 {
    site.count("accounts WHERE email_verified_at IS NOT NULL")
        .await
}

on_both_databases!(
    a_verification_link_is_idempotent_until_it_expires,
    fifty_parallel_clicks_verify_the_address_once,
    scanners_prefetches_and_other_sites_do_not_redeem_a_link,
    a_link_verifies_only_the_address_it_was_mailed_to,
    the_browser_that_opens_the_link_is_enrolled,
    a_new_link_ends_the_old_one_and_is_limited_to_one_in_three_minutes,
    an_account_that_may_not_be_used_gets_no_link,
    the_link_is_mailed_to_the_address_as_it_was_registered,
    an_unverified_account_is_deleted_after_a_week,
);

// security: TK-13
async fn a_verification_link_is_idempotent_until_it_expires(site: Site) {
    let (ada, token) = site.registered("ada").await;
    let started = site.now();
    for _ in 0..3 {
        assert_json!(ada.browser.confirm_email(&token), 200, &verified_body());
        site.advance("1h");
    }
    site.assert_count(&format!("accounts WHERE email_verified_at = {started}"), 1)
        .await;
    site.advance("21h");
    ada.browser.assert_email_link_ended(&token).await;
    assert!(site.mails().await.is_empty());
}

async fn fifty_parallel_clicks_verify_the_address_once(site: Site) {
    let (ada, token) = site.registered("ada").await;
    let clicks = (0..50).map(|_| {
        let (browser, token) = (ada.new_browser(), &token);
        async move { browser.confirm_email(token).await }
    });
    for response in join_all(clicks).await {
        response.assert_json(200, &verified_body());
    }
    // The browser of the registration, and the one whose click counted.
    site.assert_count("devices", 2).await;
}

// security: CS-5
async fn scanners_prefetches_and_other_sites_do_not_redeem_a_link(site: Site) {
    let (ada, token) = site.registered("ada").await;
    let path = format!("/confirm-email?token={token}");
    let stranger = site.browser();
    let send = |headers: &[(&str, &str)]| {
        let request = Request::get(format!("/account/account-api{path}"));
        let with =
            |request: request::Builder, (name, value): &(&str, &str)| request.header(*name, *value);
        stranger.send(headers.iter().fold(request, with))
    };
    let (place, mode, dest) = ("sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest");
    for headers in [
        &[("sec-purpose", "prefetch")][..],
        &[("sec-purpose", "prefetch;prerender")],
        &[("purpose", "prefetch")],
        &[("x-moz", "prefetch")],
        &[("x-purpose", "preview")],
        &[(place, "cross-site"), (mode, "cors")],
        &[(place, "same-site"), (mode, "cors")],
        &[(place, "same-origin"), (mode, "no-cors")],
        &[(dest, "image")],
        &[(dest, "iframe")],
        &[(dest, "document")],
    ] {
        assert_refused!(send(headers), CrossSite);
    }
    let typed = send(&[(place, "none"), (mode, "navigate")]);
    assert_refused!(typed, CrossSite, Message::ErrorOwnPageOnly);
    let head = assert_status!(stranger.send(stranger.fetch(Method::HEAD, &path)), 405);
    head.assert_header("allow", "GET");
    let page = format!("/account/verify-email?token={token}");
    assert_ok!(stranger.open(&page));
    assert_eq!(verified_count(&site).await, 0);
    assert_json!(ada.browser.get(&path), 200, &verified_body());
}

// security: TK-12
async fn a_link_verifies_only_the_address_it_was_mailed_to(site: Site) {
    let (ada, token) = site.registered("ada").await;
    let sql = "UPDATE accounts SET email = 'other@example.org', email_key = 'other@example.org'";
    site.execute(sql, &[]).await;
    let sql = "UPDATE names SET key = 'other@example.org' WHERE kind = 'email'";
    site.execute(sql, &[]).await;
    ada.browser.assert_email_link_ended(&token).await;
    assert_eq!(verified_count(&site).await, 0);
}

async fn the_browser_that_opens_the_link_is_enrolled(site: Site) {
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

// security: TK-13, EN-7
async fn a_new_link_ends_the_old_one_and_is_limited_to_one_in_three_minutes(site: Site) {
    let (ada, first) = site.registered("ada").await;
    let resend = async |email: &str| resend(&ada.new_browser(), email).await;
    for email in ["ADA@example.org", "nobody@example.org"] {
        assert_json!(resend(email), 200, &sent_body());
        let limited = resend(email).await;
        limited.assert_error(ErrorCode::RateLimited);
        limited.assert_header("retry-after", "180");
    }
    let second = ada.mailed_token().await;
    site.advance("3m");
    assert_json!(resend(&ada.email), 200, &sent_body());
    let third = ada.mailed_token().await;
    for token in [&first, &second] {
        ada.browser.assert_email_link_ended(token).await;
    }
    assert_json!(ada.browser.confirm_email(&third), 200, &verified_body());
    site.advance("3m");
    assert_json!(resend(&ada.email), 200, &sent_body());
    assert!(site.mails().await.is_empty());
}

async fn an_account_that_may_not_be_used_gets_no_link(Unlimited(site): Unlimited) {
    let ada = site.registered("ada").await.0;
    let resend = async || {
        assert_json!(resend(&ada.new_browser(), &ada.email), 200, &sent_body());
    };
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
        site.execute(block, &[]).await;
        resend().await;
        assert_status!(ada.try_sign_in(&ada.new_browser()), 403);
        assert!(site.mails().await.is_empty(), "{block}");
        site.execute(unblock, &[]).await;
    }
    // Of several unsent links only the last is sent.
    for _ in 0..4 {
        resend().await;
    }
    let token = ada.mailed_token().await;
    assert_json!(ada.browser.confirm_email(&token), 200, &verified_body());
}

// security: IN-3
async fn the_link_is_mailed_to_the_address_as_it_was_registered(site: Site) {
    let ada = site.registered("ada").await.0;
    for typed in [
        "ADA@EXAMPLE.ORG", "аda@example.org", "ada@example.org\u{200b}",
    ] {
        let status = resend(&ada.new_browser(), typed).await.status.as_u16();
        assert!([200, 422, 429].contains(&status), "{typed}");
    }
    ada.mail().await;
    assert_refused!(ada.try_sign_in(&ada.browser), EmailNotVerified);
}

async fn an_unverified_account_is_deleted_after_a_week(site: Site) {
    site.registered("ada").await;
    site.member("bob").await;
    for (wait, left) in [("7d", 2), ("1s", 1)] {
        site.advance(wait);
        site.run_expiry().await;
        site.assert_count("accounts", left).await;
    }
    site.assert_count("accounts WHERE username = 'bob'", 1)
        .await;
    site.assert_count("devices", 1).await;
    site.registered("ada").await;
}
