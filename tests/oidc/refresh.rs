//! Refresh tokens rotate, and everything ends with the session.

use super::{
    Provider, REVOKE, assert_invalid_grant, assert_oauth_error, assert_tokens_ended,
    enable_provider, id_token, post_as_client, refresh, refresh_form, refreshed, request_token,
    site_with_provider, text_value, userinfo, wiki,
};
use crate::password_reset::reset_password;
use crate::prelude::*;

on_both_databases!(
    a_refresh_token_is_exchanged_for_its_successor,
    the_previous_token_works_for_the_grace_period_and_then_revokes_its_family,
    the_token_requests_of_a_session_are_limited,
    a_refresh_token_belongs_to_its_client_and_expires,
    a_refresh_may_narrow_the_scope_of_the_access_token,
    a_refresh_counts_as_activity_of_the_session,
    tokens_are_invalid_on_every_node_after_the_session,
    a_reauthentication_keeps_the_sign_in_of_the_application,
    revocation_ends_a_token_and_with_a_refresh_token_its_grant,
    the_settings_list_connected_apps_and_sign_out_of_them
);

async fn live_families(site: &Site) -> i64 {
    let sql = "SELECT COUNT(DISTINCT grant_id) FROM oidc_tokens WHERE kind = 'refresh'";
    site.value(sql).await
}

// security: OP-8
async fn a_refresh_token_is_exchanged_for_its_successor(Provider(site, ada): Provider) {
    let first = wiki().tokens(&site, &ada.browser).await;
    let (_, before) = id_token(&site, &first).await;
    site.advance("1h");
    let second = refreshed(&site, &first).await;
    assert_ne!(second["refresh_token"], first["refresh_token"]);
    assert_ne!(second["access_token"], first["access_token"]);
    let (_, after) = id_token(&site, &second).await;
    for same in ["iss", "sub", "aud", "sid", "auth_time", "acr", "amr"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["iat"], site.now() / 1000);
    assert_eq!(after.get("nonce"), None);
    assert_status!(userinfo(&site, &second), 200);
    assert_oauth_error(&userinfo(&site, &first).await, 401, "invalid_token");
}

// security: OP-8
async fn the_previous_token_works_for_the_grace_period_and_then_revokes_its_family(
    Provider(site, ada): Provider,
) {
    let first = wiki().tokens(&site, &ada.browser).await;
    let second = refreshed(&site, &first).await;
    site.advance("30s");
    let sibling = refreshed(&site, &first).await;
    assert_eq!(live_families(&site).await, 1);
    let third = refreshed(&site, &second).await;
    site.advance("1s");
    assert_oauth_error(&refresh(&site, &first).await, 400, "invalid_grant");
    for tokens in [&sibling, &third] {
        assert_tokens_ended(&site, tokens).await;
    }
    assert_eq!(live_families(&site).await, 0);
    let events = ada.browser.get("/activity").await.json();
    let event = &events["events"][0];
    assert_eq!(
        json!([event["kind"], event["actor"], event["details"]["reason"]]),
        json!(["app_signed_out", "system", "refresh_token_reused"])
    );
}

async fn the_token_requests_of_a_session_are_limited(Provider(site, ada): Provider) {
    let mut tokens = wiki().tokens(&site, &ada.browser).await;
    for _ in 1..300 {
        tokens = refreshed(&site, &tokens).await;
    }
    assert_status!(refresh(&site, &tokens), 429);
    // Another person of the same application is not affected.
    let bob = site.signed_in("bob").await;
    wiki().tokens(&site, &bob.browser).await;
    site.advance("1h");
    refreshed(&site, &tokens).await;
}

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
    for other in ["vault", "avatar"] {
        assert_invalid_grant(&site, other, &refresh_form(&tokens)).await;
    }
    let access = refresh_form(&json!({"refresh_token": tokens["access_token"]}));
    assert_invalid_grant(&site, "wiki", &access).await;
    site.advance("1h");
    assert_oauth_error(&refresh(&site, &tokens).await, 400, "invalid_grant");
}

async fn a_refresh_may_narrow_the_scope_of_the_access_token(Provider(site, ada): Provider) {
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let with = |scope: &str| format!("{}&scope={scope}", refresh_form(&tokens));
    let wide = request_token(&site, "wiki", &with("openid+address")).await;
    assert_oauth_error(&wide, 400, "invalid_scope");
    let narrow = request_token(&site, "wiki", &with("openid")).await.json();
    assert_eq!(narrow["scope"], "openid");
    let claims = userinfo(&site, &narrow).await.json();
    assert_eq!(claims, json!({"sub": ada.user().await["id"]}));
    let wide = refreshed(&site, &narrow).await;
    assert_eq!(wide["scope"], "openid profile email offline_access");
}

