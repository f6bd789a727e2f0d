//! A restart with another configuration of a client, between a grant and its use.

use account::config::{Aal, OidcClient, Pkce, Scope, SigningAlgorithm};
use serde_json::json;

use super::{
    assert_invalid_grant, assert_oauth_error, enable_provider, id_token, provider_with_signed_in,
    refresh, refresh_parameters, request_token, text_value, userinfo, wiki,
};
use crate::support::{Database, Site};

/// The site after a restart that changed the client `wiki`.
async fn restarted(db: &Database, change: impl FnOnce(&mut OidcClient)) -> Site {
    db.site_with(|c| {
        enable_provider(c);
        change(&mut c.oidc.clients[0]);
    })
    .await
}

// security: OP-15
on_both_databases!(a_client_that_loses_a_scope_loses_its_claims);
async fn a_client_that_loses_a_scope_loses_its_claims(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let code = wiki();
    let form = code.token_form(&code.code(&ada.browser).await);
    let plain = restarted(&db, |wiki| {
        wiki.scopes = vec![Scope::Openid, Scope::OfflineAccess];
    })
    .await;
    let only_sub = json!({"sub": ada.user().await["id"]});
    let claims = userinfo(&plain, &text_value(&tokens, "access_token")).await;
    assert_eq!(claims.json(), only_sub);
    // A refresh may not ask for what is gone.
    let mut wide = refresh_parameters(&text_value(&tokens, "refresh_token"));
    wide.push(("scope".to_owned(), "openid email".to_owned()));
    let response = request_token(&plain, "wiki", &wide).await;
    assert_oauth_error(&response, 400, "invalid_scope");
    let next = refresh(&plain, &text_value(&tokens, "refresh_token")).await;
    let exchanged = request_token(&plain, "wiki", &form).await;
    for response in [&next, &exchanged] {
        assert_eq!(response.status, 200, "{}", response.text());
        let tokens = response.json();
        assert_eq!(tokens["scope"], "openid offline_access");
        let claims = userinfo(&plain, &text_value(&tokens, "access_token")).await;
        assert_eq!(claims.json(), only_sub);
    }
    // The grant is still whole: the operator may give the scopes back.
    let again = refresh(&site, &text_value(&next.json(), "refresh_token")).await;
    let scope = again.json()["scope"].clone();
    assert_eq!(scope, "openid profile email offline_access");
}

// security: OP-15
on_both_databases!(a_client_that_loses_offline_access_cannot_refresh);
async fn a_client_that_loses_offline_access_cannot_refresh(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let party = wiki();
    let form = party.token_form(&party.code(&ada.browser).await);
    let online = restarted(&db, |wiki| {
        wiki.scopes.retain(|scope| *scope != Scope::OfflineAccess);
    })
    .await;
    let token = text_value(&tokens, "refresh_token");
    assert_oauth_error(&refresh(&online, &token).await, 400, "invalid_grant");
    let access = text_value(&tokens, "access_token");
    assert_eq!(userinfo(&online, &access).await.status, 200);
    let exchanged = request_token(&online, "wiki", &form).await.json();
    assert_eq!(exchanged["scope"], "openid profile email");
    assert_eq!(exchanged.get("refresh_token"), None);
    // The refused token was not used up.
    assert_eq!(refresh(&site, &token).await.status, 200);
}

// security: OP-15
on_both_databases!(a_grant_below_the_level_of_its_client_is_refused);
async fn a_grant_below_the_level_of_its_client_is_refused(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let party = wiki();
    let form = party.token_form(&party.code(&ada.browser).await);
    let strict = restarted(&db, |wiki| wiki.aal = Aal::Two).await;
    let token = text_value(&tokens, "refresh_token");
    assert_oauth_error(&refresh(&strict, &token).await, 400, "invalid_grant");
    assert_invalid_grant(&strict, "wiki", &form).await;
    assert_eq!(request_token(&site, "wiki", &form).await.status, 200);
}

// security: OP-15
on_both_databases!(a_code_is_redeemed_by_the_present_rules_of_its_client);
async fn a_code_is_redeemed_by_the_present_rules_of_its_client(db: Database) {
    let (_, ada) = provider_with_signed_in(&db, "ada").await;
    let party = wiki();
    let plain = [("code_challenge", ""), ("code_challenge_method", "")];
    let code = party.code_with(&ada.browser, &plain).await;
    let mut without_pkce = party.token_form(&code);
    without_pkce.retain(|(name, _)| name != "code_verifier");
    let strict = restarted(&db, |wiki| wiki.pkce = Pkce::Required).await;
    assert_invalid_grant(&strict, "wiki", &without_pkce).await;

    let form = party.token_form(&party.code(&ada.browser).await);
    let moved = restarted(&db, |wiki| {
        wiki.redirect_uris = vec!["https://wiki.example.org/other".to_owned()];
    })
    .await;
    assert_invalid_grant(&moved, "wiki", &form).await;

    let other_key = restarted(&db, |wiki| wiki.id_token_alg = SigningAlgorithm::ES256).await;
    let tokens = request_token(&other_key, "wiki", &form).await.json();
    let (header, _) = id_token(&other_key, &tokens).await;
    assert_eq!(header["alg"], "ES256");
}

// security: OP-15
on_both_databases!(a_client_that_is_removed_gets_nothing_for_its_tokens);
async fn a_client_that_is_removed_gets_nothing_for_its_tokens(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let without = db
        .site_with(|c| {
            enable_provider(c);
            c.oidc.clients.remove(0);
        })
        .await;
    let response = refresh(&without, &text_value(&tokens, "refresh_token")).await;
    assert_oauth_error(&response, 401, "invalid_client");
    let response = userinfo(&without, &text_value(&tokens, "access_token")).await;
    assert_oauth_error(&response, 401, "invalid_token");
}
