//! Deletion of an account: the request, the restore, and the data that remains.

mod killed;
mod purge;
mod races;
mod sessions;
mod takeover;
mod wrong_clock;

use account::testing::error::ErrorCode::{
    DeletionPending, EmailNotVerified, RateLimited, ReauthenticationRequired,
};
use account::testing::time_limit::TimeLimit;
use serde_json::json;

use crate::activity::event_kinds;
use crate::migration::{confirm, migrate};
use crate::migration_completion::completion_token;
use crate::password_change::change_password;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::database::contains;
use crate::support::{Database, Person, Site, within};
use crate::{passkeys, second_factor};

/// Requests the deletion. Returns the time in the response.
pub(crate) async fn request(person: &Person) -> String {
    let response = assert_status!(person.browser.post("/delete-account", &json!({})), 202);
    response.json()["delete_at"].as_str().unwrap().to_owned()
}

on_both_databases!(a_deletion_requires_recent_authentication_and_ends_all_access_at_once);
async fn a_deletion_requires_recent_authentication_and_ends_all_access_at_once(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.joined_and_signed_in("ada").await;
    site.advance("10m");
    let response = ada.browser.post("/delete-account", &json!({})).await;
    response.assert_error_with_data(ReauthenticationRequired);
    let proof = json!({"password": PASSWORD});
    ada.browser.reauthenticate(&proof).await;
    let thief = ada.browser.copy();
    assert_eq!(request(&ada).await, "2026-12-05T12:10:00Z");
    assert_refused!(thief.get("/users/me"), Unauthenticated);
    assert_eq!(ada.browser.cookie("session"), None);
    let mail = site.mail_to(&ada.email).await;
    assert!(mail.link().contains("/account/restore?token="));
    assert!(mail.text.contains("December 5"), "{}", mail.text);
}

on_both_databases!(deletions_and_restores_are_limited_like_changes_of_credentials);
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
        assert_status!(ada.browser.restore_account(&token), 200);
        assert_status!(ada.try_sign_in(&ada.browser), 200);
    }
    let response = ada.browser.post("/delete-account", &json!({})).await;
    response.assert_error_with_data(RateLimited);
    assert_status!(ada.browser.get("/users/me"), 200);
}

on_both_databases!(the_mailed_restore_link_works_once_and_starts_no_session);
// security: MD-3
async fn the_mailed_restore_link_works_once_and_starts_no_session(db: Database) {
    let site = db.site().await;
    let ada = site.joined_and_signed_in("ada").await;
    request(&ada).await;
    let token = site.mail_to(&ada.email).await.token();
    // A sign-in does not end the mailed way back: a thief could do it.
    let refusal = ada.try_sign_in(&ada.new_browser()).await;
    refusal.assert_error_with_data(DeletionPending);
    let unused = refusal.json()["restore_token"].as_str().unwrap().to_owned();
    site.advance("12d");
    let reminder = site.mail_to(&ada.email).await;
    assert!(
        reminder.link().contains("/account/restore?token="),
        "{}",
        reminder.text
    );
    let response = assert_status!(site.browser().restore_account(&token), 200);
    assert_eq!(response.set_cookies().count(), 0);
    site.mail_to(&ada.email).await;
    for token in [&token, &unused, &reminder.token()] {
        assert_refused!(site.browser().restore_account(token), InvalidToken);
    }
    site.advance("3d");
    assert_eq!(site.run_deletion().await, 0);
    let me = ada.user().await;
    ada.sign_in(&ada.browser).await;
    ada.browser.get("/users/me").await.assert_json(200, &me);
    let kinds = event_kinds(&ada.browser).await;
    for kind in ["deletion_requested", "deletion_cancelled"] {
        assert!(kinds.contains(&kind.to_owned()), "{kinds:?}");
    }
}

on_both_databases!(the_restore_token_of_a_sign_in_works_once_and_cancels_the_reminder);
// security: MD-3
async fn the_restore_token_of_a_sign_in_works_once_and_cancels_the_reminder(db: Database) {
    let site = db.site().await;
    let ada = site.joined_and_signed_in("ada").await;
    let delete_at = request(&ada).await;
    site.mail_to(&ada.email).await;
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let refusal = ada.try_sign_in(&ada.browser).await;
        let body = refusal.assert_error_with_data(DeletionPending);
        assert_eq!(body["delete_at"], json!(delete_at));
        tokens.push(body["restore_token"].as_str().unwrap().to_owned());
    }
    assert_refused!(site.browser().restore_account(&tokens[0]), InvalidToken);
    assert_eq!(site.browser().restore_account(&tokens[1]).await.status, 200);
    site.mail_to(&ada.email).await;
    assert_refused!(site.browser().restore_account(&tokens[1]), InvalidToken);
    assert_eq!(site.count("outbox").await, 0, "the reminder is withdrawn");
    // Another request counts from its own time.
    ada.sign_in(&ada.browser).await;
    site.advance("5m");
    assert!(request(&ada).await > delete_at);
    let token = site.mail_to(&ada.email).await.token();
    assert_eq!(site.browser().restore_account(&token).await.status, 200);
    site.mail_to(&ada.email).await;
}

