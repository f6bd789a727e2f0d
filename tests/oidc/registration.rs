//! Authorization requests that open the registration.

use super::{Provider, code_in, resume, text_value, userinfo, wiki};
use crate::forward_auth::config_of;
use crate::prelude::*;

on_both_databases!(prompt_create_opens_the_registration_and_goes_on_after_the_sign_in);

async fn prompt_create_opens_the_registration_and_goes_on_after_the_sign_in(
    Provider(site, ada): Provider,
) {
    let wiki = wiki();
    let tokens = wiki.tokens(&site, &ada.browser).await;
    site.advance("1s");
    let hint = text_value(&tokens, "id_token");
    let create = format!("prompt=create&id_token_hint={hint}");
    wiki.ticket(&site.browser(), &create, "/account/signup")
        .await;
    // The present session is not enough.
    let ticket = wiki.ticket(&ada.browser, &create, "/account/signup").await;
    let page = format!("/account/signup?continue={ticket}");
    let page = ada.browser.open(&page).await;
    assert_eq!(config_of(&page)["signing_in_to"], "wiki of ours");
    assert_eq!(resume(&ada.browser, &ticket).await.path(), "/account/");

    assert_status!(ada.browser.post("/register", &form("eve")), 201);
    let token = site.mail_to("eve@example.org").await.token();
    assert_status!(ada.browser.confirm_email(&token), 200);
    let eve = json!({"email": "eve@example.org", "password": PASSWORD});
    assert_status!(ada.browser.post("/login", &eve), 200);
    let url = resume(&ada.browser, &ticket).await;
    let tokens = wiki.redeem(&site, &code_in(&url)).await;
    let claims = userinfo(&site, &tokens).await.json();
    assert_eq!(claims["preferred_username"], "eve");
}
