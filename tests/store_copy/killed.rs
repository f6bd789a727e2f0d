//! A copy that is killed and started again.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::{path_in_folder, site_with_all_tables, with_two_databases};
use crate::prelude::*;
use crate::support::database::{Kind, run};
use crate::support::process;

/// Adds tokens to a SQLite database: rows with null, blob and text values.
fn add_rows(db: &rusqlite::Connection, rows: i64) {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
               INSERT INTO tokens (token_hash, purpose, subject_id, email, created_at, expires_at)
               SELECT randomblob(32), 'reset', randomblob(16), 'fan' || i || '@example.org', i, i FROM n";
    db.execute(sql, [rows]).unwrap();
}

async fn kill_copy_halfway(from: &Database, to: &Database, rows: i64) {
    let watcher = to.migrated().await;
    let arguments = format!("store copy --from {} --to {}", from.url(), to.url());
    let mut child = process::start(from.folder(), &arguments, &[], Stdio::null());
    let arrived = async || {
        let mut tx = watcher.read().await.unwrap();
        let sql = "SELECT COUNT(*) FROM tokens";
        tx.row(sql, &[]).await.unwrap().unwrap().get::<i64>(0)
    };
    // The copy stands still while its rows are counted, because it must not end in the meantime.
    let signal = |signal| kill_process(Pid::from_child(&child), signal).unwrap();
    eventually("rows arrive", async || {
        signal(Signal::STOP);
        let some = arrived().await > 0;
        if !some {
            signal(Signal::CONT);
        }
        some
    })
    .await;
    child.kill().unwrap();
    child.wait().unwrap();
    let half = arrived().await;
    assert!(
        half > 0 && half < rows,
        "{half} of {rows} when it was killed"
    );

    let (_, said) = run_to_success(from.folder(), &arguments, &[]);
    assert_contains!(
        said,
        &format!("{rows:>12} tokens"),
        "all of it copied and read back"
    );
    assert_eq!(arrived().await, rows);
}

// security: FI-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_copy_can_be_restarted_in_both_directions() {
    const ROWS: i64 = 30_000;
    with_two_databases(async |sqlite, postgres| {
        site_with_all_tables(&sqlite).await;
        let db = rusqlite::Connection::open(path_in_folder(&sqlite, "account.db")).unwrap();
        db.execute("DELETE FROM tokens", []).unwrap();
        add_rows(&db, ROWS);
        kill_copy_halfway(&sqlite, &postgres, ROWS).await;
        run(Kind::Sqlite, async |back: Database| {
            back.allow_unread_mails();
            kill_copy_halfway(&postgres, &back, ROWS).await;
        })
        .await;
    })
    .await;
}
