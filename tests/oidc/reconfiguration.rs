//! A restart with another configuration of a client, between a grant and its use.

use account::config::{Aal, OidcClient, Pkce, Scope, SigningAlgorithm};

use super::{
    WITHOUT_CHALLENGE, assert_invalid_grant, assert_oauth_error, enable_provider, id_token,
    provider_with_signed_in, refresh, refresh_form, refreshed, request_token, userinfo, wiki,
    with_changes,
};
use crate::prelude::*;

on_both_databases!(
    a_client_that_loses_a_scope_loses_its_claims,
    a_client_that_loses_offline_access_cannot_refresh,
    a_grant_below_the_level_of_its_client_is_refused,
    a_code_is_redeemed_by_the_present_rules_of_its_client,
    a_client_that_is_removed_gets_nothing_for_its_tokens
);

/// The site after a restart that changed the client `wiki`.
async fn restarted(db: &Database, change: impl FnOnce(&mut OidcClient)) -> Site {
    db.site_with(|c| {
        enable_provider(c);
        change(&mut c.oidc.clients[0]);
    })
    .await
}

/// The form that redeems a code of the client `wiki`.
async fn wiki_form(person: &Person) -> String {
    wiki().new_form(&person.browser).await
}

// security: OP-15
async fn a_client_that_loses_a_scope_loses_its_claims(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let form = wiki_form(&ada).await;
    let plain = restarted(&db, |wiki| {
        wiki.scopes = vec![Scope::Openid, Scope::OfflineAccess];
    })
    .await;
    let only_sub = json!({"sub": ada.user().await["id"]});
    assert_eq!(userinfo(&plain, &tokens).await.json(), only_sub);
    // A refresh may not ask for what is gone.
    let wide = refresh_form(&tokens) + "&scope=openid+email";
    let response = request_token(&plain, "wiki", &wide).await;
    assert_oauth_error(&response, 400, "invalid_scope");
    let next = refreshed(&plain, &tokens).await;
    let exchanged = assert_status!(request_token(&plain, "wiki", &form), 200);
    for tokens in [&next, &exchanged.json()] {
        assert_eq!(tokens["scope"], "openid offline_access");
        assert_eq!(userinfo(&plain, tokens).await.json(), only_sub);
    }
    // The grant is still whole: the operator may give the scopes back.
    let again = refreshed(&site, &next).await;
    assert_eq!(again["scope"], "openid profile email offline_access");
}

// security: OP-15
async fn a_client_that_loses_offline_access_cannot_refresh(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let form = wiki_form(&ada).await;
    let online = restarted(&db, |wiki| {
        wiki.scopes.retain(|scope| *scope != Scope::OfflineAccess);
    })
    .await;
    assert_oauth_error(&refresh(&online, &tokens).await, 400, "invalid_grant");
    assert_status!(userinfo(&online, &tokens), 200);
    let exchanged = request_token(&online, "wiki", &form).await.json();
    assert_eq!(exchanged["scope"], "openid profile email");
    assert_eq!(exchanged.get("refresh_token"), None);
    // The refused token was not used up.
    refreshed(&site, &tokens).await;
}

// security: OP-15
async fn a_grant_below_the_level_of_its_client_is_refused(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let form = wiki_form(&ada).await;
    let strict = restarted(&db, |wiki| wiki.aal = Aal::Two).await;
    assert_oauth_error(&refresh(&strict, &tokens).await, 400, "invalid_grant");
    assert_invalid_grant(&strict, "wiki", &form).await;
    assert_status!(request_token(&site, "wiki", &form), 200);
}

// security: OP-15
async fn a_code_is_redeemed_by_the_present_rules_of_its_client(db: Database) {
    let (_, ada) = provider_with_signed_in(&db, "ada").await;
    let party = wiki();
    let code = party.code_with(&ada.browser, WITHOUT_CHALLENGE).await;
    let without_pkce = with_changes(&party.token_form(&code), "code_verifier=");
    let strict = restarted(&db, |wiki| wiki.pkce = Pkce::Required).await;
    assert_invalid_grant(&strict, "wiki", &without_pkce).await;

    let form = party.new_form(&ada.browser).await;
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
async fn a_client_that_is_removed_gets_nothing_for_its_tokens(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let without = db
        .site_with(|c| {
            enable_provider(c);
            c.oidc.clients.remove(0);
        })
        .await;
    assert_oauth_error(&refresh(&without, &tokens).await, 401, "invalid_client");
    assert_oauth_error(&userinfo(&without, &tokens).await, 401, "invalid_token");
}
