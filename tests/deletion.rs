//! Deletion of an account: the request, the restore, and the data that remains.

mod killed;
mod purge;
mod races;
mod sessions;
mod takeover;
mod wrong_clock;

use account::config::Config;
use account::testing::time_limit::TimeLimit;
use uuid::Uuid;

use crate::activity::event_kinds;
use crate::migration::{confirm, migrated_person};
use crate::migration_completion::completion_token;
use crate::old_accounts::old;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::support::database::contains;
use crate::support::prelude::*;
use crate::support::within;
use crate::{passkeys, second_factor};

const NEW_PASSWORD: &str = "Orange-Tree-43";

/// Deletes accounts that were not used for a year.
pub fn deletes_after_a_year(config: &mut Config) {
    config.lifetimes.inactive_account = "365d".parse().unwrap();
}

/// Requests the deletion. Returns the time in the response.
pub async fn request(person: &Person) -> String {
    let response = assert_status!(person.browser.post_defaults("/delete-account"), 202);
    response.json()["delete_at"].as_str().unwrap().to_owned()
}

on_both_databases!(
    a_deletion_requires_recent_authentication_and_ends_all_access_at_once,
    deletions_and_restores_are_limited_like_changes_of_credentials,
    the_mailed_restore_link_works_once_and_starts_no_session,
    the_restore_token_of_a_sign_in_works_once_and_cancels_the_reminder,
    no_data_of_a_deleted_account_remains_in_the_database,
    the_address_is_free_at_once_and_the_username_after_its_hold,
    a_queued_mail_to_a_deleted_account_is_not_sent,
    an_unused_account_is_deleted_after_three_warnings_without_a_sign_in,
    a_search_without_unused_accounts_does_not_wait_for_a_writer,
    unmigrated_legacy_accounts_are_purged_by_date,
);

async fn a_deletion_requires_recent_authentication_and_ends_all_access_at_once(site: Site) {
    site.allow_unread_mails();
    let ada = site.joined_and_signed_in("ada").await;
    site.advance("10m");
    assert_code!(
        ada.browser.post_defaults("/delete-account"),
        ReauthenticationRequired
    );
    ada.browser.reauthenticate(&ada.credentials()).await;
    let thief = ada.browser.copy();
    assert_eq!(request(&ada).await, "2026-12-05T12:10:00Z");
    assert_refused!(thief.get("/users/me"), Unauthenticated);
    assert_eq!(ada.browser.cookie("session"), None);
    let mail = ada.mail().await;
    assert!(mail.link().contains("/account/restore?token="));
    assert!(mail.text.contains("December 5"), "{}", mail.text);
}

// security: RL-5
async fn deletions_and_restores_are_limited_like_changes_of_credentials(db: Database) {
    let site = db
        .allow_unread_mails()
        .site_with(|c| c.limits.credential_change_account = "2/h".parse().unwrap())
        .await;
    let ada = site.joined_and_signed_in("ada").await;
    for _ in 0..2 {
        request(&ada).await;
        let refusal = ada.try_sign_in(&ada.browser).await;
        let token = refusal.json()["restore_token"].as_str().unwrap().to_owned();
        assert_ok!(ada.browser.restore_account(&token));
        assert_ok!(ada.try_sign_in(&ada.browser));
    }
    assert_code!(ada.browser.post_defaults("/delete-account"), RateLimited);
    assert_ok!(ada.browser.get("/users/me"));
}

// security: MD-3
async fn the_mailed_restore_link_works_once_and_starts_no_session(site: Site) {
    let ada = site.joined_and_signed_in("ada").await;
    request(&ada).await;
    let token = ada.mailed_token().await;
    // A sign-in does not end the mailed way back: a thief could do it.
    let refusal = assert_code!(ada.try_sign_in(&ada.new_browser()), DeletionPending);
    let unused = refusal["restore_token"].as_str().unwrap().to_owned();
    site.advance("12d");
    let reminder = ada.mail().await;
    assert!(reminder.link().contains("/account/restore?token="));
    let response = assert_ok!(site.browser().restore_account(&token));
    assert_eq!(response.set_cookies().count(), 0);
    ada.mail().await;
    for token in [&token, &unused, &reminder.token()] {
        assert_refused!(site.browser().restore_account(token), InvalidToken);
    }
    site.advance("3d");
    assert_eq!(site.run_deletion().await, 0);
    ada.sign_in(&ada.browser).await;
    ada.assert_still_signed_in().await;
    let kinds = event_kinds(&ada.browser).await;
    for kind in ["deletion_requested", "deletion_cancelled"] {
        assert!(kinds.contains(&kind.to_owned()), "{kinds:?}");
    }
}

