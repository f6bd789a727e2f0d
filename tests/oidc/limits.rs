//! Limits of the provider.

use account::config::Limits;

use super::{
    REVOKE, SECRET, TOKEN, assert_oauth_error, avatar, basic_auth, enable_provider, form_encoded,
    form_request, post_as_client, refresh, refresh_form, refreshed, request_token,
    site_with_provider, wiki,
};
use crate::prelude::*;

on_both_databases!(
    failed_proofs_of_a_client_are_limited_by_client_and_network,
    the_requests_of_a_client_and_of_a_network_are_limited,
    a_stranger_cannot_use_up_the_limit_of_a_public_client,
    one_person_cannot_use_up_the_limit_of_a_public_client,
    the_requests_of_a_network_are_limited_before_anything_is_looked_up,
    unknown_clients_share_one_counter
);

/// A site with these limits, as they stand in the configuration.
async fn site_with_limits(db: &Database, change: impl FnOnce(&mut Limits)) -> Site {
    db.allow_unread_mails();
    db.site_with(|c| {
        enable_provider(c);
        change(&mut c.limits);
    })
    .await
}

#[track_caller]
fn assert_limited(response: &Response) {
    assert_oauth_error(response, 429, "temporarily_unavailable");
}

// security: OP-9
async fn failed_proofs_of_a_client_are_limited_by_client_and_network(db: Database) {
    let site = site_with_provider(&db).await;
    let ada = site.signed_in("ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let stranger = site.browser();
    let sent = async |secret: &str| {
        let request = form_request(TOKEN).header("authorization", basic_auth("wiki", secret));
        stranger.send_with(request, refresh_form(&tokens)).await
    };
    for _ in 0..10 {
        assert_oauth_error(&sent("wrong").await, 401, "invalid_client");
    }
    assert_limited(&sent("wrong").await);
    // From there the right secret does not work either; elsewhere it does.
    assert_limited(&sent(SECRET).await);
    let limit = r#"account_limits_hit_total{limit="oidc_client_failed"} 2"#;
    site.scrape().await.assert_lines(limit);
    refreshed(&site, &tokens).await;
    site.advance("1m");
    // The token was exchanged.
    assert_status!(sent(SECRET), 400);
}

async fn the_requests_of_a_client_and_of_a_network_are_limited(db: Database) {
    let site = site_with_limits(&db, |limits| {
        limits.oidc_token_client = "3/m".parse().unwrap();
        limits.oidc_authorize_ip = "2/m".parse().unwrap();
    })
    .await;
    let ada = site.signed_in("ada").await;
    let mut tokens = wiki().tokens(&site, &ada.browser).await;
    for _ in 0..2 {
        tokens = refreshed(&site, &tokens).await;
    }
    assert_limited(&refresh(&site, &tokens).await);
    let request = wiki().request("");
    assert_status!(ada.browser.open(&request), 303);
    assert_limited(&ada.browser.open(&request).await);
    site.advance("1m");
    refreshed(&site, &tokens).await;
}

// security: OP-9
async fn a_stranger_cannot_use_up_the_limit_of_a_public_client(db: Database) {
    let change = |limits: &mut Limits| limits.oidc_token_client = "3/m".parse().unwrap();
    let site = site_with_limits(&db, change).await;
    let ada = site.signed_in("ada").await;
    let (avatar, stranger) = (avatar(), site.browser());
    let of_wiki = avatar.token_form(&wiki().code(&ada.browser).await);
    let guesses = [
        (TOKEN, "grant_type=refresh_token&refresh_token=x", 400),
        // A code of another client proves nothing.
        (TOKEN, &of_wiki, 400),
        (REVOKE, "token=x", 200),
    ];
    for (path, form, status) in guesses {
        let response = post_as_client(&stranger, path, "avatar", form).await;
        response.assert_status(status);
    }
    for (path, form, _) in guesses {
        assert_limited(&post_as_client(&stranger, path, "avatar", form).await);
    }
    // Codes of the client do not count by network.
    for server in [&stranger, &site.browser(), &site.browser()] {
        let form = avatar.new_form(&ada.browser).await;
        assert_status!(post_as_client(server, TOKEN, "avatar", &form), 200);
    }
}

// security: OP-9
async fn one_person_cannot_use_up_the_limit_of_a_public_client(db: Database) {
    let change = |limits: &mut Limits| limits.oidc_token_client = "3/m".parse().unwrap();
    let site = site_with_limits(&db, change).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let avatar = avatar();
    let expired = avatar.new_form(&eve.browser).await;
    site.advance("1m");
    let used = avatar.new_form(&eve.browser).await;
    assert_status!(request_token(&site, "avatar", &used), 200);
    // Used and expired codes count by network.
    let stranger = site.browser();
    for form in [&expired, &used, &used] {
        let response = post_as_client(&stranger, TOKEN, "avatar", form).await;
        assert_oauth_error(&response, 400, "invalid_grant");
    }
    assert_limited(&post_as_client(&stranger, TOKEN, "avatar", &used).await);
    avatar.tokens(&site, &ada.browser).await;
}

async fn the_requests_of_a_network_are_limited_before_anything_is_looked_up(db: Database) {
    let site = super::site_with_provider(&db).await;
    let stranger = site.browser();
    let sent = async |server: &Browser, path: &str, id: &str| {
        let body = format!("grant_type=refresh_token&client_id={id}");
        server.send_with(form_request(path), body).await
    };
    for (path, id) in [
        (TOKEN, "invented"),
        (REVOKE, ""),
        (TOKEN, ""),
        (TOKEN, "wiki"),
    ] {
        assert_oauth_error(&sent(&stranger, path, id).await, 401, "invalid_client");
    }
    // The counter of the network has counted four requests.
    let spend = "UPDATE limits SET hits = 600 WHERE hits = 4";
    site.execute(spend, &[]).await;
    for (path, id) in [(TOKEN, ""), (REVOKE, "wiki"), (TOKEN, "avatar")] {
        assert_limited(&sent(&stranger, path, id).await);
    }
    let response = sent(&site.browser(), TOKEN, "avatar").await;
    assert_oauth_error(&response, 400, "invalid_request");
    let limit = r#"account_limits_hit_total{limit="oidc_token_ip"} 3"#;
    site.scrape().await.assert_lines(limit);
}

async fn unknown_clients_share_one_counter(db: Database) {
    let site = site_with_provider(&db).await;
    let stranger = site.browser();
    let long = "x".repeat(10_000);
    for id in ["a", "b", "c\u{1}", "wiki ", &long] {
        let secret = form_encoded(&[("client_id", id), ("client_secret", "s")]);
        let in_body = stranger.send_with(form_request(TOKEN), secret);
        assert_oauth_error(&in_body.await, 401, "invalid_client");
        let request = form_request(TOKEN).header("authorization", basic_auth(id, "s"));
        let in_header = stranger.send_with(request, String::new()).await;
        assert_oauth_error(&in_header, 401, "invalid_client");
    }
    // One for the network and one for its unknown clients.
    site.assert_count("limits", 2).await;
    let one_more = stranger.send_with(form_request(TOKEN), "client_id=d");
    assert_limited(&one_more.await);
}
