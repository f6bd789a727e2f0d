//! The commands for an old account that waits for its migration.

use account::config::{LegacySignIn, Region};
use account::testing::accounts::request_deletion;
use account::testing::clock::{Clock, rfc3339};
use serde_json::{Value, json};

use super::corrections::mails;
use super::{assert_failure, read_archive, run_successfully, show_account, site_with_system_clock};
use crate::email_change::change_email;
use crate::migration::confirm;
use crate::old_accounts::{OLD_PASSWORD, old, old_with};
use crate::regions::brand;
use crate::support::mails::Mail;
use crate::support::{Database, Site};

const OLDIE: [&str; 2] = ["--email", "oldie@example.org"];

async fn site_with_old_account(db: &Database) -> Site {
    let site = site_with_system_clock(db).await;
    site.import_accounts(&[old("oldie"), old("other")]).await;
    site
}

fn set_email(to: &str) -> Vec<&str> {
    let account = ["users", "set-email", "--legacy-id", "id-oldie"];
    [&account[..], &["--to", to, "--reason", "ticket 17"]].concat()
}

/// The token of the last migration link to the imported address.
fn migration_token(mails: &[Mail]) -> String {
    let to_oldie = mails
        .iter()
        .filter(|mail| mail.to == OLDIE[1] && mail.has_token());
    let mut links = to_oldie.filter(|mail| mail.link().contains("/account/migration?"));
    links.next_back().expect("a migration link").token()
}

async fn email_of(site: &Site) -> String {
    let sql = "SELECT email FROM legacy_accounts WHERE legacy_id = 'id-oldie'";
    site.rows(sql, &[]).await[0].get(0)
}

on_both_databases!(an_old_account_is_exported_with_its_whole_row);
async fn an_old_account_is_exported_with_its_whole_row(db: Database) {
    let site = site_with_old_account(&db).await;
    let command = [&["users", "export", "--output", "old.zip"][..], &OLDIE].concat();
    run_successfully(&db, &command);
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
        assert!(page.contains(part), "{part} in {page}");
    }
    let shown = show_account(&db, &OLDIE);
    assert_eq!(shown["account"]["birthday"], "1990-11-30");
    site.assert_audit(&["export", "find"]).await;
}

on_both_databases!(an_old_account_is_deleted_at_once_and_only_on_request);
async fn an_old_account_is_deleted_at_once_and_only_on_request(db: Database) {
    let site = site_with_old_account(&db).await;
    let delete = [&["users", "delete", "--reason", "ticket 17"][..], &OLDIE].concat();
    assert_failure(&db, &delete, 1, "add --now");
    run_successfully(&db, &[&delete[..], &["--now"]].concat());
    let emails = site.rows("SELECT email FROM legacy_accounts", &[]).await;
    let emails: Vec<String> = emails.iter().map(|row| row.get(0)).collect();
    assert_eq!(emails, ["other@example.org"]);
    assert_failure(
        &db,
        &[&delete[..], &["--now"]].concat(),
        1,
        "no such account",
    );
    site.assert_audit(&[
        "delete refused: nothing_pending",
        "delete_now",
        "delete_now refused: not_found",
    ])
    .await;
}

on_both_databases!(an_old_account_is_invited_no_more);
async fn an_old_account_is_invited_no_more(db: Database) {
    let site = site_with_old_account(&db).await;
    site.member("ada").await;
    site.mails().await;
    run_successfully(&db, &["legacy", "invite"]);
    let unsubscribe = [&["legacy", "unsubscribe"][..], &OLDIE].concat();
    run_successfully(&db, &unsubscribe);
    run_successfully(&db, &unsubscribe);
    let invited: Vec<_> = mails(&site).await.into_iter().map(|mail| mail.to).collect();
    assert_eq!(
        invited,
        ["other@example.org"],
        "the queued invitation is withdrawn"
    );
    let at = site.legacy_timestamp("unsubscribed_at", "oldie@example.org");
    assert!(at.await.is_some());
    let migrated = ["legacy", "unsubscribe", "--email", "ada@example.org"];
    assert_failure(&db, &migrated, 1, "--newsletter off");
    site.assert_audit(&[
        "unsubscribe",
        "unsubscribe",
        "unsubscribe refused: nothing_pending",
    ])
    .await;
}

