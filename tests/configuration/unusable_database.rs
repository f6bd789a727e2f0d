//! A database that a command cannot use: missing, empty, with a newer schema, or with a wrong password.

use std::process::Command;

use super::{SECRET, expect_error, folder};
use crate::support::database::with_new_database;
use crate::support::process::{self, Process, run_account, run_to_exit};
use crate::support::{Database, eventually};

/// Commands that need an existing database, with their arguments.
const COMMANDS: [&[&str]; 6] = [
    &["legacy", "status"],
    &["legacy", "invite", "--dry-run"],
    &["legacy", "import", "old.jsonl"],
    &["legacy", "import", "old.jsonl", "--dry-run"],
    &["store", "backup", "copy.db"],
    &["store", "copy", "--to", "postgres://me@127.0.0.1:1/a"],
];

// With a missing setting a command would report an empty database instead of an error.
#[test]
fn commands_never_create_a_missing_database() {
    for arguments in COMMANDS {
        let folder = folder();
        std::fs::write(
            folder.path().join("old.jsonl"),
            "{\"email\": \"a@example.org\"}\n",
        )
        .unwrap();
        let line = expect_error(folder.path(), arguments, &[]);
        assert!(line.contains("database"), "{arguments:?}: {line}");
        assert!(!folder.path().join("data").exists(), "{arguments:?}");
        // A file that SQLite has never written to is not a database.
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::fs::write(folder.path().join("data/account.db"), "").unwrap();
        expect_error(folder.path(), arguments, &[]);
        let file = folder.path().join("data/account.db");
        assert_eq!(file.metadata().unwrap().len(), 0, "{arguments:?}");
    }
}

#[tokio::test]
async fn commands_never_create_missing_tables() {
    crate::support::database::with_database(async |url| {
        let folder = folder();
        std::fs::write(
            folder.path().join("old.jsonl"),
            "{\"email\": \"a@example.org\"}\n",
        )
        .unwrap();
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        for arguments in &COMMANDS[..4] {
            let line = expect_error(folder.path(), arguments, &settings);
            assert!(line.contains("database.url"), "{arguments:?}: {line}");
        }
        let (code, _, errors) = run_to_exit(folder.path(), &["migrate"], &settings);
        assert_eq!(code, 0, "{errors}");
        let (code, _, errors) = run_to_exit(folder.path(), COMMANDS[0], &settings);
        assert_eq!(code, 0, "{errors}");
    })
    .await;
}

/// The command, without the capabilities to ignore the permissions of files.
fn without_capabilities(command: &Command) -> Command {
    const CAPABILITIES: &str = "-dac_override,-dac_read_search";
    let mut wrapped = Command::new("/usr/bin/setpriv");
    wrapped
        .args(["--bounding-set", CAPABILITIES, "--inh-caps", CAPABILITIES])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    wrapped
}

#[test]
fn a_path_that_sqlite_cannot_use_is_a_wrong_setting() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let set_mode = |name: &str, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path(name), mode).unwrap();
    };
    std::fs::create_dir(path("data")).unwrap();
    std::fs::write(path("notes.txt"), "no database, but many words").unwrap();
    set_mode("data", 0o500);
    let is_root = rustix::process::geteuid().is_root();
    for (url, problem) in [
        ("sqlite://.", " is a folder"),
        ("sqlite://data", "/data is a folder"),
        ("sqlite://notes.txt", "/notes.txt is no SQLite database"),
        ("sqlite://notes.txt/a.db", "/notes.txt is no folder"),
        ("sqlite://data/a.db", "/data: Permission denied"),
        ("sqlite://data/new/a.db", "/data: Permission denied"),
    ] {
        for arguments in [["check-config"], ["serve"]] {
            let key = path("key").display().to_string();
            let settings = [
                ("ACCOUNT_DATABASE__URL", url),
                ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0"),
                ("ACCOUNT_SECURITY__ENCRYPTION_KEY_FILE", &key),
            ];
            let command = process::command(folder.path(), &arguments, &settings);
            // Root may write everywhere, unless it gives up this capability.
            let mut command = match is_root {
                true => without_capabilities(&command),
                false => command,
            };
            let (code, _, errors) = process::exit_and_output(&command.output().unwrap());
            assert_eq!(code, 2, "{url} {arguments:?}: {errors}");
            let expected = format!("database.url: {}", folder.path().display());
            assert!(
                errors.contains(&expected) && errors.contains(problem),
                "{url}: {errors}"
            );
            if problem.contains("denied") {
                assert!(errors.contains("; it belongs to "), "{errors}");
            }
        }
    }
    set_mode("data", 0o700);
    let files = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(files.count(), 2, "nothing is made");
    assert!(!path("data/a.db").exists());
}

#[test]
fn a_database_that_sqlite_cannot_open_is_named() {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("data/account.db-wal")).unwrap();
    let (code, _, errors) = run_to_exit(folder.path(), &["migrate"], &[]);
    let path = folder.path().join("data/account.db");
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains(path.to_str().unwrap()), "{errors}");
}

on_both_databases!(a_newer_schema_is_refused_with_the_version_of_the_program);
// security: FI-10
async fn a_newer_schema_is_refused_with_the_version_of_the_program(db: Database) {
    let site = db.site().await;
    let sql = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
               SELECT 999, 'of_the_future', applied_on, checksum
               FROM refinery_schema_history WHERE version = 1";
    site.execute(sql, &[]).await;
    let (code, _, errors) = run_account(&db, &["migrate"]);
    assert_eq!((code, errors.lines().count()), (1, 1), "{errors}");
    assert!(
        errors.contains("newer schema (V999)") && errors.contains("upgrade the program"),
        "{errors}"
    );
}

#[tokio::test]
async fn a_database_that_cannot_store_every_character_is_refused() {
    let options = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    let reason = "the database's encoding is LATIN1, it must be UTF8";
    with_new_database(options, async |url| {
        let folder = folder();
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        let (code, _, errors) = run_to_exit(folder.path(), &["migrate"], &settings);
        assert_eq!((code, errors.lines().count()), (1, 1), "{errors}");
        assert!(errors.contains(reason), "{errors}");
        let site = Process::start(folder.path(), &["serve"], &settings).await;
        assert_eq!(site.get("/readyz").await.status(), 503);
        eventually("the reason is logged", async || {
            site.log().iter().any(|line| line.contains(reason))
        })
        .await;
    })
    .await;
    let options = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    with_new_database(options, async |url| {
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        let (code, _, errors) = run_to_exit(folder().path(), &["migrate"], &settings);
        assert_eq!(code, 0, "{errors}");
    })
    .await;
}

#[tokio::test]
async fn a_database_error_is_reported_with_its_reason() {
    crate::support::database::with_database(async |url| {
        let mut url = url::Url::parse(url).unwrap();
        url.set_password(Some(SECRET)).unwrap();
        let settings = [("ACCOUNT_DATABASE__URL", url.as_str())];
        let (code, _, errors) = run_to_exit(folder().path(), &["migrate"], &settings);
        assert_eq!((code, errors.lines().count()), (1, 1), "{errors}");
        assert!(
            errors.contains("28P01") && errors.contains("password authentication failed"),
            "{errors}"
        );
        assert!(!errors.contains(SECRET), "{errors}");
    })
    .await;
}
