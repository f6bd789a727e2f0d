//! Parallel requests on two nodes, and a node that is killed.

use std::collections::HashSet;

use super::{refresh, refreshed, request_token, text_value, userinfo, wiki};
use crate::prelude::*;

on_both_databases!(
    of_200_parallel_redemptions_on_two_nodes_one_succeeds,
    parallel_refreshes_stay_one_family
);

/// Two nodes without limits, and a person who is signed in.
async fn nodes(db: &Database) -> ([Site; 2], Person) {
    let nodes = super::levels::nodes(db).await;
    let ada = nodes[0].signed_in("ada").await;
    (nodes, ada)
}

// security: OP-2
async fn of_200_parallel_redemptions_on_two_nodes_one_succeeds(db: Database) {
    let (nodes, ada) = nodes(&db).await;
    let wiki = wiki();
    let redemption = wiki.new_form(&ada.browser).await;
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
    assert_status!(userinfo(&nodes[1], &won[0].json()), 401);
    nodes[0].assert_count("oidc_tokens", 0).await;
}

// security: OP-8
async fn parallel_refreshes_stay_one_family(db: Database) {
    let (nodes, ada) = nodes(&db).await;
    let first = wiki().tokens(&nodes[0], &ada.browser).await;
    let all = (0..20).map(|at| {
        let (site, first) = (nodes[at % 2].clone(), first.clone());
        tokio::spawn(async move { refreshed(&site, &first).await })
    });
    let mut tokens = HashSet::new();
    for response in futures_util::future::join_all(all).await {
        tokens.insert(text_value(&response.unwrap(), "refresh_token"));
    }
    assert_eq!(tokens.len(), 20);
    let sql = "SELECT COUNT(DISTINCT grant_id) FROM oidc_tokens";
    assert_eq!(nodes[0].rows(sql, &[]).await[0].get::<i64>(0), 1);
    // A late use of the first one ends all of them.
    nodes[0].advance("31s");
    assert_status!(refresh(&nodes[1], &first), 400);
    for token in tokens {
        assert_status!(refresh(&nodes[0], &json!({"refresh_token": token})), 400);
    }
}
