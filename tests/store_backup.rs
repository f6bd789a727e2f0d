//! `account store backup`: a complete copy while the server writes, which a server can start from.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use account::config;
use account::testing::store::backup;
use account::testing::time_limit::TimeLimit;
use tokio::sync::mpsc;

use crate::operation::upgrade::newest_version;
use crate::prelude::*;
use crate::support::process::Caller;

on_sqlite!(
    users_can_sign_in_after_a_restore_from_a_verified_backup,
    the_time_of_the_newest_backup_is_a_metric,
    an_empty_backup_folder_is_0_and_an_unset_one_has_no_metric
);

/// Adds this number of 1 kB rows in a table that the server does not read.
fn add_rows(db: &rusqlite::Connection, rows: i64) {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
               INSERT INTO filler SELECT randomblob(1000) FROM n";
    db.execute_batch("CREATE TABLE IF NOT EXISTS filler (b BLOB) STRICT")
        .unwrap();
    db.execute(sql, [rows]).unwrap();
}

fn count(db: &Path, table: &str) -> i64 {
    let db = rusqlite::Connection::open(db).unwrap();
    let sql = format!("SELECT COUNT(*) FROM {table}");
    db.query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_backup_under_load_is_a_consistent_snapshot() {
    let folder = folder();
    let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
    let writer = rusqlite::Connection::open(&from).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    add_rows(&writer, 20_000);
    let settings = config::Database {
        url: format!("sqlite://{}", from.display()).parse().unwrap(),
        ..config::Config::default().database
    };
    let mut steps = Vec::new();
    let bytes = backup::run(&settings, &to, |done, _| {
        steps.push(done);
        add_rows(&writer, 10);
    });
    assert!(
        steps.len() > 3 && steps.is_sorted(),
        "the progress grows: {steps:?}"
    );
    assert_eq!(bytes.unwrap(), to.metadata().unwrap().len());
    assert_eq!(count(&to, "filler"), 20_000);
    assert_eq!(count(&from, "filler"), 20_000 + 10 * steps.len() as i64);
}

struct RegistrationLoad {
    stop: Arc<AtomicBool>,
    acknowledged: mpsc::UnboundedReceiver<String>,
}

/// Registers people on two connections until it is stopped.
fn start_load(url: &str) -> RegistrationLoad {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, acknowledged) = mpsc::unbounded_channel();
    for lane in 0..2 {
        let (url, stop) = (format!("{url}{API}/register"), stop.clone());
        let sender = sender.clone();
        tokio::spawn(async move {
            let caller = Caller::new();
            for n in 0.. {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let name = format!("lane{lane}n{n}");
                let response = caller.post(&url, &form(&name)).await.unwrap();
                assert_eq!(response.status().as_u16(), 201);
                sender.send(name).unwrap();
            }
        });
    }
    RegistrationLoad { stop, acknowledged }
}

impl RegistrationLoad {
    /// The number of registrations that were acknowledged and not yet received.
    async fn stop(mut self) -> i64 {
        self.stop.store(true, Ordering::SeqCst);
        let mut acknowledged = 0;
        while self.acknowledged.recv().await.is_some() {
            acknowledged += 1;
        }
        acknowledged
    }
}

async fn register_member(site: &Process) {
    let registered = site.post("/register", &form("keeper")).await;
    assert_eq!(registered.status(), 201);
    let tokens = site.mailed_tokens("keeper@example.org").await;
    assert_eq!(site.confirm_email(&tokens[0]).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_has_all_acknowledged_writes_and_a_server_can_start_from_it() {
    let folder = folder();
    let settings = [("ACCOUNT_LIMITS__ENABLED", "false")];
    let site = Process::serve(&folder, &settings).await;
    register_member(&site).await;
    let original = folder.path().join("data/account.db");
    let db = rusqlite::Connection::open(&original).unwrap();
    db.busy_timeout(TimeLimit::from_secs(20).get()).unwrap();
    add_rows(&db, 30_000);
    let mut load = start_load(&site.url);
    load.acknowledged.recv().await.unwrap();
    let before = count(&original, "accounts");
    let (_, said) = run_to_success(&folder, "store backup copy.db", &[]);
    assert_contains!(said, "copy.db, checked and complete");
    let all = 2 + load.stop().await;
    drop(site);

    let copy = folder.path().join("copy.db");
    assert!(!folder.path().join("copy.db.partial").exists());
    let kept = count(&copy, "accounts");
    assert!(
        (before..=all).contains(&kept),
        "{before} <= {kept} <= {all}"
    );

    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::create_dir(elsewhere.path().join("data")).unwrap();
    std::fs::copy(&copy, elsewhere.path().join("data/account.db")).unwrap();
    let restored = Process::serve(&elsewhere, &settings).await;
    let credentials = json!({"email": "keeper@example.org", "password": PASSWORD});
    assert_eq!(restored.post("/login", &credentials).await.status(), 200);
    let later = restored.post("/register", &form("later")).await;
    assert_eq!(later.status(), 201);
}

#[cfg(unix)]
#[test]
fn a_backup_is_private_and_overwrites_no_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    run_to_success(&folder, "migrate", &[]);
    // The partial file of a killed backup.
    write(&folder, "copy.db.partial", "half");
    run_to_success(&folder, "store backup copy.db", &[]);
    let copy = folder.path().join("copy.db");
    let mode = copy.metadata().unwrap().permissions().mode();
    let bytes = std::fs::read(&copy).unwrap();
    run_to_failure(
        &folder,
        "store backup copy.db",
        &[],
        2,
        "copy.db exists already",
    );
    assert_eq!(std::fs::read(&copy).unwrap(), bytes);
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["copy.db", "data"]);
}