on_both_databases!(the_address_of_an_old_account_is_changed_and_restored);
async fn the_address_of_an_old_account_is_changed_and_restored(db: Database) {
    let site = site_with_old_account(&db).await;
    site.member("ada").await;
    site.mails().await;
    for taken in ["ada@example.org", "other@example.org"] {
        assert_failure(&db, &set_email(taken), 1, "belongs to another account");
    }
    let unknown = ["users", "show", "--legacy-id", "id-nobody"];
    assert_failure(&db, &unknown, 1, "no such account");
    run_successfully(&db, &set_email("new@example.org"));
    // The same file once more.
    site.import_accounts(&[old("oldie"), old("other")]).await;
    assert_eq!(email_of(&site).await, "new@example.org");
    let first = mails(&site).await;
    let to: Vec<_> = first.iter().map(|mail| &*mail.to).collect();
    assert_eq!(to, ["new@example.org", "oldie@example.org"]);
    assert!(
        first[0].link().contains("/account/migration?"),
        "{}",
        first[0].text
    );
    assert!(first[1].link().contains("undo="), "{}", first[1].text);
    let response = site.browser().undo_email_change(&first[1].token()).await;
    assert_eq!(response.json()["email"], "oldie@example.org");
    assert_eq!(email_of(&site).await, "oldie@example.org");
    let notices: Vec<_> = mails(&site).await.into_iter().map(|mail| mail.to).collect();
    assert_eq!(notices, ["new@example.org", "oldie@example.org"]);
    // The link in the mailbox that lost the account has ended.
    let lost = first[0].token();
    assert_refused!(
        confirm(&site.browser(), &lost, "Orange-Tree-42"),
        InvalidToken
    );
    assert_refused!(
        site.browser().undo_email_change(&first[1].token()),
        InvalidToken
    );
    site.assert_audit(&[
        "set_email refused: account_exists",
        "set_email refused: account_exists",
        "find",
        "set_email",
    ])
    .await;
}

on_both_databases!(a_former_address_of_an_old_account_is_restored_without_a_way_back);
// security: SE-9
async fn a_former_address_of_an_old_account_is_restored_without_a_way_back(db: Database) {
    let site = site_with_old_account(&db).await;
    for thief in ["thief@example.net", "second@example.net"] {
        run_successfully(&db, &set_email(thief));
        site.advance("1m");
    }
    let before = mails(&site).await;
    let undone = [&set_email("oldie@example.org")[..], &["--json"]].concat();
    let undone: Value = serde_json::from_str(&run_successfully(&db, &undone)).unwrap();
    assert_eq!(
        undone,
        json!({"done": true, "email": "undone", "taken": false, "password_ended": false,
            "removed": [], "remaining": []})
    );
    assert_eq!(email_of(&site).await, "oldie@example.org");
    let links = before
        .iter()
        .filter(|mail| mail.to.ends_with("@example.net"));
    for token in links.map(|mail| mail.token()) {
        let browser = site.browser();
        assert_refused!(browser.undo_email_change(&token), InvalidToken);
        assert_refused!(confirm(&browser, &token, "Orange-Tree-42"), InvalidToken);
    }
    let after = mails(&site).await;
    let link = migration_token(&after);
    let confirmed = confirm(&site.browser(), &link, "Orange-Tree-42").await;
    confirmed.assert_status(200);
    assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
}

on_both_databases!(an_address_that_an_old_account_never_proved_is_asked_after_the_migration);
// security: SE-9
async fn an_address_that_an_old_account_never_proved_is_asked_after_the_migration(db: Database) {
    let site = site_with_old_account(&db).await;
    for address in [
        "wrong@example.net", "other-wrong@example.net", "oldie@example.org",
    ] {
        run_successfully(&db, &set_email(address));
        site.advance("1m");
    }
    let sent = mails(&site).await;
    let link = migration_token(&sent);
    let confirmed = confirm(&site.browser(), &link, "Orange-Tree-42").await;
    confirmed.assert_status(200);
    for address in ["wrong@example.net", "other-wrong@example.net"] {
        run_successfully(&db, &set_email(address));
        assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
    }
}

