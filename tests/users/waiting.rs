//! The commands for an old account that waits for its migration.

use account::config::Region;
use account::testing::accounts::request_deletion;
use account::testing::clock::{Clock, rfc3339};

use super::corrections::mails;
use super::{
    assert_failure, read_archive, run_for_json, run_successfully, show_account,
    site_with_system_clock,
};
use crate::email_change::change_email;
use crate::migration::confirm;
use crate::old_accounts::{OLD_PASSWORD, old, old_with};
use crate::prelude::*;
use crate::regions::brand;
use crate::support::mails::Mail;

on_both_databases!(
    an_old_account_is_exported_with_its_whole_row,
    an_old_account_is_deleted_at_once_and_only_on_request,
    an_old_account_is_invited_no_more,
    the_address_of_an_old_account_is_changed_and_restored,
    a_former_address_of_an_old_account_is_restored_without_a_way_back,
    an_address_that_an_old_account_never_proved_is_asked_after_the_migration,
    an_undo_of_an_old_account_takes_effect_while_its_address_is_taken,
    the_former_mailbox_gets_the_account_back_after_the_migration_too,
    an_undo_link_from_before_the_migration_lasts_until_the_deletion,
    an_undo_link_that_is_sent_after_the_migration_lasts_until_the_deletion,
    an_old_account_belongs_to_the_region_of_its_country,
    an_old_account_is_found_by_its_former_address_for_180_days,
    an_account_without_a_former_system_has_no_legacy_id,
    details_of_an_old_account_are_set_by_its_migration
);

const OLDIE: &str = "--email oldie@example.org";

async fn site_with_old_account(db: &Database) -> Site {
    let site = site_with_system_clock(db).await;
    site.import_accounts(&[old("oldie"), old("other")]).await;
    site
}

fn set_email(to: &str) -> String {
    format!("users set-email --legacy-id id-oldie --reason ticket-17 --to {to}")
}

/// Migrates the account with the token of a migration link.
async fn migrate(site: &Site, token: &str) {
    assert_status!(confirm(&site.browser(), token, "Orange-Tree-42"), 200);
}

/// Asserts that a migration link has ended.
async fn assert_link_ended(site: &Site, token: &str) {
    assert_refused!(
        confirm(&site.browser(), token, "Orange-Tree-42"),
        InvalidToken
    );
}

/// Undoes the change of the address, and asserts the restored one.
async fn undo(site: &Site, token: &str) {
    let undone = site.browser().undo_email_change(token).await;
    assert_eq!(undone.json()["email"], "oldie@example.org");
}

/// Moves the account to this address. Returns the mails to the new and to the former mailbox.
async fn move_to_new_address(db: &Database, site: &Site) -> [Mail; 2] {
    run_successfully(db, &set_email("new@example.org"));
    mails(site).await.try_into().unwrap()
}

fn recipients(mails: &[Mail]) -> Vec<&str> {
    mails.iter().map(|mail| &*mail.to).collect()
}

/// The token of the last migration link to the imported address.
fn migration_token(mails: &[Mail]) -> String {
    let to_oldie = mails
        .iter()
        .filter(|mail| mail.to == "oldie@example.org" && mail.has_token());
    let mut links = to_oldie.filter(|mail| mail.link().contains("/account/migration?"));
    links.next_back().expect("a migration link").token()
}

async fn email_of(site: &Site) -> String {
    let sql = "SELECT email FROM legacy_accounts WHERE legacy_id = 'id-oldie'";
    site.value(sql).await
}

async fn an_old_account_is_exported_with_its_whole_row(db: Database) {
    let site = site_with_old_account(&db).await;
    run_successfully(&db, &format!("users export --output old.zip {OLDIE}"));
    let (document, page) = read_archive(&db, "old.zip");
    let waiting = &document["waiting_account"];
    let row = old("oldie");
    for column in [
        "email", "username", "first_name", "last_name", "country", "birthday_day", "zipcode",
        "marketing_consent", "language", "legacy_id", "created_at",
    ] {
        assert_eq!(waiting[column], row[column], "{column}");
    }
    assert!(waiting["imported_at"].is_string());
    assert!(
        !document.to_string().contains("371dc46a865f4436"),
        "no hash"
    );
    for part in [
        "lang=\"de\"", "oldie@example.org", "Ampère", "30. November 1990", "Deutschland",
    ] {
        assert_contains!(page, part);
    }
    assert_eq!(show_account(&db, OLDIE)["birthday"], "1990-11-30");
    site.assert_audit("export, find").await;
}

