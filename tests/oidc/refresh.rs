//! Refresh tokens rotate, and everything ends with the session.

use serde_json::{Value, json};

use super::{
    assert_invalid_grant, assert_oauth_error, assert_tokens_ended, enable_provider, id_token,
    post_as_client, provider_with_signed_in, refresh, refresh_parameters, request_token,
    site_with_provider, text_value, userinfo, wiki,
};
use crate::password_reset::reset_password;
use crate::support::{Database, Site};

async fn refresh_tokens(site: &Site, token: &str) -> Value {
    let response = assert_status!(refresh(site, token), 200);
    response.json()
}

async fn live_families(site: &Site) -> i64 {
    let sql = "SELECT COUNT(DISTINCT grant_id) FROM oidc_tokens WHERE kind = 'refresh'";
    site.rows(sql, &[]).await[0].get(0)
}

// security: OP-8
on_both_databases!(a_refresh_token_is_exchanged_for_its_successor);
async fn a_refresh_token_is_exchanged_for_its_successor(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let first = wiki().tokens(&site, &ada.browser).await;
    let (_, before) = id_token(&site, &first).await;
    site.advance("1h");
    let second = refresh_tokens(&site, &text_value(&first, "refresh_token")).await;
    assert_ne!(second["refresh_token"], first["refresh_token"]);
    assert_ne!(second["access_token"], first["access_token"]);
    let (_, after) = id_token(&site, &second).await;
    for same in ["iss", "sub", "aud", "sid", "auth_time", "acr", "amr"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["iat"], site.now() / 1000);
    assert_eq!(after.get("nonce"), None);
    assert_status!(userinfo(&site, &text_value(&second, "access_token")), 200);
    let response = userinfo(&site, &text_value(&first, "access_token")).await;
    assert_oauth_error(&response, 401, "invalid_token");
}

// security: OP-8
on_both_databases!(the_previous_token_works_for_the_grace_period_and_then_revokes_its_family);
async fn the_previous_token_works_for_the_grace_period_and_then_revokes_its_family(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let first = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let second = text_value(&refresh_tokens(&site, &first).await, "refresh_token");
    site.advance("30s");
    let sibling = refresh_tokens(&site, &first).await;
    assert_eq!(live_families(&site).await, 1);
    let third = refresh_tokens(&site, &second).await;
    site.advance("1s");
    assert_oauth_error(&refresh(&site, &first).await, 400, "invalid_grant");
    for tokens in [&sibling, &third] {
        assert_tokens_ended(&site, tokens).await;
    }
    assert_eq!(live_families(&site).await, 0);
    let events = ada.browser.get("/activity").await.json();
    let event = &events["events"][0];
    assert_eq!(
        (&event["kind"], &event["actor"]),
        (&json!("app_signed_out"), &json!("system"))
    );
    assert_eq!(event["details"]["reason"], "refresh_token_reused");
}

on_both_databases!(the_token_requests_of_a_session_are_limited);
async fn the_token_requests_of_a_session_are_limited(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let mut token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    for _ in 1..300 {
        token = text_value(&refresh_tokens(&site, &token).await, "refresh_token");
    }
    assert_eq!(refresh(&site, &token).await.status, 429);
    // Another person of the same application is not affected.
    let bob = site.signed_in("bob").await;
    wiki().tokens(&site, &bob.browser).await;
    site.advance("1h");
    refresh_tokens(&site, &token).await;
}

on_both_databases!(a_refresh_token_belongs_to_its_client_and_expires);
async fn a_refresh_token_belongs_to_its_client_and_expires(db: Database) {
    let site = db
        .site_with(|c| {
            enable_provider(c);
            c.oidc.refresh_token = "1h".parse().unwrap();
        })
        .await;
    db.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let token = text_value(&tokens, "refresh_token");
    for other in ["vault", "avatar"] {
        assert_invalid_grant(&site, other, &refresh_parameters(&token)).await;
    }
    let access = refresh_parameters(&text_value(&tokens, "access_token"));
    assert_invalid_grant(&site, "wiki", &access).await;
    site.advance("1h");
    assert_oauth_error(&refresh(&site, &token).await, 400, "invalid_grant");
}

on_both_databases!(a_refresh_may_narrow_the_scope_of_the_access_token);
async fn a_refresh_may_narrow_the_scope_of_the_access_token(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let with = |scope: &str| {
        [
            refresh_parameters(&token),
            vec![("scope".to_owned(), scope.to_owned())],
        ]
        .concat()
    };
    let wide = request_token(&site, "wiki", &with("openid address")).await;
    assert_oauth_error(&wide, 400, "invalid_scope");
    let narrow = request_token(&site, "wiki", &with("openid")).await.json();
    assert_eq!(narrow["scope"], "openid");
    let claims = userinfo(&site, &text_value(&narrow, "access_token"))
        .await
        .json();
    assert_eq!(claims, json!({"sub": ada.user().await["id"]}));
    let wide = refresh_tokens(&site, &text_value(&narrow, "refresh_token")).await;
    assert_eq!(wide["scope"], "openid profile email offline_access");
}