async fn a_refresh_counts_as_activity_of_the_session(Provider(site, ada): Provider) {
    let mut tokens = wiki().tokens(&site, &ada.browser).await;
    for _ in 0..4 {
        site.advance("6d");
        tokens = refreshed(&site, &tokens).await;
    }
    assert_status!(ada.browser.get("/users/me"), 200);
    // The absolute end of the session is not moved.
    site.advance("6d");
    assert_oauth_error(&refresh(&site, &tokens).await, 400, "invalid_grant");
}

// security: OP-7
async fn tokens_are_invalid_on_every_node_after_the_session(db: Database) {
    let site = site_with_provider(&db).await;
    let other = db.site_with(enable_provider).await;
    let ends = ["logout", "everywhere", "reset", "idle"];
    for (at, end) in ends.into_iter().enumerate() {
        let person = site.signed_in(&format!("ada{at}")).await;
        let tokens = wiki().tokens(&site, &person.browser).await;
        assert_status!(userinfo(&other, &tokens), 200);
        match end {
            "logout" => drop(assert_status!(person.browser.post_empty("/logout"), 204)),
            "everywhere" => person.browser.sign_out_everywhere().await,
            "reset" => reset_password(&person, &site.browser(), "Orange-Tree-43").await,
            _ => site.advance("7d"),
        }
        for node in [&site, &other] {
            assert_tokens_ended(node, &tokens).await;
        }
    }
}

async fn a_reauthentication_keeps_the_sign_in_of_the_application(Provider(site, ada): Provider) {
    let first = wiki().tokens(&site, &ada.browser).await;
    assert_status!(ada.browser.post("/reauthenticate", &ada.credentials()), 204);
    let (_, claims) = id_token(&site, &refreshed(&site, &first).await).await;
    let second = wiki().tokens(&site, &ada.browser).await;
    let (_, again) = id_token(&site, &second).await;
    assert_eq!(again["sid"], claims["sid"]);
}

// security: OP-7
async fn revocation_ends_a_token_and_with_a_refresh_token_its_grant(Provider(site, ada): Provider) {
    let tokens = wiki().tokens(&site, &ada.browser).await;
    let [access, token] = ["access_token", "refresh_token"].map(|name| text_value(&tokens, name));
    let revoke = async |id: &str, token: &str| {
        post_as_client(&site.browser(), REVOKE, id, &format!("token={token}")).await
    };
    // Another client's, and unknown ones: no error, no effect.
    for (id, token) in [
        ("vault", token.as_str()),
        ("avatar", &access),
        ("wiki", "x"),
    ] {
        assert_status!(revoke(id, token), 200);
    }
    assert_status!(userinfo(&site, &tokens), 200);
    assert_status!(revoke("wiki", &access), 200);
    assert_oauth_error(&userinfo(&site, &tokens).await, 401, "invalid_token");
    let next = refreshed(&site, &tokens).await;
    let response = revoke("wiki", &text_value(&next, "refresh_token")).await;
    assert_eq!((response.status.as_u16(), response.text()), (200, ""));
    assert_tokens_ended(&site, &next).await;
    let empty = post_as_client(&site.browser(), REVOKE, "wiki", "").await;
    assert_oauth_error(&empty, 400, "invalid_request");
    assert_status!(ada.browser.get("/users/me"), 200);
}

async fn the_settings_list_connected_apps_and_sign_out_of_them(Provider(site, ada): Provider) {
    let none = json!({"apps": []});
    assert_json!(ada.browser.get("/connected-apps"), 200, &none);
    let tokens = wiki().tokens(&site, &ada.browser).await;
    site.advance("1h");
    let next = refreshed(&site, &tokens).await;
    let expected = json!({"apps": [{
        "client_id": "wiki", "name": "wiki of ours",
        "first_used_at": "2026-11-21T12:00:00Z", "last_used_at": "2026-11-21T13:00:00Z",
    }]});
    assert_json!(ada.browser.get("/connected-apps"), 200, &expected);
    let eve = site.signed_in("eve").await;
    assert_status!(eve.browser.delete("/connected-apps/wiki"), 404);
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
