//! Migrations: beside a long read transaction, with a damaged history, and of a version before 1.0.

use account::testing::db::Store;
use account::testing::time_limit::TimeLimit;

use super::upgrade::{later_migration, newest_version};
use crate::prelude::*;
use crate::support::database::{self, with_database};
use crate::support::process::run_account;

on_both_databases!(
    a_damaged_migration_history_is_reported,
    a_database_from_before_1_0_is_refused,
    the_status_and_the_sql_of_the_schema_are_shown_without_changing_it
);

async fn connect(url: &str) -> tokio_postgres::Client {
    let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
    let (client, connection) = connected.unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_blocked_by_a_reader_does_not_block_sessions() {
    with_database(async |url| {
        drop(database::open(url).await);
        let backup = connect(url).await;
        backup
            .batch_execute("BEGIN; LOCK TABLE sessions IN ACCESS SHARE MODE")
            .await
            .unwrap();
        let (settings, later) = (database::settings(url), [later_migration()]);
        let migrating = async move { Store::open_with(&settings, &later).await.map(|_| ()) };
        let migrating = tokio::spawn(migrating);
        let site = connect(url).await;
        let waiting = "SELECT 1 FROM pg_stat_activity
                       WHERE application_name = 'account' AND wait_event_type = 'Lock'";
        eventually("the schema waits for the lock", async || {
            !site.query(waiting, &[]).await.unwrap().is_empty()
        })
        .await;
        let read = site.query("SELECT COUNT(*) FROM sessions", &[]);
        let limit = TimeLimit::from_millis(2500);
        within(limit, "a session is read", read).await.unwrap();
        assert!(!migrating.is_finished(), "it tries again");
        backup.batch_execute("COMMIT").await.unwrap();
        let migrated = within(TimeLimit::from_secs(30), "the migration ends", migrating).await;
        migrated.unwrap().expect("it succeeds");
        let sql = "SELECT place FROM sessions";
        site.query(sql, &[]).await.expect("the new column exists");
    })
    .await;
}

async fn a_damaged_migration_history_is_reported(db: Database) {
    drop(db.migrated().await);
    db.run_script("UPDATE refinery_schema_history SET checksum = 'x' WHERE version = 1")
        .await;
    let settings = [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0"),
    ];
    for command in ["migrate", "serve"] {
        let damaged = "refinery_schema_history is damaged";
        run_to_failure(db.folder(), command, &settings, 1, damaged);
    }
    // No other test uses the damaged schema.
    db.remove_tables().await;
}

async fn a_database_from_before_1_0_is_refused(db: Database) {
    drop(db.migrated().await);
    let time = "2026-11-22T12:00:00Z";
    db.run_script(&format!(
        "DELETE FROM refinery_schema_history WHERE version > 1;
         UPDATE refinery_schema_history SET checksum = '1';
         INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
         VALUES (2, 'sessions_end_once', '{time}', '1'), (29, 'former', '{time}', '1')"
    ))
    .await;
    let (code, text, _) = run_account(&db, "migrate --status");
    assert!(
        code == 1 && text.contains("V0002 pending_acts pending"),
        "{text}"
    );
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    run_to_failure(db.folder(), "migrate", &url, 1, "start 1.0.0 once");
}

async fn the_status_and_the_sql_of_the_schema_are_shown_without_changing_it(db: Database) {
    db.remove_tables().await;
    let migrate = |options: &str| run_account(&db, &format!("migrate {options}"));
    let (code, text, _) = migrate("--status");
    assert!(code == 1 && text.contains("V0001 init pending"), "{text}");
    let (code, sql, _) = migrate("--sql");
    assert!(code == 0 && sql.contains("CREATE TABLE accounts"), "{sql}");
    let unchanged = migrate("--status");
    assert_eq!((unchanged.0, unchanged.1), (1, text));
    let (code, out, said) = migrate("");
    let applied = match newest_version() {
        1 => "account: 1 migration was applied".to_owned(),
        count => format!("account: {count} migrations were applied"),
    };
    assert_eq!(
        (code, &*out, said),
        (0, "", format!("{applied}, the schema is up to date\n"))
    );
    let (code, out, said) = migrate("");
    assert_eq!((code, &*out), (0, ""), "{said}");
    assert_contains!(said, "no migration was applied");
    let (code, text, _) = migrate("--status");
    assert!(code == 0 && !text.contains(" pending\n"), "{text}");
    assert_eq!(migrate("--sql").1, "");
}
