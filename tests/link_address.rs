//! The address that a link which sets a password was mailed to.

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
        assert_json!(ask(&stranger, &token), 200, &json!({"email": ada.email}));
    }
    for unknown in ["", "x", &"x".repeat(43)] {
        assert_refused!(ask(&stranger, unknown), InvalidToken);
    }
    assert_status!(confirm_reset(&ada.browser, &token, "Orange-Tree-43"), 200);
    site.mail_to(&ada.email).await;
    assert_refused!(ask(&stranger, &token), InvalidToken);
}

on_both_databases!(a_link_of_another_purpose_tells_no_address);
async fn a_link_of_another_purpose_tells_no_address(db: Database) {
    let site = db.site().await;
    let (ada, token) = site.registered("ada").await;
    assert_refused!(ask(&ada.browser, &token), InvalidToken);
}
