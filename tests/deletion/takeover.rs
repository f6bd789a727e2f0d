//! Undo links of changes before a deletion was requested. `who_wins` has the attacks.

use axum::http::{Method, Request};

use super::request;
use crate::email_change::change_email;
use crate::passkeys::add_passkey;
use crate::support::Database;
use crate::support::authenticator::Authenticator;
use crate::support::mails::last_token_to;

const NEW: &str = "new@example.net";

on_both_databases!(an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion);
async fn an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let owner = site.signed_in("ada").await;
    change_email(&owner.browser, NEW).await;
    // The notice is still queued.
    request(&owner).await;
    let mails = site.mails().await;
    let undo_link = last_token_to(&mails, &owner.email, "was changed");
    last_token_to(&mails, &owner.email, "will be deleted");
    site.advance("13d 23h");
    site.run_expiry().await;
    assert_status!(site.browser().undo_email_change(&undo_link), 200);
}

on_both_databases!(opening_the_page_of_an_undo_link_changes_nothing);
async fn opening_the_page_of_an_undo_link_changes_nothing(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let owner = site.signed_in("ada").await;
    add_passkey(&owner.browser, &mut Authenticator::synced()).await;
    let credential = site.last_token_to(&owner.email, "passkey was added").await;
    let sql = "UPDATE sessions SET level_two_at = authenticated_at, methods = 'passkey'";
    site.execute(sql, &[]).await;
    change_email(&owner.browser, NEW).await;
    let address = site.last_token_to(&owner.email, "was changed").await;
    for link in [
        format!("/account/change-email?undo={address}"),
        format!("/account/undo?token={credential}"),
    ] {
        let browser = site.browser();
        for method in [Method::GET, Method::HEAD] {
            let answer = browser.send(Request::builder().method(method).uri(&link));
            assert_status!(answer, 200);
        }
    }
    assert_eq!(site.user("ada").await["email"], NEW);
    assert_status!(site.browser().undo_email_change(&address), 200);
}