async fn an_old_account_is_deleted_at_once_and_only_on_request(db: Database) {
    let site = site_with_old_account(&db).await;
    let delete = format!("users delete --reason ticket-17 {OLDIE}");
    assert_failure(&db, &delete, 1, "add --now");
    let now = delete + " --now";
    run_successfully(&db, &now);
    let emails = site.column::<String>("SELECT email FROM legacy_accounts");
    assert_eq!(emails.await, ["other@example.org"]);
    assert_failure(&db, &now, 1, "no such account");
    site.assert_audit("delete refused: nothing_pending, delete_now, delete_now refused: not_found")
        .await;
}

async fn an_old_account_is_invited_no_more(db: Database) {
    let site = site_with_old_account(&db).await;
    site.member("ada").await;
    site.mails().await;
    run_successfully(&db, "legacy invite");
    let unsubscribe = format!("legacy unsubscribe {OLDIE}");
    run_successfully(&db, &unsubscribe);
    run_successfully(&db, &unsubscribe);
    // The queued invitation is withdrawn.
    assert_eq!(recipients(&mails(&site).await), ["other@example.org"]);
    let at = site.legacy_timestamp("unsubscribed_at", "oldie@example.org");
    assert!(at.await.is_some());
    let migrated = "legacy unsubscribe --email ada@example.org";
    assert_failure(&db, migrated, 1, "--newsletter off");
    site.assert_audit("unsubscribe, unsubscribe, unsubscribe refused: nothing_pending")
        .await;
}

async fn the_address_of_an_old_account_is_changed_and_restored(db: Database) {
    let site = site_with_old_account(&db).await;
    site.member("ada").await;
    site.mails().await;
    for taken in ["ada@example.org", "other@example.org"] {
        assert_failure(&db, &set_email(taken), 1, "belongs to another account");
    }
    let unknown = "users show --legacy-id id-nobody";
    assert_failure(&db, unknown, 1, "no such account");
    run_successfully(&db, &set_email("new@example.org"));
    // The same file once more.
    site.import_accounts(&[old("oldie"), old("other")]).await;
    assert_eq!(email_of(&site).await, "new@example.org");
    let both = ["new@example.org", "oldie@example.org"];
    let first = mails(&site).await;
    assert_eq!(recipients(&first), both);
    assert_contains!(first[0].link(), "/account/migration?");
    assert_contains!(first[1].link(), "undo=");
    undo(&site, &first[1].token()).await;
    assert_eq!(email_of(&site).await, "oldie@example.org");
    assert_eq!(recipients(&mails(&site).await), both);
    // The link in the mailbox that lost the account has ended.
    assert_link_ended(&site, &first[0].token()).await;
    assert_refused!(
        site.browser().undo_email_change(&first[1].token()),
        InvalidToken
    );
    site.assert_audit(
        "set_email refused: account_exists, set_email refused: account_exists, find, set_email",
    )
    .await;
}

// security: SE-9
async fn a_former_address_of_an_old_account_is_restored_without_a_way_back(db: Database) {
    let site = site_with_old_account(&db).await;
    for thief in ["thief@example.net", "second@example.net"] {
        run_successfully(&db, &set_email(thief));
        site.advance("1m");
    }
    let before = mails(&site).await;
    let undone = run_for_json(&db, &set_email("oldie@example.org --json"));
    assert_eq!(
        undone,
        json!({"done": true, "email": "undone", "taken": false, "password_ended": false,
            "removed": [], "remaining": []})
    );
    assert_eq!(email_of(&site).await, "oldie@example.org");
    let to_thief = |mail: &&Mail| mail.to.ends_with("@example.net");
    for mail in before.iter().filter(to_thief) {
        let token = mail.token();
        assert_refused!(site.browser().undo_email_change(&token), InvalidToken);
        assert_link_ended(&site, &token).await;
    }
    migrate(&site, &migration_token(&mails(&site).await)).await;
    assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
}