on_both_databases!(an_undo_of_an_old_account_takes_effect_while_its_address_is_taken);
async fn an_undo_of_an_old_account_takes_effect_while_its_address_is_taken(db: Database) {
    let site = site_with_old_account(&db).await;
    run_successfully(&db, &set_email("new@example.org"));
    let sent = mails(&site).await;
    let ada = site.signed_in("ada").await;
    site.mails().await;
    change_email(&ada.browser, "oldie@example.org").await;
    let done = site.browser().undo_email_change(&sent[1].token()).await;
    let done = done.json();
    assert_eq!(
        (&done["email"], &done["taken"]),
        (&json!("oldie@example.org"), &json!(true))
    );
    assert!(email_of(&site).await.ends_with(".invalid"));
    let lost = sent[0].token();
    assert_refused!(
        confirm(&site.browser(), &lost, "Orange-Tree-42"),
        InvalidToken
    );
}

on_both_databases!(the_former_mailbox_gets_the_account_back_after_the_migration_too);
async fn the_former_mailbox_gets_the_account_back_after_the_migration_too(db: Database) {
    let site = site_with_old_account(&db).await;
    run_successfully(&db, &set_email("new@example.org"));
    let sent = mails(&site).await;
    let confirmed = confirm(&site.browser(), &sent[0].token(), "Orange-Tree-42").await;
    confirmed.assert_status(200);
    let shown = show_account(&db, &["--legacy-id", "id-oldie"]);
    assert_eq!(shown["account"]["state"], "active");
    assert_eq!(shown["account"]["username"], "oldie");
    let response = site.browser().undo_email_change(&sent[1].token()).await;
    assert_eq!(response.json()["email"], "oldie@example.org");
    assert_eq!(site.user("oldie").await["email"], "oldie@example.org");
}

on_both_databases!(an_undo_link_from_before_the_migration_lasts_until_the_deletion);
async fn an_undo_link_from_before_the_migration_lasts_until_the_deletion(db: Database) {
    let site = site_with_old_account(&db).await;
    run_successfully(&db, &set_email("new@example.org"));
    let sent = mails(&site).await;
    let confirmed = confirm(&site.browser(), &sent[0].token(), "Orange-Tree-42").await;
    confirmed.assert_status(200);
    let id = site.id_of("oldie").await;
    request_deletion(&site.app, id).await.unwrap();
    let notices = mails(&site).await;
    let to: Vec<_> = notices.iter().map(|mail| &*mail.to).collect();
    assert_eq!(to, ["new@example.org", "oldie@example.org"]);
    site.advance("8d");
    site.run_expiry().await;
    let response = site.browser().undo_email_change(&sent[1].token()).await;
    assert_eq!(response.json()["email"], "oldie@example.org");
    site.assert_count("pending_acts WHERE act = 'deletion'", 0)
        .await;
    assert_refused!(
        site.browser().undo_credential(&notices[1].token()),
        InvalidToken
    );
}

on_both_databases!(an_undo_link_that_is_sent_after_the_migration_lasts_until_the_deletion);
async fn an_undo_link_that_is_sent_after_the_migration_lasts_until_the_deletion(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.security.legacy_sign_in = LegacySignIn::Silent)
        .await;
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
    let response = site.browser().undo_email_change(&link).await;
    assert_eq!(response.json()["email"], "oldie@example.org");
}

on_both_databases!(an_old_account_belongs_to_the_region_of_its_country);
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
    std::fs::write(db.folder().join("account.toml"), regions).unwrap();
    let settings = ["--config", "account.toml"];
    let resend = ["users", "resend", "--kind", "migration"];
    run_successfully(&db, &[&resend[..], &OLDIE, &settings].concat());
    let resent = mails(&site).await;
    assert_eq!(resent.len(), 1);
    let page = "http://uk.example.org:8080/account/migration?";
    assert!(resent[0].link().starts_with(page), "{}", resent[0].text);

    let export = ["users", "export", "--output", "old.zip"];
    run_successfully(&db, &[&export[..], &OLDIE, &settings].concat());
    let (_, page) = read_archive(&db, "old.zip");
    assert!(page.contains("(JST)"), "{page}");

    let change = [&set_email("new@example.org")[..], &settings].concat();
    run_successfully(&db, &change);
    for mail in mails(&site).await {
        let is_in_region = mail.link().starts_with("http://uk.example.org:8080/");
        assert!(is_in_region, "{}", mail.text);
    }
}

