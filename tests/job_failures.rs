//! A failure of a job for one account or for one kind of rows does not stop it for the others.

use account::testing::jobs::expiry;

use crate::support::database::Kind;
use crate::support::{Database, Site};

/// Makes it impossible to delete some rows of a table, by references to them.
async fn block_deletion(site: &Site, db: &Database, table: &str, key: &str, condition: &str) {
    let column = match (db.kind(), key) {
        (Kind::Sqlite, _) => "BLOB",
        (Kind::Postgres, "id") => "UUID",
        (Kind::Postgres, _) => "BYTEA",
    };
    site.execute_all(&[
        &format!("CREATE TABLE blocked (row_key {column} REFERENCES {table} ({key}))"),
        &format!("INSERT INTO blocked SELECT {key} FROM {table} WHERE {condition}"),
    ])
    .await;
}

on_both_databases!(
    an_account_that_cannot_be_deleted_does_not_stop_the_others,
    a_kind_of_rows_that_cannot_be_deleted_does_not_stop_the_others,
);

async fn an_account_that_cannot_be_deleted_does_not_stop_the_others(db: Database) {
    let site = db.site().await;
    for (name, due_at) in [("ada", 1), ("kim", 2), ("eve", 3)] {
        site.member(name).await;
        site.insert_act(name, "deletion", due_at, due_at).await;
    }
    block_deletion(&site, &db, "accounts", "id", "username = 'ada'").await;
    assert_eq!(site.run_deletion().await, 2);
    site.assert_count("accounts WHERE username = 'ada'", 1)
        .await;
    site.execute("DELETE FROM blocked", account::params![])
        .await;
    assert_eq!(site.run_deletion().await, 1);
    site.assert_count("accounts", 0).await;
}

async fn a_kind_of_rows_that_cannot_be_deleted_does_not_stop_the_others(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    site.browser().request_reset(&ada.email).await;
    site.mails().await;
    block_deletion(&site, &db, "tokens", "token_hash", "1 = 1").await;
    site.advance("30d");
    let tokens = site.count("tokens").await;
    assert!(tokens > 0 && site.count("limits").await > 0);
    let (_go, stop) = tokio::sync::watch::channel(false);
    let failed = expiry::delete_expired(&site.app, &stop).await;
    assert!(failed.is_err(), "{failed:?}");
    site.assert_count("tokens", tokens).await;
    // Deleted after the tokens.
    site.assert_count("limits", 0).await;
    site.execute("DELETE FROM blocked", account::params![])
        .await;
    site.run_expiry().await;
    site.assert_count("tokens", 0).await;
}