/// A person whose account has rows in every table. Returns the values that a search must not find afterwards.
async fn full_account(site: &Site, authenticator: &mut Authenticator) -> (Person, Vec<Vec<u8>>) {
    let row = json!({"email": "Wilhelmina@example.org", "username": "wilhelmina77",
        "password_hash": "$2b$04$FnIUhr", "first_name": "Wilhelmina", "last_name": "Quackenbush",
        "country": "us", "zipcode": "90210", "birthday_day": 5, "birthday_month": 7,
        "birthday_year": 1990});
    site.import_accounts(&[row]).await;
    let email = "Wilhelmina@example.org";
    let person = Person {
        name: "wilhelmina77".into(),
        email: email.into(),
        browser: migrate(site, email, PASSWORD).await,
    };
    person.sign_in(&person.browser).await;
    let person = second_factor::turn_on(site, person).await.person;
    let passkey = passkeys::add_passkey(&person.browser, authenticator).await;
    let named = json!({"name": "Quackenbush key"});
    let path = format!("/passkeys/{}", passkey["id"].as_str().unwrap());
    assert_eq!(person.browser.patch(&path, &named).await.status, 200);
    let changed = change_password(&person.browser, PASSWORD, "Orange-Tree-43");
    assert_status!(changed, 200);
    let new = "wilma.other@example.org";
    assert_status!(person.browser.request_email_change(new), 200);
    assert_status!(person.browser.get("/data-export"), 200);
    site.browser().request_reset(&person.email).await;
    let credential = site
        .rows("SELECT credential_id FROM credentials", &[])
        .await;
    let credential: Vec<u8> = credential[0].get(0);
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

on_both_databases!(no_data_of_a_deleted_account_remains_in_the_database);
// security: MD-2
async fn no_data_of_a_deleted_account_remains_in_the_database(db: Database) {
    let site = db.allow_unread_mails().site().await;
    for name in ["kim", "lou"] {
        site.signed_in(name).await;
    }
    site.mails().await;
    let before = count_rows(&site).await;
    let mut authenticator = Authenticator::synced();
    let (person, needles) = full_account(&site, &mut authenticator).await;
    let id = site.id_of("wilhelmina77").await;
    let held = db.bytes(&site).await;
    for needle in &needles {
        assert!(
            contains(&held, needle),
            "{}",
            String::from_utf8_lossy(needle)
        );
    }
    request(&person).await;
    let refusal = person.new_browser();
    let credentials = json!({"email": person.email, "password": "Orange-Tree-43"});
    let response = refusal.post("/login", &credentials).await;
    response.assert_error_with_data(DeletionPending);
    site.browser().request_reset(&person.email).await;
    site.advance("14d");
    site.browser().request_reset(&person.email).await;
    assert_eq!(site.run_deletion().await, 1);
    let left = db.bytes(&site).await;
    for needle in &needles {
        assert!(
            !contains(&left, needle),
            "{}",
            String::from_utf8_lossy(needle)
        );
    }
    assert_eq!(
        site.rows("SELECT id FROM deleted_accounts", &[]).await[0].get::<uuid::Uuid>(0),
        id
    );
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

on_both_databases!(the_address_is_free_at_once_and_the_username_after_its_hold);
// security: MD-2
async fn the_address_is_free_at_once_and_the_username_after_its_hold(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.signed_in("ada").await;
    let id = site.id_of("ada").await;
    request(&ada).await;
    let taken = json!({"email": "other@example.org", "username": "ADA"});
    let taken = crate::support::actors::form_with("x", &taken);
    let while_it_lives = site.browser().post("/register", &taken).await;
    site.advance("14d");
    assert_eq!(site.run_deletion().await, 1);
    let while_held = site.browser().post("/register", &taken).await;
    while_held.assert_json(409, &while_it_lives.json());
    let again = crate::support::actors::form_with("ada", &json!({"username": "ada2"}));
    assert_eq!(site.browser().post("/register", &again).await.status, 201);
    let unknown = ada.try_sign_in(&ada.browser).await;
    unknown.assert_error_with_data(EmailNotVerified);
    site.advance("90d");
    site.run_expiry().await;
    let row = &site.rows("SELECT id FROM deleted_accounts", &[]).await[0];
    assert_eq!(row.get::<uuid::Uuid>(0), id);
    assert_eq!(site.count("names WHERE kind = 'held_username'").await, 0);
    assert_eq!(site.browser().post("/register", &taken).await.status, 201);
}

on_both_databases!(a_queued_mail_to_a_deleted_account_is_not_sent);
async fn a_queued_mail_to_a_deleted_account_is_not_sent(db: Database) {
    let site = db.site().await;
    let sql = "INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at,
        due_at, attempts, priority, change_number) VALUES ($1, 'reset_password', $1, 'gone@example.org', 'en',
        'default', '{}', 1, 1, 0, 0, 1)";
    let id = site.app.rng.id(site.now());
    site.execute(sql, account::params![id]).await;
    assert!(site.mails().await.is_empty());
    assert_eq!(
        (site.count("outbox").await, site.count("tokens").await),
        (0, 0)
    );
}

on_both_databases!(an_unused_account_is_deleted_after_three_warnings_without_a_sign_in);
async fn an_unused_account_is_deleted_after_three_warnings_without_a_sign_in(db: Database) {
    db.allow_unread_mails();
    let year = |c: &mut account::config::Config| {
        c.lifetimes.inactive_account = "365d".parse().unwrap();
    };
    let site = db.site_with(year).await;
    let (ada, kim) = (
        site.joined_and_signed_in("ada").await,
        site.joined_and_signed_in("kim").await,
    );
    site.advance("305d");
    assert_eq!(site.run_deletion().await, 0);
    assert!(site.mails().await.is_empty(), "a moment early");
    site.advance("1ms");
    site.run_deletion().await;
    let announced = async |times: usize| {
        let mails = site.mails().await;
        let to: Vec<_> = mails.iter().map(|mail| mail.to.clone()).collect();
        assert_eq!(to.len(), times, "{to:?}");
        to
    };
    announced(2).await;
    // One signs in from a device that is forgotten by now: it needs no more than the right password.
    site.advance("30d");
    announced(2).await;
    kim.browser.request_reset(&kim.email).await;
    let token = site.mail_to(&kim.email).await.token();
    crate::password_reset::confirm_reset(&kim.browser, &token, "Orange-Tree-43").await;
    site.mails().await;
    let credentials = kim.credentials_with("Orange-Tree-43");
    assert_json!(kim.browser.post("/login", &credentials), 200, &kim.me());
    site.advance("23d");
    assert_eq!(announced(1).await, std::slice::from_ref(&ada.email));
    assert_eq!(site.run_deletion().await, 0);
    site.advance("7d");
    assert_eq!(site.run_deletion().await, 1);
    let left = site.rows("SELECT username FROM accounts", &[]).await;
    assert_eq!(left[0].get::<String>(0), "kim");
    // The setting is turned off.
    site.advance("366d");
    site.run_deletion().await;
    site.assert_count("pending_acts WHERE act = 'inactivity'", 1)
        .await;
    let off = db.site().await;
    assert_eq!(off.run_deletion().await, 0);
    site.assert_count("pending_acts WHERE act = 'inactivity'", 0)
        .await;
    site.assert_count("outbox WHERE kind = 'inactive_account'", 0)
        .await;
}

on_both_databases!(a_search_without_unused_accounts_does_not_wait_for_a_writer);
async fn a_search_without_unused_accounts_does_not_wait_for_a_writer(db: Database) {
    let year = |config: &mut account::config::Config| {
        config.lifetimes.inactive_account = "365d".parse().unwrap();
    };
    for site in [db.site().await, db.site_with(year).await] {
        let (_go, stop) = tokio::sync::watch::channel(false);
        let writer = site.app.store.write().await.unwrap();
        let search = account::testing::jobs::deletion::announce_inactive(&site.app, &stop);
        let limit = TimeLimit::from_secs(10);
        let done = within(limit, "a search that only reads", search).await;
        done.unwrap();
        drop(writer);
    }
}

on_both_databases!(unmigrated_legacy_accounts_are_purged_by_date);
async fn unmigrated_legacy_accounts_are_purged_by_date(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let rows = ["hal", "ida", "jo"].map(crate::old_accounts::old);
    site.import_accounts(&rows).await;
    let token = completion_token(&site, "hal@example.org").await;
    site.advance("1d");
    site.import_accounts(&[crate::old_accounts::old("new")])
        .await;
    let mut sums = Vec::new();
    let before = site.now() - 3_600_000;
    let purged = account::testing::legacy::purge::run(&site.app, before, |sum| sums.push(sum));
    assert_eq!(purged.await.unwrap(), 3);
    assert_eq!(sums, [3]);
    let left = site.rows("SELECT email FROM legacy_accounts", &[]).await;
    assert_eq!(left[0].get::<String>(0), "new@example.org");
    assert_eq!((left.len(), site.count("tokens").await), (1, 0));
    assert_refused!(confirm(&site.browser(), &token, PASSWORD), InvalidToken);
}
