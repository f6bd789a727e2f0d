//! Limits of the provider.

use super::{
    assert_oauth_error, basic_auth, enable_provider, form_encoded, form_request,
    refresh_parameters, request_token, text_value, wiki,
};
use crate::support::Database;

// security: OP-9
on_both_databases!(failed_proofs_of_a_client_are_limited_by_client_and_network);
async fn failed_proofs_of_a_client_are_limited_by_client_and_network(db: Database) {
    let site = super::site_with_provider(&db).await;
    let ada = site.signed_in("ada").await;
    let token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let stranger = site.browser();
    let body = form_encoded(&[("grant_type", "refresh_token"), ("refresh_token", &token)]);
    let sent = async |secret: &str| {
        let request =
            form_request(super::TOKEN).header("authorization", basic_auth("wiki", secret));
        stranger.send_with(request, body.clone()).await
    };
    for _ in 0..10 {
        assert_oauth_error(&sent("wrong").await, 401, "invalid_client");
    }
    assert_oauth_error(&sent("wrong").await, 429, "temporarily_unavailable");
    // From there the right secret does not work either; elsewhere it does.
    assert_oauth_error(&sent(super::SECRET).await, 429, "temporarily_unavailable");
    let limit = [("limit", "oidc_client_failed")];
    let scraped = site.scrape().await;
    assert_eq!(scraped.value("account_limits_hit_total", &limit), 2.0);
    assert_eq!(
        request_token(&site, "wiki", &refresh_parameters(&token))
            .await
            .status,
        200
    );
    site.advance("1m");
    assert_eq!(
        sent(super::SECRET).await.status,
        400,
        "the token was exchanged"
    );
}

on_both_databases!(the_requests_of_a_client_and_of_a_network_are_limited);
async fn the_requests_of_a_client_and_of_a_network_are_limited(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            enable_provider(c);
            c.limits.oidc_token_client = "3/m".parse().unwrap();
            c.limits.oidc_authorize_ip = "2/m".parse().unwrap();
        })
        .await;
    let ada = site.signed_in("ada").await;
    let mut token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    for _ in 0..2 {
        let response = request_token(&site, "wiki", &refresh_parameters(&token)).await;
        token = text_value(&response.json(), "refresh_token");
    }
    assert_oauth_error(
        &request_token(&site, "wiki", &refresh_parameters(&token)).await,
        429,
        "temporarily_unavailable",
    );
    let request = wiki().request(&[]);
    assert_eq!(ada.browser.open(&request).await.status, 303);
    assert_oauth_error(
        &ada.browser.open(&request).await,
        429,
        "temporarily_unavailable",
    );
    site.advance("1m");
    assert_eq!(
        request_token(&site, "wiki", &refresh_parameters(&token))
            .await
            .status,
        200
    );
}
