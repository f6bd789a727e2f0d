//! WA-7: a thief with a session adds passkeys and changes the address, in either order. The owner's undo is final,
//! even if the thief has received links.

use serde_json::json;

use super::{add_passkey, person_with_passkey, sign_in};
use crate::email_change::change_email;
use crate::password_reset::confirm_reset;
use crate::support::actors::{PASSWORD, form_with};
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Person, Site};

/// Changes the address, whatever other mails are unread.
async fn change_address(thief: &Browser, new: &str) {
    thief.site.mails().await;
    change_email(thief, new).await;
}

// security: WA-7
on_both_databases!(undoing_a_passkey_ends_the_links_of_later_address_changes);
async fn undoing_a_passkey_ends_the_links_of_later_address_changes(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = person_with_passkey(&site, "ada", &mut Authenticator::synced()).await;
    let thief = ada.browser.copy();
    site.advance("1m");
    add_passkey(&thief, &mut Authenticator::synced()).await;
    let undo = site.last_token_to(&ada.email, "passkey was added").await;
    change_address(&thief, "first@example.net").await;
    change_address(&thief, "second@example.net").await;
    let theirs = site.last_token_to("first@example.net", "email").await;

    let owner = ada.new_browser();
    assert_status!(owner.undo_credential(&undo), 200);
    assert_refused!(thief.undo_email_change(&theirs), InvalidToken);
}

// security: WA-7
on_both_databases!(undoing_an_address_change_removes_later_passkeys);
async fn undoing_an_address_change_removes_later_passkeys(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut own = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut own).await;
    let thief = ada.browser.copy();
    change_address(&thief, "thief@example.net").await;
    let undo = site.last_token_to(&ada.email, "email").await;
    let mut stolen = Authenticator::synced();
    add_passkey(&thief, &mut stolen).await;
    let theirs = site
        .last_token_to("thief@example.net", "passkey was added")
        .await;

    let owner = ada.new_browser();
    assert_status!(owner.undo_email_change(&undo), 200);
    assert_refused!(sign_in(&thief, &mut stolen), PasskeyUnknown);
    assert_refused!(thief.undo_credential(&theirs), InvalidToken);
    let mails = site.mails().await;
    assert!(
        mails
            .iter()
            .any(|mail| mail.to == ada.email && mail.subject.contains("passkey was removed"))
    );
    assert_eq!(sign_in(&owner, &mut own).await.status, 200);
}

/// The new owner of an address that belonged to another account.
async fn newcomer(site: &Site, email: &str) -> Person {
    let bob = Person {
        name: "bob".to_owned(),
        email: email.to_owned(),
        browser: site.browser(),
    };
    let form = form_with("bob", &json!({"email": email}));
    assert_eq!(bob.browser.post("/register", &form).await.status, 201);
    let token = site.last_token_to(email, "Verify your email").await;
    assert_status!(bob.browser.confirm_email(&token), 200);
    bob.sign_in(&bob.browser).await;
    bob
}

/// A thief has added a passkey to Ada's account and changed its address. Bob has registered with the old address. Ada
/// has the undo link.
struct Takeover {
    ada: Person,
    own: Authenticator,
    thief: Browser,
    stolen: Authenticator,
    bob: Person,
    undo: String,
}

async fn take_over(site: &Site) -> Takeover {
    let mut own = Authenticator::synced();
    let ada = person_with_passkey(site, "ada", &mut own).await;
    let thief = ada.browser.copy();
    site.advance("1m");
    let mut stolen = Authenticator::synced();
    add_passkey(&thief, &mut stolen).await;
    let undo = site.last_token_to(&ada.email, "passkey was added").await;
    change_address(&thief, "thief@example.net").await;
    let bob = newcomer(site, &ada.email).await;
    Takeover {
        ada,
        own,
        thief,
        stolen,
        bob,
        undo,
    }
}

// security: WA-7
on_both_databases!(undoing_a_passkey_removes_the_address_of_a_thief_if_the_old_one_is_taken);
async fn undoing_a_passkey_removes_the_address_of_a_thief_if_the_old_one_is_taken(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut people = take_over(&site).await;
    let (thief, owner) = (&people.thief, people.ada.new_browser());
    assert_status!(owner.undo_credential(&people.undo), 200);
    assert_refused!(owner.undo_credential(&people.undo), InvalidToken);

    thief.assert_signed_out().await;
    assert_refused!(sign_in(thief, &mut people.stolen), PasskeyUnknown);
    let known = json!({"email": "thief@example.net", "password": PASSWORD});
    assert_refused!(thief.post("/login", &known), InvalidCredentials);
    site.mails().await;
    assert_status!(thief.request_reset("thief@example.net"), 200);
    assert_eq!(site.mails().await.len(), 0);

    assert_status!(sign_in(&owner, &mut people.own), 200);
    let bob = &people.bob;
    bob.assert_signed_in(&bob.browser).await;
}

// security: WA-7
on_both_databases!(the_reset_link_of_an_undo_restores_the_address_once_it_is_free);
async fn the_reset_link_of_an_undo_restores_the_address_once_it_is_free(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let people = take_over(&site).await;
    let (ada, owner) = (&people.ada, people.ada.new_browser());
    assert_status!(owner.undo_credential(&people.undo), 200);
    let token = site
        .last_token_to(&ada.email, "Choose a new password")
        .await;
    let early = confirm_reset(&owner, &token, "Cherry-Tree-44").await;
    let taken = json!({
        "code": "account_exists",
        "detail": "This address already belongs to an account.",
    });
    early.assert_json(409, &taken);

    change_address(&people.bob.browser, "bob@example.net").await;
    assert_status!(confirm_reset(&owner, &token, "Cherry-Tree-44"), 200);
    ada.sign_in_with(&owner, "Cherry-Tree-44").await;
}

on_both_databases!(a_password_that_is_changed_after_the_clock_was_set_back_ends_with_the_undo);
async fn a_password_that_is_changed_after_the_clock_was_set_back_ends_with_the_undo(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.signed_in("ada").await;
    site.advance("1m");
    add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    let undo = site.last_token_to(&ada.email, "passkey was added").await;
    site.set_clock("2026-11-21T11:32:00Z");
    let change = json!({"current_password": PASSWORD, "new_password": "Stolen-Tree-45",
        "confirm_password": "Stolen-Tree-45"});
    assert_status!(ada.browser.post("/change-password", &change), 200);

    let owner = ada.new_browser();
    assert_status!(owner.undo_credential(&undo), 200);
    let changed = ada.credentials_with("Stolen-Tree-45");
    assert_refused!(owner.post("/login", &changed), InvalidCredentials);
}
