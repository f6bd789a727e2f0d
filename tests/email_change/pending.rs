//! The pending change that the settings show: its address, its end, and that it reveals no other account.

use axum::http::Request;
use serde_json::{Value, json};

use super::{confirm, confirm_change, mail_change_link, person_with_pending_change};
use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Person};

const NEW: &str = "new@example.org";

pub(super) async fn assert_pending(browser: &Browser, email: Option<&str>) {
    let state = browser.get("/security").await.json();
    assert_eq!(state.get("pending_email"), email.map(Value::from).as_ref());
}

async fn cancel(person: &Person) {
    person.browser.delete("/change-email").await.assert_empty();
}

on_both_databases!(a_pending_change_names_its_address_until_it_is_confirmed);
async fn a_pending_change_names_its_address_until_it_is_confirmed(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    assert_pending(&ada.browser, None).await;
    let user = ada.user().await;
    mail_change_link(&ada, "first@example.org").await;
    mail_change_link(&ada, "New@Example.org").await;
    // The mail need not be sent yet.
    assert_pending(&ada.browser, Some("New@Example.org")).await;
    let token = site.mail_to("New@Example.org").await.token();
    assert_pending(&ada.browser, Some("New@Example.org")).await;
    ada.browser.get("/users/me").await.assert_json(200, &user);
    let bob = site.signed_in("bob").await;
    assert_pending(&bob.browser, None).await;

    confirm_change(&ada.new_browser(), &token, "New@Example.org").await;
    assert_pending(&ada.browser, None).await;
    confirm_change(&ada.new_browser(), &token, "New@Example.org").await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(cancelling_invalidates_the_link_and_withdraws_the_mail);
async fn cancelling_invalidates_the_link_and_withdraws_the_mail(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let site = &ada.browser.site;
    let bob = site.signed_in("bob").await;
    cancel(&bob).await;
    assert_pending(&ada.browser, Some(NEW)).await;
    for _ in 0..2 {
        cancel(&ada).await;
        assert_pending(&ada.browser, None).await;
        assert_refused!(confirm(&ada.browser, &token), InvalidToken);
    }
    mail_change_link(&ada, NEW).await;
    cancel(&ada).await;
    assert!(site.mails().await.is_empty());
    assert_eq!(ada.user().await["email"], ada.email);
}

on_both_databases!(only_a_session_from_the_own_site_cancels);
async fn only_a_session_from_the_own_site_cancels(db: Database) {
    let (ada, token) = person_with_pending_change(&db).await;
    let stranger = ada.new_browser();
    for path in ["/security", "/users/me"] {
        assert_refused!(stranger.get(path), Unauthenticated);
    }
    assert_refused!(stranger.delete("/change-email"), Unauthenticated);
    let foreign = Request::delete("/account/account-api/change-email");
    let foreign = foreign.header("sec-fetch-site", "cross-site");
    assert_refused!(ada.browser.send(foreign), CrossSite);
    assert_pending(&ada.browser, Some(NEW)).await;
    confirm_change(&stranger, &token, NEW).await;
    ada.browser.site.mail_to(&ada.email).await;
}

// An account that proved its identity long ago may still withdraw its request, because that changes nothing else.
on_both_databases!(cancelling_needs_no_recent_proof_and_sending_again_does);
async fn cancelling_needs_no_recent_proof_and_sending_again_does(db: Database) {
    let site = db.strict_site().await;
    let ada = site.signed_in("ada").await;
    mail_change_link(&ada, NEW).await;
    site.mail_to(NEW).await;
    site.advance("30m");
    let refused = ada.browser.request_email_change(NEW).await.json();
    assert_eq!(refused["code"], "reauthentication_required");
    assert_pending(&ada.browser, Some(NEW)).await;
    cancel(&ada).await;
    assert_pending(&ada.browser, None).await;
}

on_both_databases!(in_profile_strict_a_pending_change_reveals_no_account);
// security: EN-5
async fn in_profile_strict_a_pending_change_reveals_no_account(db: Database) {
    let site = db.strict_site().await;
    let taken = site.member("taken").await.email;
    let ada = site.signed_in("ada").await;
    for email in [taken.as_str(), "free@example.org"] {
        mail_change_link(&ada, email).await;
        assert_pending(&ada.browser, Some(email)).await;
        // The lifetime of the mailed link begins later than that of the pending change.
        site.advance("1s");
        site.mail_to(email).await;
        site.advance("3598s");
        assert_pending(&ada.browser, Some(email)).await;
        site.advance("1s");
        assert_pending(&ada.browser, None).await;
        ada.browser
            .reauthenticate(&json!({"password": PASSWORD}))
            .await;
    }
}

on_both_databases!(a_refused_request_leaves_no_pending_change);
async fn a_refused_request_leaves_no_pending_change(db: Database) {
    let (ada, _) = person_with_pending_change(&db).await;
    let bob = ada.browser.site.member("bob").await;
    assert_refused!(ada.browser.request_email_change(&ada.email), EmailUnchanged);
    assert_pending(&ada.browser, Some(NEW)).await;
    assert_status!(ada.browser.request_email_change(&bob.email), 409);
    assert_pending(&ada.browser, None).await;
}

on_both_databases!(a_link_in_a_delayed_mail_works_for_its_whole_lifetime);
async fn a_link_in_a_delayed_mail_works_for_its_whole_lifetime(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    mail_change_link(&ada, NEW).await;
    // The mail server accepts the mail an hour later.
    site.advance("59m");
    let token = site.mail_to(NEW).await.token();
    site.advance("59m");
    site.run_expiry().await;
    assert_pending(&ada.browser, None).await;
    confirm_change(&ada.new_browser(), &token, NEW).await;
    site.mail_to(&ada.email).await;
}