// security: SE-9
async fn an_address_that_an_old_account_never_proved_is_asked_after_the_migration(db: Database) {
    let site = site_with_old_account(&db).await;
    let wrong = ["wrong@example.net", "other-wrong@example.net"];
    for address in [wrong[0], wrong[1], "oldie@example.org"] {
        run_successfully(&db, &set_email(address));
        site.advance("1m");
    }
    migrate(&site, &migration_token(&mails(&site).await)).await;
    for address in wrong {
        run_successfully(&db, &set_email(address));
        assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
    }
}

async fn an_undo_of_an_old_account_takes_effect_while_its_address_is_taken(db: Database) {
    let site = site_with_old_account(&db).await;
    let [to_new, to_former] = move_to_new_address(&db, &site).await;
    let ada = site.signed_in("ada").await;
    site.mails().await;
    change_email(&ada.browser, "oldie@example.org").await;
    let done = site.browser().undo_email_change(&to_former.token()).await;
    let done = done.json();
    assert_eq!(
        (&done["email"], &done["taken"]),
        (&json!("oldie@example.org"), &json!(true))
    );
    assert!(email_of(&site).await.ends_with(".invalid"));
    assert_link_ended(&site, &to_new.token()).await;
}

async fn the_former_mailbox_gets_the_account_back_after_the_migration_too(db: Database) {
    let site = site_with_old_account(&db).await;
    let [to_new, to_former] = move_to_new_address(&db, &site).await;
    migrate(&site, &to_new.token()).await;
    let shown = show_account(&db, "--legacy-id id-oldie");
    assert_eq!(shown["state"], "active");
    assert_eq!(shown["username"], "oldie");
    undo(&site, &to_former.token()).await;
    assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
}

async fn an_undo_link_from_before_the_migration_lasts_until_the_deletion(db: Database) {
    let site = site_with_old_account(&db).await;
    let [to_new, to_former] = move_to_new_address(&db, &site).await;
    migrate(&site, &to_new.token()).await;
    let id = site.id_of("oldie").await;
    request_deletion(&site.app, id).await.unwrap();
    let notices = mails(&site).await;
    assert_eq!(
        recipients(&notices),
        ["new@example.org", "oldie@example.org"]
    );
    site.advance("8d");
    site.run_expiry().await;
    undo(&site, &to_former.token()).await;
    site.assert_count("pending_acts WHERE act = 'deletion'", 0)
        .await;
    assert_refused!(
        site.browser().undo_credential(&notices[1].token()),
        InvalidToken
    );
}

async fn an_undo_link_that_is_sent_after_the_migration_lasts_until_the_deletion(db: Database) {
    db.allow_unread_mails();
    let site = db.site_set("security.legacy_sign_in = 'silent'").await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    site.import_accounts(&[old("oldie")]).await;
    run_successfully(&db, &set_email("new@example.org"));
    site.advance("1m");
    // The sign-in migrates the account. The mail with the undo link is still queued.
    let credentials = json!({"email": "new@example.org", "password": OLD_PASSWORD});
    assert_status!(site.browser().post("/login", &credentials), 200);
    let id = site.id_of("oldie").await;
    request_deletion(&site.app, id).await.unwrap();
    let sent = mails(&site).await;
    let to_former = |part: &str| {
        let mut found = sent.iter().filter(|mail| mail.to == "oldie@example.org");
        found.find(|mail| mail.link().contains(part)).unwrap()
    };
    to_former("/account/undo?token=");
    let link = to_former("/account/change-email?undo=").token();
    site.advance("8d");
    site.run_expiry().await;
    undo(&site, &link).await;
}

