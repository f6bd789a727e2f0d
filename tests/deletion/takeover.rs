//! A thief changes the address and requests the deletion. The owner's undo link takes the account back.

use account::config::{Config, Profile};
use account::testing::accounts::{disable, enable};
use axum::http::Method;
use serde_json::{Value, json};

use super::request;
use crate::email_change::change_email;
use crate::passkeys::{add_passkey, sign_in};
use crate::support::authenticator::Authenticator;
use crate::support::mails::{Mail, last_token_to};
use crate::support::{Browser, Database, Person, Response, Site};

const THIEF: &str = "thief@example.net";

/// The mails to an address, whose subject contains these words.
fn mails_to<'a>(mails: &'a [Mail], address: &str, words: &str) -> Vec<&'a Mail> {
    let is_meant = |mail: &&Mail| mail.to == address && mail.subject.contains(words);
    mails.iter().filter(is_meant).collect()
}

async fn change_address(site: &Site, thief: &Browser, new: &str) -> Vec<Mail> {
    site.mails().await;
    change_email(thief, new).await;
    site.mails().await
}

async fn undo(site: &Site, token: &str) -> Response {
    site.browser().undo_email_change(token).await
}

async fn undo_credential(site: &Site, token: &str) -> Response {
    site.browser().undo_credential(token).await
}

/// What the owner and the thief hold after the request of the deletion.
struct StolenAccount {
    owner: Person,
    own: Authenticator,
    stolen: Authenticator,
    /// The link of the passkey that the thief added first.
    passkey_undo: String,
    /// The link of the change of address.
    address_undo: String,
    /// The link that the thief's first mailbox has for the second change.
    thief_undo: String,
    /// The mails about the deletion.
    mails: Vec<Mail>,
}

/// The thief has a fresh session: adds a passkey, changes the address twice, and requests the deletion.
async fn steal(site: &Site, node: &Site) -> StolenAccount {
    let mut own = Authenticator::synced();
    let owner = site.signed_in("ada").await;
    add_passkey(&owner.browser, &mut own).await;
    site.mails().await;
    // The undo link of the owner's own passkey has expired. While it lives, the mail about a deletion undoes it too.
    site.execute("DELETE FROM tokens", &[]).await;
    site.advance("1m");
    let thief = crate::nodes::browser_on_node(node, &owner.browser);
    let mut stolen = Authenticator::synced();
    add_passkey(&thief, &mut stolen).await;
    let passkey_undo = last_token_to(&site.mails().await, &owner.email, "passkey was added");
    let mails = change_address(site, &thief, THIEF).await;
    let address_undo = last_token_to(&mails, &owner.email, "was changed");
    let mails = change_address(site, &thief, "second@example.net").await;
    let thief_undo = last_token_to(&mails, THIEF, "was changed");
    assert_eq!(thief.post("/delete-account", &json!({})).await.status, 202);
    StolenAccount {
        owner,
        own,
        stolen,
        passkey_undo,
        address_undo,
        thief_undo,
        mails: site.mails().await,
    }
}

/// Asserts that the account is the owner's again, and that the thief has nothing left.
async fn assert_recovered(site: &Site, account: &mut StolenAccount, has_first_passkey: bool) {
    let owner = &account.owner;
    assert_eq!(site.user("ada").await["email"], owner.email);
    assert_eq!(site.count("sessions").await, 0, "nobody is signed in");
    let mails = site.mails().await;
    assert_eq!(mails_to(&mails, &owner.email, "account stays").len(), 1);
    let is_about_deletion = "outbox WHERE kind LIKE 'deletion%'";
    assert_eq!(
        site.count(is_about_deletion).await,
        0,
        "reminders are withdrawn"
    );
    // The links of the thief, and the links that cancelled the deletion.
    assert_refused!(undo(site, &account.thief_undo), InvalidToken);
    let way_back = last_token_to(&account.mails, "second@example.net", "will be deleted");
    assert_refused!(site.browser().restore_account(&way_back), InvalidToken);
    let offered = last_token_to(&account.mails, THIEF, "will be deleted");
    assert_refused!(undo_credential(site, &offered), InvalidToken);
    let stranger = site.browser();
    if !has_first_passkey {
        assert_refused!(sign_in(&stranger, &mut account.stolen), PasskeyUnknown);
    }
    site.advance("15d");
    assert_eq!(site.run_deletion().await, 0);
    assert_status!(sign_in(&stranger, &mut account.own), 200);
}

