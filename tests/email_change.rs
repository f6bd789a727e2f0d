//! Change of the email address: requested while signed in, confirmed from the new mailbox, undone from
//! the old one.

mod pending;
mod undo_link;

use account::config::Profile;

use crate::password_change::change_password;
use crate::support::fixture::Fixture;
use crate::support::prelude::*;

/// Requests the change. Returns the token that the new mailbox gets.
pub async fn change_link(browser: &Browser, new: &str) -> String {
    assert_json!(browser.request_email_change(new), 200, &sent_body());
    browser.site.mail_to(new).await.token()
}

/// Changes the address of the session, and confirms it with the link in the new mailbox.
pub async fn change_email(browser: &Browser, new: &str) {
    let token = change_link(browser, new).await;
    assert_ok!(browser.confirm_email_change(&token));
}

/// The address that Ada's pending change asks for.
const NEW: &str = "new@example.org";

/// A site, the signed-in person `ada` with a pending change, and the token that the new mailbox got.
struct PendingChange(Site, Person, String);

impl Fixture for PendingChange {
    async fn of(db: &Database) -> PendingChange {
        let (site, ada) = db.site_with_signed_in("ada").await;
        let token = change_link(&ada.browser, NEW).await;
        PendingChange(site, ada, token)
    }
}

fn sent_body() -> Value {
    json!({"message": "Email change request sent. Please check your email to confirm."})
}

fn changed_body(email: &str) -> Value {
    json!({"message": "Email changed successfully!", "email": email})
}

/// Opens the mailed link, which changes the address to this one.
async fn confirm_change(browser: &Browser, token: &str, email: &str) {
    assert_json!(
        browser.confirm_email_change(token),
        200,
        &changed_body(email)
    );
}

/// Asserts that the undo of a change is mailed to both addresses. The mail to the one that lost the account, which
/// may be a stranger's, does not contain the username.
async fn assert_undo_mails(person: &Person, gone: &str) {
    let mut mails = person.browser.site.mails().await;
    mails.sort_by_key(|mail| mail.to == gone);
    let seen: Vec<_> = mails.iter().map(|m| (&*m.to, &*m.subject)).collect();
    let back = "Your localhost account is back at this address";
    let no_longer = "An account at localhost no longer uses this address";
    assert_eq!(seen, [(&*person.email, back), (gone, no_longer)]);
    assert!(mails.iter().all(|mail| !mail.has_token()));
    assert!(!mails[1].text.contains(&person.name));
}

on_both_databases!(
    another_spelling_of_the_own_address_is_a_change,
    only_the_verified_mailbox_is_greeted_by_username,
    a_request_that_the_database_fails_does_not_end_the_pending_link,
    a_used_link_confirms_only_while_its_change_is_in_force,
    a_link_changes_the_requesting_account_in_any_browser,
    the_current_and_a_taken_address_are_refused,
    an_address_that_was_verified_meanwhile_is_a_conflict,
    an_unverified_registration_yields_to_an_address_change,
    a_head_request_prefetch_or_foreign_site_confirms_no_change,
    a_new_request_ends_any_pending_change,
);

async fn another_spelling_of_the_own_address_is_a_change((_, ada): (Site, Person)) {
    let respelled = "Ada@Example.ORG";
    assert_refused!(ada.browser.request_email_change(&ada.email), EmailUnchanged);
    change_email(&ada.browser, respelled).await;
    let undo = ada.mailed_token().await;
    assert_eq!(ada.user().await["email"], respelled);
    assert_ok!(ada.new_browser().undo_email_change(&undo));
    assert_eq!(ada.user().await["email"], ada.email);
    assert_undo_mails(&ada, respelled).await;
}

async fn only_the_verified_mailbox_is_greeted_by_username(site: Site) {
    let ada = site.person("ada");
    assert_status!(ada.browser.post("/register", &form("ada")), 201);
    let verification = ada.mail().await;
    assert_ok!(ada.browser.confirm_email(&verification.token()));
    ada.sign_in(&ada.browser).await;
    assert_ok!(ada.browser.request_email_change(NEW));
    let confirmation = site.mail_to(NEW).await;
    confirm_change(&ada.browser, &confirmation.token(), NEW).await;
    let mut mails = vec![
        (verification, "there"),
        (confirmation, "there"),
        (ada.mail().await, "there"),
    ];
    assert_ok!(change_password(&ada.browser, PASSWORD, "Another-1"));
    let later = site.mails().await.into_iter();
    mails.extend(later.map(|mail| match mail.to == NEW {
        true => (mail, "ada"),
        false => (mail, "there"),
    }));
    for (mail, name) in mails {
        let greeting = format!("Hi {name},");
        assert!(mail.text.starts_with(&greeting), "{}", mail.text);
    }
}

async fn a_request_that_the_database_fails_does_not_end_the_pending_link(
    PendingChange(site, ada, token): PendingChange,
) {
    let rename = async |from: &str, to: &str| {
        let sql = format!("ALTER TABLE {from} RENAME TO {to}");
        site.execute(&sql, &[]).await;
    };
    rename("legacy_accounts", "away").await;
    assert_status!(ada.browser.request_email_change("other@example.org"), 500);
    rename("away", "legacy_accounts").await;
    confirm_change(&ada.browser, &token, NEW).await;
    ada.mail().await;
}

