//! Undo links of changes before a deletion was requested. `who_wins` has the attacks.

use super::request;
use crate::email_change::change_email;
use crate::support::mails::last_token_to;
use crate::support::prelude::*;

on_both_databases!(an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion);

async fn an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion(
    Unlimited(site): Unlimited,
) {
    site.allow_unread_mails();
    let owner = site.signed_in("ada").await;
    change_email(&owner.browser, "new@example.net").await;
    // The notice is still queued.
    request(&owner).await;
    let mails = site.mails().await;
    let undo_link = last_token_to(&mails, &owner.email, "was changed");
    last_token_to(&mails, &owner.email, "will be deleted");
    site.advance("13d 23h");
    site.run_expiry().await;
    let browser = site.browser();
    // Opening a page does not use the link.
    for page in ["change-email?undo", "undo?token"] {
        let page = format!("/account/{page}={undo_link}");
        for method in [Method::GET, Method::HEAD] {
            assert_ok!(browser.send(Request::builder().method(method).uri(&page)));
        }
    }
    assert_ok!(browser.undo_email_change(&undo_link));
}
