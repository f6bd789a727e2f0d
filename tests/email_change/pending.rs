//! The pending change that the settings show: its address, its end, and that it reveals no other account.

use super::{NEW, PendingChange, change_link, confirm_change};
use crate::support::prelude::*;

async fn assert_pending(browser: &Browser, email: Option<&str>) {
    let state = browser.get_json("/security").await;
    assert_eq!(state.get("pending_email"), email.map(Value::from).as_ref());
}

async fn cancel(person: &Person) {
    person.browser.delete("/change-email").await.assert_empty();
}

on_both_databases!(
    a_pending_change_names_its_address_until_it_is_confirmed,
    cancelling_invalidates_the_link_and_withdraws_the_mail,
    only_a_session_from_the_own_site_cancels,
    cancelling_needs_no_recent_proof_and_sending_again_does,
    in_profile_strict_a_pending_change_reveals_no_account,
    a_refused_request_leaves_no_pending_change,
    a_link_in_a_delayed_mail_works_for_its_whole_lifetime,
);

async fn a_pending_change_names_its_address_until_it_is_confirmed((site, ada): (Site, Person)) {
    assert_pending(&ada.browser, None).await;
    let typed = "New@Example.org";
    for email in ["first@example.org", typed] {
        assert_ok!(ada.browser.request_email_change(email));
    }
    // The mail need not be sent yet.
    assert_pending(&ada.browser, Some(typed)).await;
    let token = site.mail_to(typed).await.token();
    assert_pending(&ada.browser, Some(typed)).await;
    ada.assert_still_signed_in().await;
    let bob = site.signed_in("bob").await;
    assert_pending(&bob.browser, None).await;
    for _ in 0..2 {
        confirm_change(&ada.new_browser(), &token, typed).await;
        assert_pending(&ada.browser, None).await;
    }
    ada.mail().await;
}

async fn cancelling_invalidates_the_link_and_withdraws_the_mail(
    PendingChange(site, ada, token): PendingChange,
) {
    cancel(&site.signed_in("bob").await).await;
    assert_pending(&ada.browser, Some(NEW)).await;
    for _ in 0..2 {
        cancel(&ada).await;
        assert_pending(&ada.browser, None).await;
        assert_refused!(ada.browser.confirm_email_change(&token), InvalidToken);
    }
    assert_ok!(ada.browser.request_email_change(NEW));
    cancel(&ada).await;
    assert!(site.mails().await.is_empty());
    assert_eq!(ada.user().await["email"], ada.email);
}

async fn only_a_session_from_the_own_site_cancels(PendingChange(_, ada, token): PendingChange) {
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
    ada.mail().await;
}

// An account that proved its identity long ago may still withdraw its request, because that changes nothing else.
async fn cancelling_needs_no_recent_proof_and_sending_again_does(db: Database) {
    let site = db.strict_site().await;
    let ada = site.signed_in("ada").await;
    change_link(&ada.browser, NEW).await;
    site.advance("30m");
    assert_code!(
        ada.browser.request_email_change(NEW),
        ReauthenticationRequired
    );
    assert_pending(&ada.browser, Some(NEW)).await;
    cancel(&ada).await;
    assert_pending(&ada.browser, None).await;
}

// security: EN-5
async fn in_profile_strict_a_pending_change_reveals_no_account(db: Database) {
    let site = db.strict_site().await;
    let taken = site.member("taken").await.email;
    let ada = site.signed_in("ada").await;
    for email in [taken.as_str(), "free@example.org"] {
        assert_ok!(ada.browser.request_email_change(email));
        assert_pending(&ada.browser, Some(email)).await;
        // The lifetime of the mailed link begins later than that of the pending change.
        site.advance("1s");
        site.mail_to(email).await;
        site.advance("3598s");
        assert_pending(&ada.browser, Some(email)).await;
        site.advance("1s");
        assert_pending(&ada.browser, None).await;
        ada.browser.reauthenticate(&ada.credentials()).await;
    }
}

async fn a_refused_request_leaves_no_pending_change(PendingChange(site, ada, _): PendingChange) {
    let bob = site.member("bob").await;
    assert_refused!(ada.browser.request_email_change(&ada.email), EmailUnchanged);
    assert_pending(&ada.browser, Some(NEW)).await;
    assert_status!(ada.browser.request_email_change(&bob.email), 409);
    assert_pending(&ada.browser, None).await;
}

async fn a_link_in_a_delayed_mail_works_for_its_whole_lifetime((site, ada): (Site, Person)) {
    assert_ok!(ada.browser.request_email_change(NEW));
    // The mail server accepts the mail an hour later.
    site.advance("59m");
    let token = site.mail_to(NEW).await.token();
    site.advance("59m");
    site.run_expiry().await;
    assert_pending(&ada.browser, None).await;
    confirm_change(&ada.new_browser(), &token, NEW).await;
    ada.mail().await;
}