async fn a_used_link_confirms_only_while_its_change_is_in_force(
    PendingChange(site, ada, first): PendingChange,
) {
    let phone = ada.new_browser();
    confirm_change(&phone, &first, NEW).await;
    let undo = ada.mailed_token().await;
    let third = "third@example.org";
    let second = change_link(&ada.browser, third).await;
    confirm_change(&phone, &first, NEW).await;
    for _ in 0..2 {
        confirm_change(&phone, &second, third).await;
    }
    site.mail_to(NEW).await;
    assert_refused!(phone.confirm_email_change(&first), InvalidToken);

    assert_ok!(phone.undo_email_change(&undo));
    assert_undo_mails(&ada, third).await;
    for token in [&first, &second] {
        assert_refused!(phone.confirm_email_change(token), InvalidToken);
    }
}

// security: AZ-5
async fn a_link_changes_the_requesting_account_in_any_browser(
    PendingChange(site, eve, token): PendingChange,
) {
    let victim = site.signed_in("victim").await;
    confirm_change(&victim.browser, &token, NEW).await;
    victim.assert_still_signed_in().await;
    eve.assert_still_signed_in().await;
    eve.mail().await;
}

// security: EN-5
async fn the_current_and_a_taken_address_are_refused(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.member("bob").await);
    let ask = async |email: &str| ada.browser.request_email_change(email).await;
    assert_refused!(ask(" ada@example.org\u{200b}"), EmailUnchanged);
    assert_refused!(ask(&bob.email), AccountExists, Message::ErrorEmailTaken);
    ask("").await.assert_broken_rule(FieldRule::EmailMissing);
    ask("bob").await.assert_broken_rule(FieldRule::EmailInvalid);

    let strict = db.strict_site().await;
    let kim = strict.signed_in("kim").await.browser;
    assert_json!(kim.request_email_change(&bob.email), 200, &sent_body());
    let mail = bob.mail().await;
    assert_eq!(mail.subject, "Someone entered your address at localhost");
    assert!(!mail.has_token());
    change_link(&kim, "free@example.org").await;
}

async fn an_address_that_was_verified_meanwhile_is_a_conflict(
    PendingChange(site, ada, token): PendingChange,
) {
    let kim = site.browser();
    assert_status!(kim.register("kim", &json!({"email": NEW})), 201);
    kim.confirm_email(&site.mail_to(NEW).await.token()).await;
    let confirm = ada.browser.confirm_email_change(&token);
    assert_refused!(confirm, AccountExists, Message::ErrorEmailTaken);
    ada.assert_still_signed_in().await;
}

// security: SE-4
async fn an_unverified_registration_yields_to_an_address_change(
    PendingChange(site, ada, token): PendingChange,
) {
    assert_status!(site.browser().register("kim", &json!({"email": NEW})), 201);
    let proof = site.mail_to(NEW).await.token();
    confirm_change(&ada.browser, &token, NEW).await;
    site.browser().assert_email_link_ended(&proof).await;
    ada.mail().await;
    // The registration may also be older than the request, and be repeated.
    assert_status!(
        site.browser()
            .register("kit", &json!({"email": "mine@example.org"})),
        201
    );
    site.mail_to("mine@example.org").await;
    let token = change_link(&ada.browser, "mine@example.org").await;
    confirm_change(&ada.browser, &token, "mine@example.org").await;
    site.mail_to(NEW).await;
}

// security: CS-5
async fn a_head_request_prefetch_or_foreign_site_confirms_no_change(
    PendingChange(_, ada, token): PendingChange,
) {
    let path = format!("/confirm-email-change?token={token}");
    let browser = ada.new_browser();
    for (name, value) in [
        ("sec-purpose", "prefetch"),
        ("x-moz", "prefetch"),
        ("purpose", "preview"),
    ] {
        let request = browser.fetch(Method::GET, &path).header(name, value);
        assert_refused!(browser.send(request), CrossSite);
    }
    let typed = format!("/account/account-api{path}");
    assert_refused!(browser.open(&typed), CrossSite, Message::ErrorOwnPageOnly);
    assert_status!(browser.send(browser.fetch(Method::HEAD, &path)), 405);
    ada.assert_still_signed_in().await;
}

// If only a free address ended the pending change, the earlier link would reveal which addresses are taken.
// security: EN-5
async fn a_new_request_ends_any_pending_change(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let name = format!("{profile:?}").to_lowercase();
        site.member(&format!("{name}taken")).await;
        site.import_accounts(&[crate::old_accounts::old(&format!("{name}old"))])
            .await;
        for kind in ["free", "taken", "old"] {
            let target = format!("{name}{kind}@example.org");
            let ada = site.signed_in(&format!("{name}{kind}er")).await;
            let token = change_link(&ada.browser, &format!("{name}{kind}@example.net")).await;
            let response = ada.browser.request_email_change(&target).await;
            if profile == Profile::Strict || kind == "free" {
                response.assert_json(200, &sent_body());
                site.mail_to(&target).await;
            } else {
                response
                    .assert_error_with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
            }
            assert_refused!(ada.browser.confirm_email_change(&token), InvalidToken);
        }
    }
}
