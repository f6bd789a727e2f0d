//! The address that a link which sets a password was mailed to.

use account::testing::error::ErrorCode;
use serde_json::json;

use crate::password_reset::{confirm_reset, request_reset};
use crate::support::{Browser, Database, Response};

async fn ask(browser: &Browser, token: &str) -> Response {
    browser
        .post("/link-address", &json!({ "token": token }))
        .await
}

on_both_databases!(only_the_holder_of_a_valid_reset_link_learns_its_address);
async fn only_the_holder_of_a_valid_reset_link_learns_its_address(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    let stranger = site.browser();
    request_reset(&stranger, &ada.email).await;
    let token = site.mail_to(&ada.email).await.token();
    for _ in 0..2 {
        ask(&stranger, &token)
            .await
            .assert_json(200, &json!({"email": ada.email}));
    }
    for unknown in ["", "x", &"x".repeat(43)] {
        ask(&stranger, unknown)
            .await
            .assert_error(ErrorCode::InvalidToken);
    }
    let done = confirm_reset(&ada.browser, &token, "Orange-Tree-43").await;
    assert_eq!(done.status, 200);
    site.mail_to(&ada.email).await;
    ask(&stranger, &token)
        .await
        .assert_error(ErrorCode::InvalidToken);
}

on_both_databases!(a_link_of_another_purpose_tells_no_address);
async fn a_link_of_another_purpose_tells_no_address(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    ask(&ada.browser, &token)
        .await
        .assert_error(ErrorCode::InvalidToken);
}
