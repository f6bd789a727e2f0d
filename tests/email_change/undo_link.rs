//! The undo link of an address change: mailed to the old address, valid for seven days under all later changes. An undo
//! is mailed to both addresses.

use account::testing::outbox::queues;
use serde_json::json;

use super::{assert_undo_mails, change_email, confirm_change, person_with_pending_change};
use crate::support::actors::form_with;
use crate::support::smtp::Smtp;
use crate::support::{Browser, Database};

/// Changes the address of the session. Returns the token of the undo link in the notice to the old address.
async fn change_address(browser: &Browser, old: &str, new: &str) -> String {
    change_email(browser, new).await;
    browser.site.mail_to(old).await.token()
}

/// Asserts that the link restores this address.
async fn assert_undoes(browser: &Browser, token: &str, email: &str) {
    let response = browser.undo_email_change(token).await;
    assert_eq!(response.json()["email"], email);
}

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
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);

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
    assert_undo_mails(&ada, "new@example.org").await;
    // Only the browser that opened the undo link is a trusted device now.
    ada.sign_in(&phone).await;
    ada.assert_needs_approval(&ada.browser).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(the_undo_link_lasts_seven_days);
async fn the_undo_link_lasts_seven_days(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let undo = change_address(&ada.browser, &ada.email, "new@example.org").await;
    site.advance("7d");
    assert_refused!(ada.new_browser().undo_email_change(&undo), InvalidToken);
}

on_both_databases!(registering_with_the_old_address_does_not_block_the_undo);
async fn registering_with_the_old_address_does_not_block_the_undo(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let undo = change_address(&ada.browser, &ada.email, "new@example.org").await;
    let squat = form_with("squatter", &json!({"email": ada.email}));
    assert_status!(site.browser().post("/register", &squat), 201);
    site.mail_to(&ada.email).await;

    assert_undoes(&ada.new_browser(), &undo, &ada.email).await;
    assert_undo_mails(&ada, "new@example.org").await;
    let rows = site.rows("SELECT username FROM accounts", &[]).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get::<String>(0), "ada");
}

on_both_databases!(a_second_change_keeps_the_undo_link_of_the_first);
// security: FI-8
async fn a_second_change_keeps_the_undo_link_of_the_first(db: Database) {
    let site = db.site().await;
    for (name, at) in [("ada", 0), ("bob", 1)] {
        let person = site.signed_in(name).await;
        let [second, third] = ["second", "third"].map(|nth| format!("{nth}{at}@example.org"));
        let first_undo = change_address(&person.browser, &person.email, &second).await;
        match at {
            0 => site.advance("1m"),
            _ => site.set_clock("2026-11-21T11:32:00Z"),
        }
        let second_undo = change_address(&person.browser, &second, &third).await;
        let stranger = person.new_browser();
        assert_undoes(&stranger, &first_undo, &person.email).await;
        assert_undo_mails(&person, &third).await;
        assert_refused!(stranger.undo_email_change(&second_undo), InvalidToken);
        assert_eq!(person.user().await["email"], person.email);
    }
}

on_both_databases!(an_undo_keeps_the_undo_links_of_earlier_changes);
async fn an_undo_keeps_the_undo_links_of_earlier_changes(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&ada.browser, &ada.email, "b@example.org").await;
    let second = change_address(&ada.browser, "b@example.org", "c@example.org").await;
    assert_undoes(&ada.new_browser(), &second, "b@example.org").await;
    assert_undoes(&ada.new_browser(), &first, &ada.email).await;
    assert_refused!(ada.new_browser().undo_email_change(&first), InvalidToken);
    assert_eq!(site.mails().await.len(), 4);
}

on_both_databases!(an_undo_is_refused_while_another_account_has_the_old_address);
async fn an_undo_is_refused_while_another_account_has_the_old_address(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    let token = change_address(&ada.browser, &ada.email, "new@example.org").await;
    change_address(&bob.browser, &bob.email, &ada.email).await;
    let owner = ada.new_browser();
    assert_refused!(owner.undo_email_change(&token), AccountExists);
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
    change_address(&bob.browser, &ada.email, &bob.email).await;
    assert_undoes(&owner, &token, &ada.email).await;
    ada.browser.assert_signed_out().await;
    site.mails().await;
}

// The notice may go to an address of a thief, who must not get a link that reverts the undo.
on_both_databases!(a_mail_retry_makes_no_link_for_an_undone_change);
async fn a_mail_retry_makes_no_link_for_an_undone_change(db: Database) {
    let smtp = Smtp::start().await;
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&ada.browser, &ada.email, "b@example.org").await;
    let sending = db.site_with_mail_server(&smtp).await;
    change_email(&ada.browser, "c@example.org").await;
    smtp.greylist("b@example.org", 2);
    assert_eq!(queues::drain_mails(&sending.app).await.unwrap(), 1);
    assert_undoes(&ada.new_browser(), &first, &ada.email).await;
    for _ in 0..30 {
        site.advance("10m");
        queues::drain_mails(&sending.app).await.unwrap();
    }
    let received = smtp.received();
    let undo_links = received.iter().filter(|mail| mail.undo_token().is_some());
    assert_eq!(undo_links.count(), 0);
    site.assert_count(
        "tokens WHERE purpose = 'email_undo' AND spent_at IS NULL",
        0,
    )
    .await;
    let mut to: Vec<_> = received.iter().map(|mail| mail.to.join(" ")).collect();
    to.sort();
    assert_eq!(
        to,
        ["ada@example.org", "c@example.org"],
        "the notices of the undo"
    );
}
