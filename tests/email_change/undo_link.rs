//! The undo link of an address change: mailed to the old address, valid for seven days under all later changes.

use serde_json::json;

use super::{assert_undo_mails, confirm_change, mail_change_link, person_with_pending_change};
use crate::support::Database;
use crate::support::actors::form_with;

on_both_databases!(confirming_a_change_mails_an_undo_link_to_the_old_address);
// security: SE-9
async fn confirming_a_change_mails_an_undo_link_to_the_old_address(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let phone = ada.new_browser();
    for _ in 0..2 {
        confirm_change(&phone, &token, "new@example.org").await;
    }
    assert_eq!(ada.user().await["email"], "new@example.org");
    ada.assert_signed_in(&ada.browser).await;
    assert_refused!(
        ada.browser.post("/login", &ada.credentials()),
        InvalidCredentials
    );

    let notice = site.mail_to(&ada.email).await;
    assert!(notice.link().contains("/account/change-email?undo="));
    assert!(!notice.text.contains("new@example.org") && notice.text.contains("n…@e….org"));
    let restored = json!({
        "message": "Your previous email address is back. Please sign in again.",
        "email": ada.email,
    });
    assert_json!(phone.undo_email_change(&notice.token()), 200, &restored);
    assert_refused!(phone.undo_email_change(&notice.token()), InvalidToken);
    ada.browser.assert_signed_out().await;
    assert_eq!(
        assert_undo_mails(site, &ada.email, "new@example.org").await,
        "Your localhost account is back at this address"
    );
    // Only the browser that opened the undo link is a trusted device now.
    ada.sign_in(&phone).await;
    ada.assert_needs_approval(&ada.browser).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(the_undo_link_lasts_seven_days);
async fn the_undo_link_lasts_seven_days(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    confirm_change(&ada.browser, &token, "new@example.org").await;
    let undo = site.mail_to(&ada.email).await.token();
    site.advance("7d");
    assert_refused!(ada.new_browser().undo_email_change(&undo), InvalidToken);
}

on_both_databases!(registering_with_the_old_address_does_not_block_the_undo);
async fn registering_with_the_old_address_does_not_block_the_undo(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    confirm_change(&ada.browser, &token, "new@example.org").await;
    let undo = site.mail_to(&ada.email).await.token();
    let squat = form_with("squatter", &json!({"email": ada.email}));
    assert_status!(site.browser().post("/register", &squat), 201);
    site.mail_to(&ada.email).await;

    let response = ada.new_browser().undo_email_change(&undo).await;
    assert_eq!(response.json()["email"], ada.email);
    assert_undo_mails(site, &ada.email, "new@example.org").await;
    let rows = site.rows("SELECT username FROM accounts", &[]).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get::<String>(0), "ada");
}

on_both_databases!(a_second_change_keeps_the_undo_link_of_the_first);
async fn a_second_change_keeps_the_undo_link_of_the_first(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    confirm_change(&ada.browser, &token, "new@example.org").await;
    let undo = site.mail_to(&ada.email).await.token();
    site.advance("1m");
    mail_change_link(&ada, "third@example.org").await;
    let token = site.mail_to("third@example.org").await.token();
    confirm_change(&ada.browser, &token, "third@example.org").await;
    let second_undo = site.mail_to("new@example.org").await.token();

    let response = ada.new_browser().undo_email_change(&undo).await;
    assert_eq!(response.json()["email"], ada.email);
    assert_undo_mails(site, &ada.email, "third@example.org").await;
    assert_refused!(
        ada.new_browser().undo_email_change(&second_undo),
        InvalidToken
    );
    let rows = site.rows("SELECT email FROM accounts", &[]).await;
    assert_eq!(rows[0].get::<String>(0), ada.email);
}
