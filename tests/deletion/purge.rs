//! The purge after a deletion: a reader delays it, and a failed purge does not undo the deletion. Only SQLite purges.

use account::testing::auth::deletion::purge;
use account::testing::legacy;
use rusqlite::Connection;

use crate::old_accounts::old;
use crate::support::prelude::*;
use crate::users::run_successfully;

fn open_file(db: &Database) -> Connection {
    Connection::open(db.folder().join("account.db")).unwrap()
}

/// A connection with a snapshot of the database, which keeps the WAL from being truncated.
fn open_snapshot(db: &Database) -> Connection {
    let reader = open_file(db);
    let sql = "BEGIN; SELECT COUNT(*) FROM accounts";
    reader.execute_batch(sql).unwrap();
    reader
}

on_sqlite!(
    a_purge_is_repeated_while_a_reader_prevents_it,
    a_purge_of_legacy_accounts_reports_a_reader_that_prevents_it,
    a_deletion_succeeds_although_the_purge_fails,
);

async fn a_purge_is_repeated_while_a_reader_prevents_it(db: Database) {
    let site = db.site().await;
    site.joined("ada").await;
    let reader = open_snapshot(&db);
    site.joined("bob").await;
    let (is_done, ()) = tokio::join!(purge(&site.app), async { drop(reader) });
    assert!(is_done);
}

async fn import_one(site: &Site) -> i64 {
    site.import_accounts(&[old("hal")]).await;
    site.advance("1d");
    site.now()
}

/// The command of the operator can be run again, so its result states that rows remain in the file.
async fn a_purge_of_legacy_accounts_reports_a_reader_that_prevents_it(db: Database) {
    let site = db.site().await;
    let before = import_one(&site).await;
    let reader = open_snapshot(&db);
    let prevented = legacy::purge::run(&site.app, before, |_| {}).await;
    let error = prevented.unwrap_err().to_string();
    assert!(error.contains("still"), "{error}");
    site.assert_count("legacy_accounts", 0).await;
    drop(reader);
    let repeated = legacy::purge::run(&site.app, before, |_| {}).await;
    assert_eq!(repeated.unwrap(), 0);
}

/// Makes every later `VACUUM` fail: adds a table whose root page belongs to an index. No other statement reads it.
fn damage(db: &Database) {
    let sql = "CREATE TABLE damaged (a UNIQUE);
        INSERT INTO damaged VALUES (1);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
          WHERE name = 'sqlite_autoindex_damaged_1') WHERE name = 'damaged';
        PRAGMA writable_schema = OFF;
        CREATE TABLE later (a)";
    open_file(db).execute_batch(sql).unwrap();
}

async fn a_deletion_succeeds_although_the_purge_fails(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.joined_and_signed_in("ada").await;
    damage(&db);
    assert!(!purge(&site.app).await);
    let now = ["users", "delete", "--now", "--email", &ada.email];
    run_successfully(&db, &now);
    site.assert_count("accounts", 0).await;
}
