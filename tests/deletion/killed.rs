//! `kill -9` during deletions: each account is there with everything, or gone with everything.

use crate::support::database::{Kind, contains, run};
use crate::support::eventually;
use crate::support::prelude::*;
use crate::support::process::Process;

/// Adds accounts whose deletion is due, with rows in the tables that do not cascade.
async fn add_due_accounts(site: &Site, accounts: usize, round: usize) {
    for number in 0..accounts {
        let name = format!("gone{round}x{number}");
        site.member(&name).await;
        site.insert_act(&name, "deletion", 1, 1).await;
        let hash = account::testing::rng::Rng::System.bytes::<32>();
        let sql =
            "INSERT INTO tokens (token_hash, purpose, subject_id, email, created_at, expires_at)
            SELECT $1, 'reset', id, email, 1, 9000000000000 FROM accounts WHERE username = $2";
        site.execute(sql, params![&hash, &name]).await;
        let sql = "INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at,
              due_at, attempts, priority)
            SELECT id, 'deletion_reminder', id, email, 'en', 'default', '{}', 9000000000000, 9000000000000, 0, 1
            FROM accounts WHERE username = $1";
        site.execute(sql, params![&name]).await;
    }
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
            let left = (site.count(&with_account).await, site.count(table).await);
            assert_eq!(left, (accounts, accounts), "{table} in round {round}");
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
    let free = form_with("x", &free);
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