on_both_databases!(a_refresh_counts_as_activity_of_the_session);
async fn a_refresh_counts_as_activity_of_the_session(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let mut token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    for _ in 0..4 {
        site.advance("6d");
        token = text_value(&refresh_tokens(&site, &token).await, "refresh_token");
    }
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
    // The absolute end of the session is not moved.
    site.advance("6d");
    assert_oauth_error(&refresh(&site, &token).await, 400, "invalid_grant");
}

// security: OP-7
on_both_databases!(tokens_are_invalid_on_every_node_after_the_session);
async fn tokens_are_invalid_on_every_node_after_the_session(db: Database) {
    let site = site_with_provider(&db).await;
    let other = db.site_with(enable_provider).await;
    let ends = ["logout", "everywhere", "reset", "idle"];
    for (at, end) in ends.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{at}")).await;
        let tokens = wiki().tokens(&site, &person.browser).await;
        let access = text_value(&tokens, "access_token");
        assert_eq!(userinfo(&other, &access).await.status, 200);
        match end {
            "logout" => assert_eq!(person.browser.post_empty("/logout").await.status, 204),
            "everywhere" => {
                let response = person.browser.post_empty("/devices/sign-out-all").await;
                assert!(response.status.is_success(), "{}", response.text());
            }
            "reset" => reset_password(&person, &site.browser(), "Orange-Tree-43").await,
            _ => site.advance("7d"),
        }
        for node in [&site, &other] {
            assert_tokens_ended(node, &tokens).await;
        }
    }
}

on_both_databases!(a_reauthentication_keeps_the_sign_in_of_the_application);
async fn a_reauthentication_keeps_the_sign_in_of_the_application(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let first = wiki().tokens(&site, &ada.browser).await;
    assert_status!(ada.browser.post("/reauthenticate", &ada.credentials()), 204);
    let token = refresh_tokens(&site, &text_value(&first, "refresh_token")).await;
    let (_, claims) = id_token(&site, &token).await;
    let second = wiki().tokens(&site, &ada.browser).await;
    let (_, again) = id_token(&site, &second).await;
    assert_eq!(again["sid"], claims["sid"]);
}

// security: OP-7
on_both_databases!(revocation_ends_a_token_and_with_a_refresh_token_its_grant);
async fn revocation_ends_a_token_and_with_a_refresh_token_its_grant(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let (access, token) = (
        text_value(&tokens, "access_token"),
        text_value(&tokens, "refresh_token"),
    );
    let revoke = async |id: &str, token: &str| {
        let form = [("token".to_owned(), token.to_owned())];
        post_as_client(&site.browser(), "/account/oidc/revoke", id, &form).await
    };
    // Another client's, and unknown ones: no error, no effect.
    for (id, token) in [
        ("vault", token.as_str()),
        ("avatar", &access),
        ("wiki", "x"),
    ] {
        assert_eq!(revoke(id, token).await.status, 200);
    }
    assert_eq!(userinfo(&site, &access).await.status, 200);
    assert_eq!(revoke("wiki", &access).await.status, 200);
    assert_oauth_error(&userinfo(&site, &access).await, 401, "invalid_token");
    let next = refresh_tokens(&site, &token).await;
    let response = revoke("wiki", &text_value(&next, "refresh_token")).await;
    assert_eq!((response.status.as_u16(), response.text()), (200, ""));
    assert_tokens_ended(&site, &next).await;
    let empty = post_as_client(&site.browser(), "/account/oidc/revoke", "wiki", &[]).await;
    assert_oauth_error(&empty, 400, "invalid_request");
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
}

on_both_databases!(the_settings_list_connected_apps_and_sign_out_of_them);
async fn the_settings_list_connected_apps_and_sign_out_of_them(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let none = json!({"apps": []});
    assert_json!(ada.browser.get("/connected-apps"), 200, &none);
    let tokens = wiki().tokens(&site, &ada.browser).await;
    site.advance("1h");
    let next = refresh_tokens(&site, &text_value(&tokens, "refresh_token")).await;
    let expected = json!({"apps": [{
        "client_id": "wiki", "name": "wiki of ours",
        "first_used_at": "2026-11-21T12:00:00Z", "last_used_at": "2026-11-21T13:00:00Z",
    }]});
    assert_json!(ada.browser.get("/connected-apps"), 200, &expected);
    let eve = site.signed_in("eve").await;
    assert_eq!(eve.browser.delete("/connected-apps/wiki").await.status, 404);
    assert_status!(ada.browser.delete("/connected-apps/stranger"), 404);
    ada.browser
        .delete("/connected-apps/wiki")
        .await
        .assert_empty();
    assert_json!(ada.browser.get("/connected-apps"), 200, &none);
    assert_tokens_ended(&site, &next).await;
    let events = ada.browser.get("/activity").await.json();
    assert_eq!(events["events"][0]["kind"], "app_signed_out");
    // The next visit signs in again without a question.
    wiki().tokens(&site, &ada.browser).await;
}
