//! A registration that the browser of an earlier one corrects.

use account::testing::error::{ErrorCode, FieldRule};
use serde_json::json;

use crate::support::actors::form_with;
use crate::support::{Browser, Database, Response};

/// The same username with the address that was meant.
async fn correct(browser: &Browser) -> Response {
    let meant = form_with("robin", &json!({"email": "meant@example.org"}));
    browser.post("/register", &meant).await
}

on_both_databases!(a_registration_of_the_same_browser_replaces_the_unverified_account);
async fn a_registration_of_the_same_browser_replaces_the_unverified_account(db: Database) {
    let site = db.site().await;
    let (robin, dead) = site.registered("robin").await;
    site.advance("59m");
    let response = correct(&robin.browser).await;
    response.assert_json(
        201,
        &json!({"email": "meant@example.org", "username": "robin"}),
    );
    assert_eq!(site.count("accounts").await, 1);
    site.browser().assert_email_link_ended(&dead).await;
    let token = site.mail_to("meant@example.org").await.token();
    assert_eq!(robin.browser.confirm_email(&token).await.status, 200);
}

on_both_databases!(an_unsent_mail_of_the_replaced_account_is_withdrawn);
async fn an_unsent_mail_of_the_replaced_account_is_withdrawn(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let mistyped = form_with("robin", &json!({}));
    assert_eq!(browser.post("/register", &mistyped).await.status, 201);
    assert_eq!(correct(&browser).await.status, 201);
    site.mail_to("meant@example.org").await;
}

on_both_databases!(the_corrected_account_is_replaced_under_another_username_too);
async fn the_corrected_account_is_replaced_under_another_username_too(db: Database) {
    let site = db.site().await;
    let (robin, dead) = site.registered("robin").await;
    let changes = json!({"corrected_email": robin.email});
    assert_status!(
        robin.browser.post("/register", &form_with("kim", &changes)),
        201
    );
    site.mail_to("kim@example.org").await;
    site.browser().assert_email_link_ended(&dead).await;
    assert_eq!(site.count("accounts").await, 1);
}

on_both_databases!(another_person_in_the_same_browser_replaces_nothing);
async fn another_person_in_the_same_browser_replaces_nothing(db: Database) {
    let site = db.site().await;
    let (robin, token) = site.registered("robin").await;
    let response = robin
        .browser
        .post("/register", &form_with("kim", &json!({})))
        .await;
    assert_eq!(response.status, 201);
    site.mail_to("kim@example.org").await;
    assert_eq!(robin.browser.confirm_email(&token).await.status, 200);
}

on_both_databases!(a_refused_registration_of_the_same_browser_keeps_the_account);
async fn a_refused_registration_of_the_same_browser_keeps_the_account(db: Database) {
    let site = db.site().await;
    let kim = site.member("kim").await;
    let (robin, token) = site.registered("robin").await;
    let taken = ("email", FieldRule::AccountExists);
    let in_use = ("username", FieldRule::UsernameInUse);
    for (email, fields) in [(&robin.email, &[taken, in_use][..]), (&kim.email, &[taken])] {
        let form = form_with("robin", &json!({"email": email}));
        let response = robin.browser.post("/register", &form).await;
        response.assert_field_errors(ErrorCode::AccountExists, fields);
    }
    assert_eq!(robin.browser.confirm_email(&token).await.status, 200);
}

on_both_databases!(other_browsers_late_and_verified_registrations_replace_nothing);
async fn other_browsers_late_and_verified_registrations_replace_nothing(db: Database) {
    let site = db.site().await;
    let (robin, token) = site.registered("robin").await;
    correct(&site.browser()).await.assert_username_in_use();
    let named = json!({"email": "meant@example.org", "corrected_email": robin.email});
    let response = site
        .browser()
        .post("/register", &form_with("robin", &named))
        .await;
    response.assert_username_in_use();

    let verified = site.member("kim").await;
    let changes = json!({"email": "meant@example.org", "corrected_email": verified.email});
    let response = verified
        .browser
        .post("/register", &form_with("kim", &changes))
        .await;
    response.assert_username_in_use();

    site.advance("1h");
    correct(&robin.browser).await.assert_username_in_use();
    assert_eq!(robin.browser.confirm_email(&token).await.status, 200);
    assert_eq!(site.count("accounts").await, 2);
}

on_both_databases!(a_disabled_registration_is_not_replaced);
async fn a_disabled_registration_is_not_replaced(db: Database) {
    let site = db.site().await;
    let (robin, _) = site.registered("robin").await;
    let sql = "UPDATE accounts SET disabled_at = 1";
    site.execute(sql, &[]).await;
    correct(&robin.browser).await.assert_username_in_use();
}

on_both_databases!(in_profile_strict_a_correction_reveals_no_address);
async fn in_profile_strict_a_correction_reveals_no_address(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let member = site.member("kim").await;
    for (name, first) in [
        ("alex", member.email.as_str()),
        ("robin", "free@example.org"),
    ] {
        let browser = site.browser();
        let try_with = |email: &str| {
            let form = form_with(name, &json!({"email": email}));
            let browser = &browser;
            async move { browser.post("/register", &form).await }
        };
        // A taken address in between replaces the earlier account too.
        for email in [first, first, &member.email, &format!("{name}@example.org")] {
            site.advance("40m");
            assert_eq!(try_with(email).await.status, 201, "{name} {email}");
        }
        let other = form_with(name, &json!({"email": "x@example.org"}));
        let response = site.browser().post("/register", &other).await;
        response.assert_username_in_use();
        site.advance("1h");
        try_with(first).await.assert_username_in_use();
    }
    assert_eq!(site.count("accounts").await, 3);
}
