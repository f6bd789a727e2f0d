//! `kill -9` during deletions: each account is there with everything, or gone with everything.

use serde_json::json;

use crate::support::actors::form;
use crate::support::database::{Kind, contains, run};
use crate::support::process::Process;
use crate::support::{Database, Site, eventually};

/// Accounts whose deletion is due, with rows in the tables that do not cascade.
async fn add_due_accounts(site: &Site, accounts: usize, round: usize) {
    let mut tx = site.app.store.write().await.unwrap();
    for number in 0..accounts {
        let id = site.app.rng.id(site.now());
        let name = format!("gone{round}x{number}");
        let email = format!("{name}@example.org");
        let sql = "INSERT INTO accounts (id, email, email_key, username, username_key, password_hash,
              password_changed_at, language, region, country, zipcode, birthday, marketing_consent,
              marketing_consent_at, email_verified_at, created_at)
            VALUES ($1, $2, $2, $3, $3, 'x', 1, 'en', 'default', 'us', '90210', '1990-07-05', $4, 1, 1, 1)";
        tx.execute(sql, account::params![id, &email, &name, false])
            .await
            .unwrap();
        let sql = "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
            VALUES ($1, 'deletion', 1, 1, 1)";
        tx.execute(sql, account::params![id]).await.unwrap();
        let sql =
            "INSERT INTO tokens (token_hash, purpose, subject_id, email, created_at, expires_at)
            VALUES ($1, 'reset', $2, $3, 1, 9000000000000)";
        let hash = account::testing::rng::Rng::System.bytes::<32>();
        tx.execute(sql, account::params![&hash, id, &email])
            .await
            .unwrap();
        let sql = "INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at,
              due_at, attempts, priority)
            VALUES ($1, 'deletion_reminder', $1, $2, 'en', 'default', '{}', 9000000000000, 9000000000000, 0, 1)";
        tx.execute(sql, account::params![id, &email]).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Kills the program `kills` times while it deletes.
async fn assert_survives_kills(db: &Database, kills: usize) {
    db.allow_unread_mails();
    let settings = [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_LIFETIMES__SWEEP", "1ms"),
    ];
    let site = db.site().await;
    for round in 0..kills {
        add_due_accounts(&site, 8, round).await;
        let mut process = Process::serve(db.folder(), &settings).await;
        // Rounds differ in how far the deletions have come.
        let before = 8 - (round % 8) as i64;
        eventually("some accounts are deleted", async || {
            site.count("accounts").await < before.max(1)
        })
        .await;
        process.kill();
        let accounts = site.count("accounts").await;
        for table in ["tokens", "outbox"] {
            let with_account = format!("{table} WHERE subject_id IN (SELECT id FROM accounts)");
            let left = site.count(&with_account);
            assert_eq!(left.await, accounts, "{table} in round {round}");
            assert_eq!(
                site.count(table).await,
                accounts,
                "{table} in round {round}"
            );
        }
        let kept = site.count("deleted_accounts").await;
        assert_eq!(kept + accounts, 8 * (round as i64 + 1), "round {round}");
    }
    let process = Process::serve(db.folder(), &settings).await;
    eventually("the rest is deleted", async || {
        site.count("accounts").await == 0
    })
    .await;
    if db.kind() == Kind::Sqlite {
        eventually("the files hold nothing", async || {
            !contains(&db.bytes(&site).await, b"gone")
        })
        .await;
    }
    let response = process.post("/register", &form("gone0x0")).await;
    assert_eq!(response.status(), 409, "the username is held");
    let free = json!({"email": "gone0x0@example.org", "username": "newname"});
    let free = crate::support::actors::form_with("x", &free);
    let response = process.post("/register", &free).await;
    assert_eq!(response.status(), 201, "the address is free");
}

on_both_databases!(a_killed_deletion_is_complete_or_without_effect);
// security: MD-2: ten kills on each database
async fn a_killed_deletion_is_complete_or_without_effect(db: Database) {
    assert_survives_kills(&db, 10).await;
}

// security: MD-2: 200 kills. cargo nextest run --run-ignored only -E 'test(two_hundred_kills)'
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn two_hundred_kills_leave_no_half_deleted_account() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        run(kind, async |db: Database| {
            assert_survives_kills(&db, 100).await;
        })
        .await;
    }
}
