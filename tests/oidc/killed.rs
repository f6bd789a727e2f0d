//! kill -9 while applications exchange refresh tokens: each application can continue with its last token.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use uuid::Uuid;

use super::program::{Installation, exchange_refresh_token};
use super::text_value;
use crate::prelude::*;
use crate::support::process::Caller;

on_both_databases!(an_application_keeps_its_sign_in_when_the_server_is_killed);

const KILLS: usize = 10;
const FAMILIES: usize = 4;

/// Exchanges its token again and again until the server is gone. Returns the token of the last response.
async fn exchange_until_killed(
    url: String,
    mut token: String,
    answered: Arc<AtomicUsize>,
) -> String {
    let caller = Caller::new();
    while let Some((status, response)) = exchange_refresh_token(&caller, &url, &token).await {
        assert_eq!(status, 200, "{response}");
        token = text_value(&response, "refresh_token");
        answered.fetch_add(1, Ordering::SeqCst);
    }
    token
}

/// The token that each application holds is exchanged, although the server may have exchanged it before it was killed.
async fn exchange_each(url: &str, tokens: &mut [String]) {
    let caller = Caller::new();
    for token in tokens {
        let (status, response) = exchange_refresh_token(&caller, url, token)
            .await
            .expect("a response");
        assert_eq!(status, 200, "{response}");
        *token = text_value(&response, "refresh_token");
    }
}

/// The families of the refresh tokens under a condition.
async fn token_families(site: &Site, condition: &str) -> BTreeSet<Uuid> {
    let sql =
        format!("SELECT DISTINCT grant_id FROM oidc_tokens WHERE kind = 'refresh' AND {condition}");
    site.column(&sql).await.into_iter().collect()
}

// security: OP-8
async fn an_application_keeps_its_sign_in_when_the_server_is_killed(db: Database) {
    let installation = Installation::prepare(&db).await;
    let mut tokens = installation.sign_ins(FAMILIES).await;
    let (site, first) = (&installation.site, tokens[0].clone());
    let started = token_families(site, "spent_at IS NULL").await;
    assert_eq!(started.len(), FAMILIES);
    for round in 0..KILLS {
        let mut server = installation.serve(&[]).await;
        exchange_each(&server.url, &mut tokens).await;
        let answered = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = tokens
            .iter()
            .map(|token| (server.url.clone(), token.clone(), answered.clone()))
            .map(|(url, token, answered)| tokio::spawn(exchange_until_killed(url, token, answered)))
            .collect();
        eventually("some exchanges", async || {
            answered.load(Ordering::SeqCst) > round % 8
        })
        .await;
        server.kill();
        for (token, task) in tokens.iter_mut().zip(tasks) {
            *token = task.await.unwrap();
        }
        // A token that is spent has a successor, and no family is new.
        let live = token_families(site, "spent_at IS NULL").await;
        assert_eq!(live, started, "round {round}");
        assert_eq!(
            token_families(site, "1 = 1").await,
            started,
            "round {round}"
        );
    }
    let mut server = installation.serve(&[]).await;
    exchange_each(&server.url, &mut tokens).await;
    server.kill();

    // Without a grace period the first token ends its family, all siblings included, and no other one.
    let strict = installation
        .serve(&[("ACCOUNT_OIDC__REFRESH_GRACE", "0s")])
        .await;
    let caller = Caller::new();
    for token in [&first, &tokens[0]] {
        let (status, response) = exchange_refresh_token(&caller, &strict.url, token)
            .await
            .unwrap();
        assert_eq!((status, &response["error"]), (400, &"invalid_grant".into()));
    }
    assert_eq!(token_families(site, "1 = 1").await.len(), FAMILIES - 1);
    exchange_each(&strict.url, &mut tokens[1..]).await;
}