// security: MD-3
async fn the_restore_token_of_a_sign_in_works_once_and_cancels_the_reminder(site: Site) {
    let ada = site.joined_and_signed_in("ada").await;
    let delete_at = request(&ada).await;
    ada.mail().await;
    let browser = site.browser();
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let body = assert_code!(ada.try_sign_in(&ada.browser), DeletionPending);
        assert_eq!(body["delete_at"], json!(delete_at));
        tokens.push(body["restore_token"].as_str().unwrap().to_owned());
    }
    assert_refused!(browser.restore_account(&tokens[0]), InvalidToken);
    assert_ok!(browser.restore_account(&tokens[1]));
    ada.mail().await;
    assert_refused!(browser.restore_account(&tokens[1]), InvalidToken);
    assert_eq!(site.count("outbox").await, 0, "the reminder is withdrawn");
    // Another request counts from its own time.
    ada.sign_in(&ada.browser).await;
    site.advance("5m");
    assert!(request(&ada).await > delete_at);
    assert_ok!(browser.restore_account(&ada.mailed_token().await));
    ada.mail().await;
}

/// A person whose account has rows in every table. Returns the values that a search must not find afterwards.
async fn full_account(site: &Site) -> (Person, Vec<Vec<u8>>) {
    let row = json!({"email": "Wilhelmina@example.org", "username": "wilhelmina77",
        "password_hash": "$2b$04$FnIUhr", "first_name": "Wilhelmina", "last_name": "Quackenbush",
        "country": "us", "zipcode": "90210", "birthday_day": 5, "birthday_month": 7,
        "birthday_year": 1990});
    site.import_accounts(&[row]).await;
    let person = migrated_person(site, "Wilhelmina@example.org", "wilhelmina77").await;
    person.sign_in(&person.browser).await;
    let person = second_factor::turn_on(site, person).await.person;
    passkeys::add_passkey(&person.browser, &mut Authenticator::synced()).await;
    let named = json!({"name": "Quackenbush key"});
    let path = passkeys::first_path(&person.browser).await;
    assert_ok!(person.browser.patch(&path, &named));
    assert_ok!(change_password(&person.browser, PASSWORD, NEW_PASSWORD));
    let new = "wilma.other@example.org";
    assert_ok!(person.browser.request_email_change(new));
    assert_ok!(person.browser.get("/data-export"));
    site.browser().request_reset(&person.email).await;
    let sql = "SELECT credential_id FROM credentials";
    let credential: Vec<u8> = site.rows(sql, &[]).await[0].get(0);
    let hidden = ["ilhelmina", "uackenbush", "wilma.other"].map(|text| text.as_bytes().to_vec());
    (person, [hidden.to_vec(), vec![credential]].concat())
}

/// Every table that refers to an account, and those without its rows.
async fn count_rows(site: &Site) -> Vec<(String, i64)> {
    let mut counted = Vec::new();
    for table in account::testing::store::copy::TABLES {
        counted.push((table.to_owned(), site.count(table).await));
    }
    counted
}

// security: MD-2
async fn no_data_of_a_deleted_account_remains_in_the_database(db: Database) {
    let site = db.allow_unread_mails().site().await;
    for name in ["kim", "lou"] {
        site.signed_in(name).await;
    }
    site.mails().await;
    let before = count_rows(&site).await;
    let (person, needles) = full_account(&site).await;
    let id = site.id_of("wilhelmina77").await;
    let assert_holds = async |is_held: bool| {
        let bytes = db.bytes(&site).await;
        for needle in &needles {
            let text = String::from_utf8_lossy(needle);
            assert_eq!(contains(&bytes, needle), is_held, "{text}");
        }
    };
    assert_holds(true).await;
    request(&person).await;
    let refused = person.new_browser();
    assert_code!(
        refused.try_sign_in(&person.email, NEW_PASSWORD),
        DeletionPending
    );
    refused.request_reset(&person.email).await;
    site.advance("14d");
    refused.request_reset(&person.email).await;
    assert_eq!(site.run_deletion().await, 1);
    assert_holds(false).await;
    let deleted = site.rows("SELECT id FROM deleted_accounts", &[]).await;
    assert_eq!(deleted[0].get::<Uuid>(0), id);
    // The neighbours keep all that is theirs; what counts requests stays until its window ends.
    let after = count_rows(&site).await;
    for (had, has) in before.iter().zip(&after) {
        match had.0.as_str() {
            "deleted_accounts" => assert_eq!(has.1, 1),
            // The held username takes the place of email address and username.
            "names" => assert_eq!(has.1, had.1 + 1),
            "limits" | "secrets" | "spent_challenges" => {}
            _ => assert_eq!(had, has),
        }
    }
    assert_eq!(site.run_deletion().await, 0);
}

