//! Migrations: beside a long read transaction, and with a damaged history.

use std::process::Stdio;
use std::time::Duration;

use crate::support::Database;
use crate::support::database::with_database;
use crate::support::eventually;
use crate::support::process::{run, start};

async fn connect(url: &str) -> tokio_postgres::Client {
    let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
    let (client, connection) = connected.unwrap();
    tokio::spawn(connection);
    client
}

/// The database as the first release left it.
async fn create_first_release(url: &str, folder: &std::path::Path) {
    let settings = [("ACCOUNT_DATABASE__URL", url)];
    assert!(run(folder, &["migrate"], &settings).status.success());
    let client = connect(url).await;
    let sql = "SELECT name, applied_on, checksum FROM refinery_schema_history WHERE version = 1";
    let row = client.query_one(sql, &[]).await.unwrap();
    let [name, applied_on, checksum] = [0, 1, 2].map(|at| row.get::<_, String>(at));
    let first = include_str!("../../migrations/postgres/V0001__init.sql");
    let sql = format!(
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public; {first};
         CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name VARCHAR(255),
           applied_on VARCHAR(255), checksum VARCHAR(255));
         INSERT INTO refinery_schema_history VALUES (1, '{name}', '{applied_on}', '{checksum}');"
    );
    client.batch_execute(&sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_blocked_by_a_reader_does_not_block_sessions() {
    with_database(async |url| {
        let folder = tempfile::tempdir().unwrap();
        create_first_release(url, folder.path()).await;
        let backup = connect(url).await;
        backup
            .batch_execute("BEGIN; LOCK TABLE sessions IN ACCESS SHARE MODE")
            .await
            .unwrap();
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        let mut migrating = start(folder.path(), &["migrate"], &settings, Stdio::null());
        let site = connect(url).await;
        let waiting = "SELECT 1 FROM pg_stat_activity
                       WHERE application_name = 'account' AND wait_event_type = 'Lock'";
        eventually("the schema waits for the lock", async || {
            !site.query(waiting, &[]).await.unwrap().is_empty()
        })
        .await;
        let read = site.query("SELECT COUNT(*) FROM sessions", &[]);
        let read = tokio::time::timeout(Duration::from_millis(2500), read).await;
        read.expect("a session is read in time").unwrap();
        assert!(migrating.try_wait().unwrap().is_none(), "it tries again");
        backup.batch_execute("COMMIT").await.unwrap();
        let mut ended = None;
        eventually("the schema is up to date", async || {
            ended = migrating.try_wait().unwrap();
            ended.is_some()
        })
        .await;
        assert!(ended.unwrap().success());
    })
    .await;
}

fn assert_reported_as_damaged(folder: &std::path::Path, url: &str) {
    for command in ["migrate", "serve"] {
        let settings = [
            ("ACCOUNT_DATABASE__URL", url),
            ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0"),
        ];
        let output = run(folder, &[command], &settings);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(
            errors.contains("refinery_schema_history is damaged"),
            "{errors}"
        );
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_migration_history_is_reported() {
    let damage = "UPDATE refinery_schema_history SET checksum = 'x' WHERE version = 2";
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite://account.db";
    let settings = [("ACCOUNT_DATABASE__URL", url)];
    assert!(run(folder.path(), &["migrate"], &settings).status.success());
    let file = folder.path().join("account.db");
    rusqlite::Connection::open(file)
        .unwrap()
        .execute(damage, [])
        .unwrap();
    assert_reported_as_damaged(folder.path(), url);

    with_database(async |url| {
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        assert!(run(folder.path(), &["migrate"], &settings).status.success());
        connect(url).await.batch_execute(damage).await.unwrap();
        assert_reported_as_damaged(folder.path(), url);
    })
    .await;
}

/// An operator may create the indexes of later migrations in advance, without a blocking lock.
#[test]
fn later_migrations_create_no_duplicate_index() {
    for database in ["postgres", "sqlite"] {
        let folder = format!("{}/migrations/{database}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.as_str() < "V0004" {
                continue;
            }
            let sql = std::fs::read_to_string(&path).unwrap().to_uppercase();
            for statement in sql.split(';') {
                let makes = ["CREATE INDEX", "CREATE UNIQUE INDEX"];
                let makes = makes.iter().any(|begin| statement.contains(begin));
                assert!(
                    !makes || statement.contains("IF NOT EXISTS"),
                    "{name}: {statement}"
                );
            }
        }
    }
}

on_both_databases!(the_status_and_the_sql_of_the_schema_are_shown_without_changing_it);
async fn the_status_and_the_sql_of_the_schema_are_shown_without_changing_it(db: Database) {
    db.remove_tables().await;
    let folder = tempfile::tempdir().unwrap();
    let migrate = async |options: &'static [&'static str]| {
        let (url, path) = (db.url().to_owned(), folder.path().to_owned());
        let done = tokio::task::spawn_blocking(move || {
            let settings = [("ACCOUNT_DATABASE__URL", url.as_str())];
            let arguments = [&["migrate"][..], options].concat();
            crate::support::process::run(&path, &arguments, &settings)
        });
        let done = done.await.unwrap();
        (
            done.status.code().unwrap(),
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        )
    };
    let (code, text, _) = migrate(&["--status"]).await;
    assert!(code == 1 && text.contains("V0001 init pending"), "{text}");
    let pending = text.lines().count();
    let (code, sql, _) = migrate(&["--sql"]).await;
    assert!(code == 0 && sql.contains("CREATE TABLE accounts"), "{sql}");
    let unchanged = migrate(&["--status"]).await;
    assert_eq!((unchanged.0, unchanged.1), (1, text));
    let (code, _, said) = migrate(&[]).await;
    let applied = format!("account: {pending} migrations were applied, the schema is up to date\n");
    assert_eq!((code, said), (0, applied));
    let (code, _, said) = migrate(&[]).await;
    assert!(
        code == 0 && said.contains("no migration was applied"),
        "{said}"
    );
    let (code, text, _) = migrate(&["--status"]).await;
    assert!(code == 0 && !text.contains("pending"), "{text}");
    assert_eq!(migrate(&["--sql"]).await.1, "");
}