fn unlimited(profile: Profile) -> impl Fn(&mut Config) + Copy {
    move |config| {
        config.limits.enabled = false;
        config.security.profile = profile;
    }
}

on_both_databases!(an_undo_link_of_the_owner_beats_a_later_deletion_on_all_nodes);
// security: MD-3
async fn an_undo_link_of_the_owner_beats_a_later_deletion_on_all_nodes(db: Database) {
    db.allow_unread_mails();
    for profile in [Profile::Spec, Profile::Strict] {
        let nodes = [
            db.site_with(unlimited(profile)).await,
            db.site_with(unlimited(profile)).await,
        ];
        for (here, there) in [(0, 0), (0, 1)] {
            for link in ["address", "passkey", "mail about the deletion"] {
                let (site, node) = (&nodes[here], &nodes[there]);
                let mut account = steal(site, node).await;
                site.advance("6d");
                let owner = account.owner.email.clone();
                let done = match link {
                    "address" => undo(node, &account.address_undo).await,
                    "passkey" => undo_credential(node, &account.passkey_undo).await,
                    _ => {
                        let mails = mails_to(&account.mails, &owner, "will be deleted");
                        assert_eq!(mails.len(), 1, "one mail for each mailbox");
                        undo_credential(node, &mails[0].token()).await
                    }
                };
                assert_eq!(done.status, 200, "{link}: {}", done.text());
                if link == "passkey" {
                    let remaining = &done.json()["remaining"];
                    assert_eq!(remaining["passkeys"].as_array().unwrap().len(), 1);
                }
                assert_recovered(site, &mut account, link == "address").await;
                site.mails().await;
                site.execute_all(&[
                    "DELETE FROM accounts", "DELETE FROM names", "DELETE FROM tokens",
                    "DELETE FROM outbox",
                ])
                .await;
            }
        }
    }
}

on_both_databases!(undo_links_last_as_long_as_a_pending_deletion);
async fn undo_links_last_as_long_as_a_pending_deletion(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let account = steal(&site, &site).await;
    let owner = &account.owner.email;
    site.advance("12d");
    site.run_expiry().await;
    // The reminder has a link of its own.
    let reminders = site.mails().await;
    for mailbox in [owner, THIEF, "second@example.net"] {
        let found = mails_to(&reminders, mailbox, "will be deleted soon");
        assert_eq!(found.len(), 1, "{mailbox}");
        assert!(found[0].text.contains("December 5"), "{}", found[0].text);
    }
    site.advance("1d 23h");
    site.run_expiry().await;
    let done = undo(&site, &account.address_undo).await;
    assert_eq!(done.json()["email"], *owner, "{}", done.text());
    assert_refused!(undo(&site, &account.address_undo), InvalidToken);
    // The link of the reminder undoes the earliest change, as the link of that change does.
    let reminder = last_token_to(&reminders, owner, "will be deleted soon");
    assert_eq!(undo_credential(&site, &reminder).await.status, 200);
    assert_refused!(undo_credential(&site, &account.passkey_undo), InvalidToken);
}

on_both_databases!(an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion);
async fn an_undo_link_that_is_sent_after_the_request_lasts_until_the_deletion(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let owner = site.signed_in("ada").await;
    change_email(&owner.browser, THIEF).await;
    // The notice is still queued.
    request(&owner).await;
    let mails = site.mails().await;
    let undo_link = last_token_to(&mails, &owner.email, "was changed");
    last_token_to(&mails, &owner.email, "will be deleted");
    site.advance("13d 23h");
    site.run_expiry().await;
    assert_eq!(undo(&site, &undo_link).await.status, 200);
}