#[test]
fn a_failed_backup_prints_the_reason_and_leaves_no_file() {
    let folder = folder();
    write(&folder, "broken.db", "no database at all".repeat(500));
    for (url, code, part) in [
        ("postgres://me:hush@db.example/account", 2, "pg_dump"),
        ("sqlite://none.db", 2, "no database at none.db"),
        ("sqlite://broken.db", 1, "not a database"),
    ] {
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        let error = run_to_failure(&folder, "store backup copy.db", &settings, code, part);
        assert_lacks!(error, "hush");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "{url}"
        );
    }
}

async fn users_can_sign_in_after_a_restore_from_a_verified_backup(db: Database) {
    let site = db.site().await;
    let ada = site.joined_and_signed_in("ada").await;
    let copy = db.folder().join("night.db");
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    run_to_success(db.folder(), "store backup night.db", &url);
    let verified = backup::verify(&copy).unwrap();
    assert_eq!(verified.accounts, 1);
    assert_eq!(usize::try_from(verified.schema).unwrap(), newest_version());
    let (_, said) = run_to_success(db.folder(), "store verify night.db", &[]);
    assert_contains!(said, "1 accounts");
    // The restore: another program runs on the copy and accepts the earlier session.
    let restored = format!("sqlite://{}", copy.display());
    let there = db
        .site_with(|c| c.database.url = restored.parse().unwrap())
        .await;
    let browser = there.browser();
    browser.set_cookie("session", &ada.browser.cookie("session").unwrap());
    ada.assert_signed_in(&browser).await;
}

#[test]
fn an_incomplete_backup_is_refused() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let empty = rusqlite::Connection::open(path("other.db")).unwrap();
    empty.execute_batch("CREATE TABLE t (a)").unwrap();
    drop(empty);
    write(&folder, "empty.db", "");
    let text = "no database, but a text that is long enough".repeat(50);
    write(&folder, "text.db", text);
    run_to_success(&folder, "migrate", &[]);
    let whole = std::fs::read(path("data/account.db")).unwrap();
    write(&folder, "short.db", &whole[..whole.len() / 2]);
    let mut damaged = whole;
    damaged[4096..5 * 4096].fill(0xff);
    write(&folder, "damaged.db", damaged);
    for (name, problem) in [
        ("none.db", "cannot read none.db"),
        ("empty.db", "empty.db is not a backup"),
        ("other.db", "other.db is not a backup"),
        ("text.db", "text.db is damaged: "),
        ("short.db", "short.db is damaged: "),
        ("damaged.db", "damaged.db is damaged: "),
    ] {
        let line = run_to_failure(&folder, &format!("store verify {name}"), &[], 1, problem);
        assert!(!line.contains("\\u"), "{line}");
    }
    assert!(!path("none.db").exists());
}

async fn the_time_of_the_newest_backup_is_a_metric(db: Database) {
    let backups = folder();
    write(&backups, "night.db", "x");
    write(&backups, "later.db.partial", "x");
    let written = std::fs::File::options()
        .write(true)
        .open(backups.path().join("night.db"));
    let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    written.unwrap().set_modified(at).unwrap();
    let folder = backups.path().to_owned();
    let site = db
        .site_with(|c| c.database.backup_folder = Some(folder))
        .await;
    let newest = "account_last_backup_timestamp_seconds 1700000000";
    site.scrape().await.assert_lines(newest);
}

async fn an_empty_backup_folder_is_0_and_an_unset_one_has_no_metric(db: Database) {
    let name = "account_last_backup_timestamp_seconds";
    let site = db.site().await;
    assert!(!site.scrape().await.text.contains(name));
    let backups = folder();
    for folder in [backups.path().to_owned(), backups.path().join("missing")] {
        let site = db
            .site_with(|c| c.database.backup_folder = Some(folder))
            .await;
        assert_eq!(site.scrape().await.value(name), 0.0);
    }
}
