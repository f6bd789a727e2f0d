//! Limits of the provider.

use account::config::Limits;

use super::{
    TOKEN, assert_oauth_error, basic_auth, enable_provider, form_encoded, form_request,
    post_as_client, refresh_parameters, relying_party, request_token, text_value, wiki,
};
use crate::support::{Browser, Database, Response, Site};

const REVOKE: &str = "/account/oidc/revoke";

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
on_both_databases!(failed_proofs_of_a_client_are_limited_by_client_and_network);
async fn failed_proofs_of_a_client_are_limited_by_client_and_network(db: Database) {
    let site = super::site_with_provider(&db).await;
    let ada = site.signed_in("ada").await;
    let token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let stranger = site.browser();
    let body = form_encoded(&[("grant_type", "refresh_token"), ("refresh_token", &token)]);
    let sent = async |secret: &str| {
        let request = form_request(TOKEN).header("authorization", basic_auth("wiki", secret));
        stranger.send_with(request, body.clone()).await
    };
    for _ in 0..10 {
        assert_oauth_error(&sent("wrong").await, 401, "invalid_client");
    }
    assert_limited(&sent("wrong").await);
    // From there the right secret does not work either; elsewhere it does.
    assert_limited(&sent(super::SECRET).await);
    let limit = [("limit", "oidc_client_failed")];
    let scraped = site.scrape().await;
    assert_eq!(scraped.value("account_limits_hit_total", &limit), 2.0);
    request_token(&site, "wiki", &refresh_parameters(&token))
        .await
        .assert_status(200);
    site.advance("1m");
    assert_eq!(
        sent(super::SECRET).await.status,
        400,
        "the token was exchanged"
    );
}

on_both_databases!(the_requests_of_a_client_and_of_a_network_are_limited);
async fn the_requests_of_a_client_and_of_a_network_are_limited(db: Database) {
    let site = site_with_limits(&db, |limits| {
        limits.oidc_token_client = "3/m".parse().unwrap();
        limits.oidc_authorize_ip = "2/m".parse().unwrap();
    })
    .await;
    let ada = site.signed_in("ada").await;
    let mut token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    for _ in 0..2 {
        let response = request_token(&site, "wiki", &refresh_parameters(&token)).await;
        token = text_value(&response.json(), "refresh_token");
    }
    assert_limited(&request_token(&site, "wiki", &refresh_parameters(&token)).await);
    let request = wiki().request(&[]);
    assert_eq!(ada.browser.open(&request).await.status, 303);
    assert_limited(&ada.browser.open(&request).await);
    site.advance("1m");
    request_token(&site, "wiki", &refresh_parameters(&token))
        .await
        .assert_status(200);
}

// security: OP-9
on_both_databases!(a_stranger_cannot_use_up_the_limit_of_a_public_client);
async fn a_stranger_cannot_use_up_the_limit_of_a_public_client(db: Database) {
    let change = |limits: &mut Limits| limits.oidc_token_client = "3/m".parse().unwrap();
    let site = site_with_limits(&db, change).await;
    let ada = site.signed_in("ada").await;
    let avatar = relying_party("avatar", "https://avatar.example.org/cb");
    let stranger = site.browser();
    let token = wiki().code(&ada.browser).await;
    let guesses = [
        (TOKEN, refresh_parameters("x"), 400),
        // A code of another client proves nothing.
        (TOKEN, avatar.token_form(&token), 400),
        (REVOKE, vec![("token".to_owned(), "x".to_owned())], 200),
    ];
    for (path, form, status) in &guesses {
        let response = post_as_client(&stranger, path, "avatar", form).await;
        assert_eq!(response.status, *status, "{path}");
    }
    for (path, form, _) in &guesses {
        assert_limited(&post_as_client(&stranger, path, "avatar", form).await);
    }
    // Codes of the client do not count by network.
    for server in [&stranger, &site.browser(), &site.browser()] {
        let form = avatar.token_form(&avatar.code(&ada.browser).await);
        assert_status!(post_as_client(server, TOKEN, "avatar", &form), 200);
    }
}

// security: OP-9
on_both_databases!(one_person_cannot_use_up_the_limit_of_a_public_client);
async fn one_person_cannot_use_up_the_limit_of_a_public_client(db: Database) {
    let change = |limits: &mut Limits| limits.oidc_token_client = "3/m".parse().unwrap();
    let site = site_with_limits(&db, change).await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let avatar = relying_party("avatar", "https://avatar.example.org/cb");
    let expired = avatar.token_form(&avatar.code(&eve.browser).await);
    site.advance("1m");
    let used = avatar.token_form(&avatar.code(&eve.browser).await);
    assert_status!(request_token(&site, "avatar", &used), 200);
    // Used and expired codes count by network.
    let stranger = site.browser();
    for form in [&expired, &used, &used] {
        let response = post_as_client(&stranger, TOKEN, "avatar", form).await;
        assert_oauth_error(&response, 400, "invalid_grant");
    }
    assert_limited(&post_as_client(&stranger, TOKEN, "avatar", &used).await);
    let form = avatar.token_form(&avatar.code(&ada.browser).await);
    assert_status!(request_token(&site, "avatar", &form), 200);
}

on_both_databases!(the_requests_of_a_network_are_limited_before_anything_is_looked_up);
async fn the_requests_of_a_network_are_limited_before_anything_is_looked_up(db: Database) {
    let change = |limits: &mut Limits| limits.oidc_token_ip = "4/m".parse().unwrap();
    let site = site_with_limits(&db, change).await;
    let stranger = site.browser();
    let sent = async |server: &Browser, path: &str, id: &str| {
        let body = form_encoded(&[("grant_type", "refresh_token"), ("client_id", id)]);
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
    for (path, id) in [(TOKEN, ""), (REVOKE, "wiki"), (TOKEN, "avatar")] {
        assert_limited(&sent(&stranger, path, id).await);
    }
    let response = sent(&site.browser(), TOKEN, "avatar").await;
    assert_oauth_error(&response, 400, "invalid_request");
    let limit = [("limit", "oidc_token_ip")];
    let hits = site
        .scrape()
        .await
        .value("account_limits_hit_total", &limit);
    assert_eq!(hits, 3.0);
}

on_both_databases!(unknown_clients_share_one_counter);
async fn unknown_clients_share_one_counter(db: Database) {
    let site = super::site_with_provider(&db).await;
    let stranger = site.browser();
    let long = "x".repeat(10_000);
    for id in ["a", "b", "c\u{1}", "wiki ", &long] {
        let secret = [("client_id", id), ("client_secret", "s")];
        let in_body = stranger.send_with(form_request(TOKEN), form_encoded(&secret));
        assert_oauth_error(&in_body.await, 401, "invalid_client");
        let request = form_request(TOKEN).header("authorization", basic_auth(id, "s"));
        let in_header = stranger.send_with(request, String::new()).await;
        assert_oauth_error(&in_header, 401, "invalid_client");
    }
    // One for the network and one for its unknown clients.
    assert_eq!(site.count("limits").await, 2);
    let body = form_encoded(&[("client_id", "d")]);
    assert_limited(&stranger.send_with(form_request(TOKEN), body).await);
}