/// Runs `users show` with these arguments, and returns the legacy id, the state and the email address of the account.
fn shown_as(db: &Database, arguments: &[&str]) -> [Value; 3] {
    let shown = show_account(db, arguments);
    ["legacy_id", "state", "email"].map(|key| shown["account"][key].clone())
}

on_both_databases!(an_old_account_is_found_by_its_former_address_for_180_days);
async fn an_old_account_is_found_by_its_former_address_for_180_days(db: Database) {
    let site = site_with_old_account(&db).await;
    let former = ["--former", "OLDIE@example.org"];
    let show = [&["users", "show"][..], &former].concat();
    assert_failure(&db, &show, 1, "no such account");
    // An operator changes the address, and then a newer export.
    run_successfully(&db, &set_email("new@example.org"));
    let new = ["id-oldie", "legacy", "new@example.org"].map(Value::from);
    assert_eq!(shown_as(&db, &former), new);
    site.import_accounts(&[old_with("oldie", &json!({"email": "newer@example.org"}))])
        .await;
    let newer = ["id-oldie", "legacy", "newer@example.org"].map(Value::from);
    assert_eq!(shown_as(&db, &former), newer);
    assert_eq!(shown_as(&db, &["--former", "new@example.org"]), newer);
    assert_failure(
        &db,
        &["users", "show", "--former", "newer@example.org"],
        1,
        "no such account",
    );
    // The migrated account is found, too.
    run_successfully(&db, &set_email("newest@example.org"));
    let sent = mails(&site).await;
    let link = sent.iter().find(|mail| mail.to == "newest@example.org");
    let token = link.unwrap().token();
    let confirmed = confirm(&site.browser(), &token, "Orange-Tree-42").await;
    confirmed.assert_status(200);
    let migrated = ["id-oldie", "active", "newest@example.org"].map(Value::from);
    assert_eq!(shown_as(&db, &former), migrated);
    let kept = "names WHERE kind = 'former_email'";
    assert_eq!(site.count(kept).await, 3);
    let days: i64 = 180 * 24 * 3_600_000;
    let sql = "UPDATE names SET until = until - $1 WHERE kind = 'former_email'";
    site.execute(sql, account::params![days]).await;
    assert_failure(&db, &show, 1, "no such account");
    site.run_expiry().await;
    assert_eq!(site.count(kept).await, 0);
}

on_both_databases!(an_account_without_a_former_system_has_no_legacy_id);
async fn an_account_without_a_former_system_has_no_legacy_id(db: Database) {
    let site = site_with_old_account(&db).await;
    let ada = site.member("ada").await;
    let [id, ..] = shown_as(&db, &["--email", &ada.email]);
    assert_eq!(id, Value::Null);
    let [id, ..] = shown_as(&db, &OLDIE);
    assert_eq!(id, "id-oldie");
    let shown = run_successfully(&db, &[&["users", "show"][..], &OLDIE].concat());
    assert!(shown.contains("legacy_id      id-oldie\n"), "{shown}");
}

on_both_databases!(details_of_an_old_account_are_set_by_its_migration);
async fn details_of_an_old_account_are_set_by_its_migration(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.import_accounts(&[old_with("oldie", &json!({"zipcode": null}))])
        .await;
    let set = ["users", "set", "--country", "gb", "--reason", "ticket 17"];
    let set = [&set[..], &OLDIE].concat();
    assert_failure(&db, &set, 1, "waits for its migration");
    // Without all details the new mailbox gets the link to the form.
    run_successfully(&db, &set_email("new@example.org"));
    let mails = mails(&site).await;
    assert!(mails[0].link().contains("/account/migration-confirmation?"));
}