async fn an_old_account_belongs_to_the_region_of_its_country(db: Database) {
    let uk = Region {
        country_code: Some("gb".into()),
        ..brand("uk", "uk.example.org")
    };
    let site = db
        .allow_unread_mails()
        .site_with(|c| c.regions.push(uk))
        .await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    site.import_accounts(&[old_with("oldie", &json!({"country": "gb"}))])
        .await;
    let regions = "[[regions]]\nid = 'us'\nhosts = ['localhost']\n\
        [[regions]]\nid = 'uk'\nhosts = ['uk.example.org']\ncountry_code = 'gb'\n\
        timezone = 'Asia/Tokyo'\n";
    write(db.folder(), "account.toml", regions);
    let run = |command: &str| run_successfully(&db, &format!("{command} --config account.toml"));
    run(&format!("users resend --kind migration {OLDIE}"));
    let resent = mails(&site).await;
    assert_eq!(resent.len(), 1);
    let page = "http://uk.example.org:8080/account/migration?";
    assert!(resent[0].link().starts_with(page), "{}", resent[0].text);

    run(&format!("users export --output old.zip {OLDIE}"));
    let (_, page) = read_archive(&db, "old.zip");
    assert_contains!(page, "(JST)");

    run(&set_email("new@example.org"));
    for mail in mails(&site).await {
        let is_in_region = mail.link().starts_with("http://uk.example.org:8080/");
        assert!(is_in_region, "{}", mail.text);
    }
}

/// The legacy id, the state and the email address that `users show` returns for these arguments.
fn shown_as(db: &Database, arguments: &str) -> Value {
    let shown = show_account(db, arguments);
    json!(["legacy_id", "state", "email"].map(|key| &shown[key]))
}

async fn an_old_account_is_found_by_its_former_address_for_180_days(db: Database) {
    let site = site_with_old_account(&db).await;
    let former = "--former OLDIE@example.org";
    let show = format!("users show {former}");
    assert_failure(&db, &show, 1, "no such account");
    // An operator changes the address, and then a newer export.
    run_successfully(&db, &set_email("new@example.org"));
    let new = json!(["id-oldie", "legacy", "new@example.org"]);
    assert_eq!(shown_as(&db, former), new);
    site.import_accounts(&[old_with("oldie", &json!({"email": "newer@example.org"}))])
        .await;
    let newer = json!(["id-oldie", "legacy", "newer@example.org"]);
    assert_eq!(shown_as(&db, former), newer);
    assert_eq!(shown_as(&db, "--former new@example.org"), newer);
    let current = "users show --former newer@example.org";
    assert_failure(&db, current, 1, "no such account");
    // The migrated account is found, too.
    run_successfully(&db, &set_email("newest@example.org"));
    let sent = mails(&site).await;
    let link = sent.iter().find(|mail| mail.to == "newest@example.org");
    migrate(&site, &link.unwrap().token()).await;
    let migrated = json!(["id-oldie", "active", "newest@example.org"]);
    assert_eq!(shown_as(&db, former), migrated);
    let kept = "names WHERE kind = 'former_email'";
    site.assert_count(kept, 3).await;
    let days: i64 = 180 * 24 * 3_600_000;
    let sql = "UPDATE names SET until = until - $1 WHERE kind = 'former_email'";
    site.execute(sql, account::params![days]).await;
    assert_failure(&db, &show, 1, "no such account");
    site.run_expiry().await;
    site.assert_count(kept, 0).await;
}

async fn an_account_without_a_former_system_has_no_legacy_id(db: Database) {
    let site = site_with_old_account(&db).await;
    let ada = site.member("ada").await;
    let of_ada = show_account(&db, &format!("--email {}", ada.email));
    assert_eq!(of_ada["legacy_id"], Value::Null);
    assert_eq!(show_account(&db, OLDIE)["legacy_id"], "id-oldie");
    let shown = run_successfully(&db, &format!("users show {OLDIE}"));
    assert_contains!(shown, "legacy_id      id-oldie\n");
}

async fn details_of_an_old_account_are_set_by_its_migration(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.import_accounts(&[old_with("oldie", &json!({"zipcode": null}))])
        .await;
    let set = format!("users set --country gb --reason ticket-17 {OLDIE}");
    assert_failure(&db, &set, 1, "waits for its migration");
    // Without all details the new mailbox gets the link to the form.
    run_successfully(&db, &set_email("new@example.org"));
    let mails = mails(&site).await;
    assert_contains!(mails[0].link(), "/account/migration-confirmation?");
}