on_both_databases!(the_thiefs_undo_link_does_not_end_the_owners);
async fn the_thiefs_undo_link_does_not_end_the_owners(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut account = steal(&site, &site).await;
    let done = undo(&site, &account.thief_undo).await;
    assert_eq!(done.json()["email"], THIEF);
    let offered = last_token_to(&account.mails, THIEF, "will be deleted");
    assert_refused!(undo_credential(&site, &offered), InvalidToken);
    let done = undo(&site, &account.address_undo).await;
    assert_eq!(done.json()["email"], account.owner.email);
    site.mails().await;
    assert_status!(sign_in(&site.browser(), &mut account.own), 200);
}

on_both_databases!(opening_the_page_of_an_undo_link_changes_nothing);
async fn opening_the_page_of_an_undo_link_changes_nothing(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let account = steal(&site, &site).await;
    let links = [
        format!("/account/change-email?undo={}", account.address_undo),
        format!("/account/undo?token={}", account.passkey_undo),
    ];
    for link in &links {
        let browser = site.browser();
        for method in [Method::GET, Method::HEAD] {
            let request = axum::http::Request::builder().method(method).uri(link);
            let answer = browser.send(request).await;
            assert_eq!(answer.status, 200, "{link}");
        }
    }
    assert_eq!(site.user("ada").await["email"], "second@example.net");
    site.assert_count("pending_acts WHERE act = 'deletion'", 1)
        .await;
    assert_eq!(undo(&site, &account.address_undo).await.status, 200);
}

on_both_databases!(an_undo_of_a_disabled_account_leaves_it_disabled);
async fn an_undo_of_a_disabled_account_leaves_it_disabled(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut account = steal(&site, &site).await;
    let id = site.id_of("ada").await;
    assert!(disable(&site.app, id).await.unwrap());
    assert_status!(undo_credential(&site, &account.passkey_undo), 200);
    let owner = &account.owner;
    assert_eq!(site.user("ada").await["email"], owner.email);
    site.assert_count("pending_acts WHERE act = 'deletion'", 0)
        .await;
    assert_refused!(owner.try_sign_in(&owner.new_browser()), AccountDisabled);
    assert_refused!(sign_in(&site.browser(), &mut account.own), AccountDisabled);
    assert_eq!(site.count("sessions").await, 0);
    let mails = site.mails().await;
    assert_eq!(
        mails_to(&mails, &owner.email, "new password").len(),
        0,
        "its link would not work"
    );
    enable(&site.app, id).await.unwrap();
    assert_eq!(sign_in(&site.browser(), &mut account.own).await.status, 200);
}

on_both_databases!(an_undo_cancels_a_deletion_for_inactivity);
async fn an_undo_cancels_a_deletion_for_inactivity(db: Database) {
    db.allow_unread_mails();
    let year = |config: &mut Config| {
        config.lifetimes.inactive_account = "365d".parse().unwrap();
        config.lifetimes.email_undo = "365d".parse().unwrap();
    };
    let site = db.site_with(year).await;
    let ada = site.signed_in("ada").await;
    let mails = change_address(&site, &ada.browser, THIEF).await;
    let link = last_token_to(&mails, &ada.email, "was changed");
    site.advance("306d");
    site.run_deletion().await;
    let announced = "pending_acts WHERE act = 'inactivity'";
    assert_eq!(site.count(announced).await, 1);
    assert_eq!(undo(&site, &link).await.status, 200);
    assert_eq!(site.count(announced).await, 0);
    site.assert_count("outbox WHERE kind = 'inactive_account'", 0)
        .await;
    site.advance("61d");
    assert_eq!(site.run_deletion().await, 0);
}

on_both_databases!(two_undo_links_and_the_deletion_at_once_leave_one_owner);
async fn two_undo_links_and_the_deletion_at_once_leave_one_owner(db: Database) {
    db.allow_unread_mails();
    let nodes = [
        db.site_with(unlimited(Profile::Spec)).await,
        db.site_with(unlimited(Profile::Spec)).await,
    ];
    let account = steal(&nodes[0], &nodes[1]).await;
    let tries = (0..6).map(|n| {
        let (node, token) = (nodes[n % 2].clone(), account.address_undo.clone());
        async move { undo(&node, &token).await.status.as_u16() }
    });
    let mut statuses = futures_util::future::join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![400; 5]].concat());
    let email: Value = nodes[1].user("ada").await["email"].clone();
    assert_eq!(email, account.owner.email);
}
