//! Parallel requests on two nodes, and a node that is killed.

use std::collections::HashSet;

use super::{
    enable_provider, refresh, refresh_parameters, request_token, text_value, userinfo, wiki,
};
use crate::support::Database;

/// The settings of both nodes.
fn disable_limits(config: &mut account::config::Config) {
    enable_provider(config);
    config.limits.enabled = false;
}

// security: OP-2
on_both_databases!(of_200_parallel_redemptions_on_two_nodes_one_succeeds);
async fn of_200_parallel_redemptions_on_two_nodes_one_succeeds(db: Database) {
    db.allow_unread_mails();
    let nodes = [
        db.site_with(disable_limits).await,
        db.site_with(disable_limits).await,
    ];
    let ada = nodes[0].signed_in("ada").await;
    let wiki = wiki();
    let redemption = wiki.token_form(&wiki.code(&ada.browser).await);
    let all = (0..200).map(|at| {
        let (site, redemption) = (nodes[at % 2].clone(), redemption.clone());
        tokio::spawn(async move { request_token(&site, "wiki", &redemption).await })
    });
    let mut responses = Vec::new();
    for response in futures_util::future::join_all(all).await {
        responses.push(response.unwrap());
    }
    let won: Vec<_> = responses
        .iter()
        .filter(|response| response.status == 200)
        .collect();
    assert_eq!(won.len(), 1);
    for lost in responses.iter().filter(|response| response.status != 200) {
        // On a loaded machine some wait too long for the writer.
        let error = text_value(&lost.json(), "error");
        assert!(
            matches!(error.as_str(), "invalid_grant" | "temporarily_unavailable"),
            "{error}"
        );
    }
    // One of them was a second use, which ends the tokens of the first.
    let access = text_value(&won[0].json(), "access_token");
    assert_eq!(userinfo(&nodes[1], &access).await.status, 401);
    assert_eq!(nodes[0].count("oidc_tokens").await, 0);
}

// security: OP-8
on_both_databases!(parallel_refreshes_stay_one_family);
async fn parallel_refreshes_stay_one_family(db: Database) {
    db.allow_unread_mails();
    let nodes = [
        db.site_with(disable_limits).await,
        db.site_with(disable_limits).await,
    ];
    let ada = nodes[0].signed_in("ada").await;
    let token = text_value(
        &wiki().tokens(&nodes[0], &ada.browser).await,
        "refresh_token",
    );
    let all = (0..20).map(|at| {
        let (site, token) = (nodes[at % 2].clone(), token.clone());
        tokio::spawn(async move { request_token(&site, "wiki", &refresh_parameters(&token)).await })
    });
    let mut tokens = HashSet::new();
    for response in futures_util::future::join_all(all).await {
        let response = response.unwrap();
        assert_eq!(response.status, 200, "{}", response.text());
        tokens.insert(text_value(&response.json(), "refresh_token"));
    }
    assert_eq!(tokens.len(), 20);
    let sql = "SELECT COUNT(DISTINCT grant_id) FROM oidc_tokens";
    assert_eq!(nodes[0].rows(sql, &[]).await[0].get::<i64>(0), 1);
    // A late use of the first one ends all of them.
    nodes[0].advance("31s");
    assert_eq!(refresh(&nodes[1], &token).await.status, 400);
    for token in tokens {
        assert_eq!(refresh(&nodes[0], &token).await.status, 400);
    }
}
