//! Limits of the provider.

use super::{asks, basic, encoded, form, provides, refreshing, refuses, text, wiki};
use crate::support::Database;

// security: OP-9
both!(failed_proofs_of_a_client_are_limited_by_client_and_network);
async fn failed_proofs_of_a_client_are_limited_by_client_and_network(db: Database) {
    let site = super::provider(&db).await;
    let ada = site.signed_in("ada").await;
    let token = text(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let stranger = site.browser();
    let body = encoded(&[("grant_type", "refresh_token"), ("refresh_token", &token)]);
    let sent = async |secret: &str| {
        let request = form(super::TOKEN).header("authorization", basic("wiki", secret));
        stranger.send_with(request, body.clone()).await
    };
    for _ in 0..10 {
        refuses(&sent("wrong").await, 401, "invalid_client");
    }
    refuses(&sent("wrong").await, 429, "temporarily_unavailable");
    // From there the right secret does not work either; elsewhere it does.
    refuses(&sent(super::SECRET).await, 429, "temporarily_unavailable");
    assert_eq!(asks(&site, "wiki", &refreshing(&token)).await.status, 200);
    site.wait("1m");
    assert_eq!(
        sent(super::SECRET).await.status,
        400,
        "the token was exchanged"
    );
}

both!(the_requests_of_a_client_and_of_a_network_are_limited);
async fn the_requests_of_a_client_and_of_a_network_are_limited(db: Database) {
    db.ignore_mails();
    let site = db
        .site_with(|c| {
            provides(c);
            c.limits.oidc_token_client = "3/m".parse().unwrap();
            c.limits.oidc_authorize_ip = "2/m".parse().unwrap();
        })
        .await;
    let ada = site.signed_in("ada").await;
    let mut token = text(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    for _ in 0..2 {
        let answer = asks(&site, "wiki", &refreshing(&token)).await;
        token = text(&answer.json(), "refresh_token");
    }
    refuses(
        &asks(&site, "wiki", &refreshing(&token)).await,
        429,
        "temporarily_unavailable",
    );
    let request = wiki().request(&[]);
    assert_eq!(ada.browser.open(&request).await.status, 303);
    refuses(
        &ada.browser.open(&request).await,
        429,
        "temporarily_unavailable",
    );
    site.wait("1m");
    assert_eq!(asks(&site, "wiki", &refreshing(&token)).await.status, 200);
}
