//! Authorization requests that open the registration.

use serde_json::json;

use super::authorize::{resume, ticket_of};
use super::{
    provider_with_signed_in, query_value, redirect_target, request_token, text_value, wiki,
};
use crate::forward_auth::config_of;
use crate::support::Database;
use crate::support::actors::{PASSWORD, form};

on_both_databases!(prompt_create_opens_the_registration_and_goes_on_after_the_sign_in);
async fn prompt_create_opens_the_registration_and_goes_on_after_the_sign_in(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let hint = text_value(&wiki().tokens(&site, &ada.browser).await, "id_token");
    site.advance("1s");
    let wiki = wiki();
    let create = [("prompt", "create"), ("id_token_hint", hint.as_str())];
    let signed_out = site.browser().open(&wiki.request(&create)).await;
    ticket_of(&signed_out, "/account/signup");
    // The present session is not enough.
    let response = ada.browser.open(&wiki.request(&create)).await;
    let ticket = ticket_of(&response, "/account/signup");
    let page = format!("/account/signup?continue={ticket}");
    let page = ada.browser.open(&page).await;
    assert_eq!(config_of(&page)["signing_in_to"], "wiki of ours");
    let url = redirect_target(&resume(&ada.browser, &ticket).await);
    assert_eq!(url.path(), "/account/");

    assert_status!(ada.browser.post("/register", &form("eve")), 201);
    let token = site.mail_to("eve@example.org").await.token();
    assert_eq!(ada.browser.confirm_email(&token).await.status, 200);
    let eve = json!({"email": "eve@example.org", "password": PASSWORD});
    assert_eq!(ada.browser.post("/login", &eve).await.status, 200);
    let url = redirect_target(&resume(&ada.browser, &ticket).await);
    let code = query_value(&url, "code").expect("a code");
    let tokens = request_token(&site, "wiki", &wiki.token_form(&code)).await;
    let access = text_value(&tokens.json(), "access_token");
    let claims = super::userinfo(&site, &access).await.json();
    assert_eq!(claims["preferred_username"], "eve");
}
