//! Undoing an address change: the links that it ends, the links that it keeps, and the addresses that get a notice.

use account::testing::outbox::mails;

use crate::email_change::change_email;
use crate::support::smtp::Smtp;
use crate::support::{Database, Person, Site};

/// Asserts that the link of the first change restores the address and ends the link of the second.
async fn assert_only_first_undoes(ada: &Person, first: &str, second: &str) {
    let undone = ada.new_browser().undo_email_change(first).await;
    assert_eq!(undone.json()["email"], ada.email);
    assert_refused!(ada.new_browser().undo_email_change(second), InvalidToken);
}

/// Requests a change to another address and confirms it. Returns the token in the notice, whose mail is unread.
async fn change_address(site: &Site, person: &Person, from: &str, to: &str) -> String {
    change_email(&person.browser, to).await;
    site.mail_to(from).await.token()
}

// The new address loses the account, so its owner needs to know.
on_both_databases!(an_undo_is_mailed_to_both_addresses);
// security: SE-9
async fn an_undo_is_mailed_to_both_addresses(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let token = change_address(&site, &ada, &ada.email, "new@example.org").await;
    let response = ada.new_browser().undo_email_change(&token).await;
    assert_eq!(response.json()["email"], ada.email);
    let mut mails = site.mails().await;
    mails.sort_by(|a, b| a.to.cmp(&b.to));
    let seen: Vec<_> = mails.iter().map(|m| (&*m.to, &*m.subject)).collect();
    let expected = [
        (
            "ada@example.org",
            "Your localhost account is back at this address",
        ),
        (
            "new@example.org",
            "An account at localhost no longer uses this address",
        ),
    ];
    assert_eq!(seen, expected);
    assert!(!mails[1].has_token() && !mails[1].text.contains("ada"));
}

on_both_databases!(an_undo_keeps_the_undo_links_of_earlier_changes);
async fn an_undo_keeps_the_undo_links_of_earlier_changes(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&site, &ada, &ada.email, "b@example.org").await;
    let second = change_address(&site, &ada, "b@example.org", "c@example.org").await;
    assert_eq!(
        ada.new_browser().undo_email_change(&second).await.json()["email"],
        "b@example.org"
    );
    assert_eq!(
        ada.new_browser().undo_email_change(&first).await.json()["email"],
        ada.email
    );
    assert_refused!(ada.new_browser().undo_email_change(&first), InvalidToken);
    assert_eq!(site.mails().await.len(), 4);
}

on_both_databases!(an_undo_is_refused_while_another_account_has_the_old_address);
async fn an_undo_is_refused_while_another_account_has_the_old_address(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    let token = change_address(&site, &ada, &ada.email, "new@example.org").await;
    change_address(&site, &bob, &bob.email, &ada.email).await;
    let owner = ada.new_browser();
    assert_refused!(owner.undo_email_change(&token), AccountExists);
    assert_eq!(ada.browser.get("/users/me").await.status, 200);
    change_address(&site, &bob, &ada.email, &bob.email).await;
    assert_eq!(
        owner.undo_email_change(&token).await.json()["email"],
        ada.email
    );
    ada.browser.assert_signed_out().await;
    site.mails().await;
}

on_both_databases!(the_order_of_changes_holds_when_the_clock_is_set_back);
// security: FI-8
async fn the_order_of_changes_holds_when_the_clock_is_set_back(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&site, &ada, &ada.email, "b@example.org").await;
    site.set_clock("2026-11-21T11:30:00Z");
    let second = change_address(&site, &ada, "b@example.org", "c@example.org").await;
    assert_only_first_undoes(&ada, &first, &second).await;
    site.mails().await;
}

on_both_databases!(undo_links_of_the_previous_version_count_as_older);
async fn undo_links_of_the_previous_version_count_as_older(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&site, &ada, &ada.email, "b@example.org").await;
    site.execute_all(&[
        "UPDATE tokens SET change_number = NULL",
        "UPDATE accounts SET email_change_number = 0",
    ])
    .await;
    site.advance("1m");
    let second = change_address(&site, &ada, "b@example.org", "c@example.org").await;
    assert_only_first_undoes(&ada, &first, &second).await;
    site.mails().await;
}

// The notice may go to an address of a thief, who must not get a link that reverts the undo.
on_both_databases!(a_mail_retry_makes_no_link_for_an_undone_change);
async fn a_mail_retry_makes_no_link_for_an_undone_change(db: Database) {
    let smtp = Smtp::start().await;
    let (site, ada) = db.site_with_signed_in("ada").await;
    let first = change_address(&site, &ada, &ada.email, "b@example.org").await;
    let sending = db.site_with_mail_server(&smtp).await;
    change_email(&ada.browser, "c@example.org").await;
    smtp.greylist("b@example.org", 2);
    assert_eq!(mails::drain(&sending.app).await.unwrap(), 1);
    assert_eq!(
        ada.new_browser().undo_email_change(&first).await.json()["email"],
        ada.email
    );
    for _ in 0..30 {
        site.advance("10m");
        mails::drain(&sending.app).await.unwrap();
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