// security: MD-2
async fn the_address_is_free_at_once_and_the_username_after_its_hold((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    request(&ada).await;
    let register = async |name: &str, changes: Value| site.browser().register(name, &changes).await;
    let taken = json!({"email": "other@example.org", "username": "ADA"});
    let while_it_lives = register("x", taken.clone()).await;
    site.advance("14d");
    assert_eq!(site.run_deletion().await, 1);
    assert_json!(register("x", taken.clone()), 409, &while_it_lives.json());
    assert_status!(register("ada", json!({"username": "ada2"})), 201);
    assert_code!(ada.try_sign_in(&ada.browser), EmailNotVerified);
    site.advance("90d");
    site.run_expiry().await;
    site.assert_count("deleted_accounts", 1).await;
    site.assert_count("names WHERE kind = 'held_username'", 0)
        .await;
    assert_status!(register("x", taken), 201);
}

async fn a_queued_mail_to_a_deleted_account_is_not_sent(site: Site) {
    let sql = "INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at,
        due_at, attempts, priority, change_number) VALUES ($1, 'reset_password', $1, 'gone@example.org', 'en',
        'default', '{}', 1, 1, 0, 0, 1)";
    let id = site.app.rng.id(site.now());
    site.execute(sql, params![id]).await;
    site.assert_all_mails_read().await;
    site.assert_count("tokens", 0).await;
}

async fn an_unused_account_is_deleted_after_three_warnings_without_a_sign_in(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(deletes_after_a_year).await;
    let ada = site.joined_and_signed_in("ada").await;
    let kim = site.joined_and_signed_in("kim").await;
    let announced = async |to: &[&str]| {
        let mails = site.mails().await;
        let mut told: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
        told.sort_unstable();
        assert_eq!(told, to);
    };
    site.advance("305d");
    assert_eq!(site.run_deletion().await, 0);
    announced(&[]).await;
    let both = [&*ada.email, &kim.email];
    for wait in ["1ms", "30d"] {
        site.advance(wait);
        site.run_deletion().await;
        announced(&both).await;
    }
    // One signs in from a device that is forgotten by now: it needs no more than the right password.
    let token = kim.reset_token(&kim.browser).await;
    confirm_reset(&kim.browser, &token, NEW_PASSWORD).await;
    site.mails().await;
    kim.sign_in_with(&kim.browser, NEW_PASSWORD).await;
    site.advance("23d");
    announced(&both[..1]).await;
    assert_eq!(site.run_deletion().await, 0);
    site.advance("7d");
    assert_eq!(site.run_deletion().await, 1);
    site.assert_count("accounts WHERE username <> 'kim'", 0)
        .await;
    // The setting is turned off.
    site.advance("366d");
    site.run_deletion().await;
    site.assert_count("pending_acts WHERE act = 'inactivity'", 1)
        .await;
    let off = db.site().await;
    assert_eq!(off.run_deletion().await, 0);
    for left in [
        "pending_acts WHERE act = 'inactivity'",
        "outbox WHERE kind = 'inactive_account'",
    ] {
        site.assert_count(left, 0).await;
    }
}

async fn a_search_without_unused_accounts_does_not_wait_for_a_writer(db: Database) {
    for site in [db.site().await, db.site_with(deletes_after_a_year).await] {
        let (_go, stop) = tokio::sync::watch::channel(false);
        let writer = site.app.store.write().await.unwrap();
        let search = account::testing::jobs::deletion::announce_inactive(&site.app, &stop);
        let limit = TimeLimit::from_secs(10);
        let done = within(limit, "a search that only reads", search).await;
        done.unwrap();
        drop(writer);
    }
}

async fn unmigrated_legacy_accounts_are_purged_by_date(site: Site) {
    site.allow_unread_mails();
    let rows = ["hal", "ida", "jo"].map(old);
    site.import_accounts(&rows).await;
    let token = completion_token(&site, "hal@example.org").await;
    site.advance("1d");
    site.import_accounts(&[old("new")]).await;
    let mut sums = Vec::new();
    let before = site.now() - 3_600_000;
    let purged = account::testing::legacy::purge::run(&site.app, before, |sum| sums.push(sum));
    assert_eq!(purged.await.unwrap(), 3);
    assert_eq!(sums, [3]);
    for (rows, left) in [
        ("legacy_accounts", 1),
        ("legacy_accounts WHERE email = 'new@example.org'", 1),
        ("tokens", 0),
    ] {
        site.assert_count(rows, left).await;
    }
    assert_refused!(confirm(&site.browser(), &token, PASSWORD), InvalidToken);
}
