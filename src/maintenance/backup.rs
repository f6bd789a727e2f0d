//! Backs up the SQLite database while the server writes, by SQLite's online backup
//! (<https://www.sqlite.org/backup.html>). A backup gets its final name only after an integrity check.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::config;

/// The number of pages that are copied between two reports of progress: 4 MiB with the usual pages of 4 KiB.
const PAGES_PER_STEP: i32 = 1024;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(
        "database.url: this is PostgreSQL; use its tool pg_dump --format=custom --file=FILE (docs/operating/backup.md)"
    )]
    NotSqlite,
    #[error("{0} exists already; a backup overwrites no file")]
    Exists(PathBuf),
    #[error("database.url: there is no database at {0}")]
    NoDatabase(String),
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    #[error("{0} is not a backup of this program")]
    NoBackup(PathBuf),
    #[error("cannot write {0}: {1}")]
    File(PathBuf, std::io::Error),
    #[error("the database cannot be copied: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the database is locked by another program; try again")]
    Locked,
    #[error("the copy is damaged, and probably the database too: {0}")]
    DamagedCopy(String),
    #[error("{0} is damaged: {1}")]
    DamagedBackup(PathBuf, String),
}

/// Copies the database of these settings to the file `target` and returns the size of the file in bytes.
///
/// The backup is a snapshot, because one read transaction covers all pages. In WAL mode this transaction blocks no
/// writer. The backup has a temporary name until SQLite has checked it, and only its owner can read it. `progress`
/// receives the number of copied pages and the number of all pages.
pub fn run(
    settings: &config::Database,
    target: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<u64, BackupError> {
    let path = settings.url.sqlite_path().ok_or(BackupError::NotSqlite)?;
    if target.exists() {
        return Err(BackupError::Exists(target.to_owned()));
    }
    let file = std::fs::metadata(path);
    if !file.is_ok_and(|file| file.is_file() && file.len() > 0) {
        return Err(BackupError::NoDatabase(path.to_owned()));
    }
    let partial_path = target.with_added_extension("partial");
    let result = copy(path, &partial_path, &mut progress)
        .and_then(|()| check_integrity(&partial_path).map_err(BackupError::DamagedCopy))
        .and_then(|()| publish(&partial_path, target));
    if result.is_err() {
        // An incomplete backup that cannot be removed is harmless, because the next backup to this name replaces it.
        let _ = std::fs::remove_file(&partial_path);
    }
    result
}

/// A backup that passed the integrity check.
#[derive(Debug, PartialEq, Eq)]
pub struct VerifiedBackup {
    pub bytes: u64,
    /// The version number of the newest migration in the backup.
    pub schema: i64,
    pub accounts: i64,
}

/// Checks the integrity of a backup without changing it.
pub fn verify(file: &Path) -> Result<VerifiedBackup, BackupError> {
    let metadata = std::fs::metadata(file);
    let bytes = match metadata.map_err(|error| BackupError::Unreadable(file.to_owned(), error))? {
        metadata if metadata.is_file() && metadata.len() > 0 => metadata.len(),
        _ => return Err(BackupError::NoBackup(file.to_owned())),
    };
    check_integrity(file)
        .map_err(|problem| BackupError::DamagedBackup(file.to_owned(), problem))?;
    let copy = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |sql: &str| copy.query_row(sql, [], |row| row.get::<_, i64>(0));
    let schema = number("SELECT MAX(version) FROM refinery_schema_history");
    let accounts = number("SELECT COUNT(*) FROM accounts");
    match (schema, accounts) {
        (Ok(schema), Ok(accounts)) => Ok(VerifiedBackup {
            bytes,
            schema,
            accounts,
        }),
        _ => Err(BackupError::NoBackup(file.to_owned())),
    }
}

/// Returns the time of the newest complete file in a directory, in seconds since 1970 UTC, or `None` if there is no
/// such file.
pub fn newest_backup_time(folder: &Path) -> std::io::Result<Option<i64>> {
    let mut newest = None;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let is_partial = entry.path().extension().is_some_and(|end| end == "partial");
        if !metadata.is_file() || is_partial {
            continue;
        }
        let written = metadata.modified()?.duration_since(UNIX_EPOCH);
        let seconds = written.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        newest = newest.max(Some(seconds));
    }
    Ok(newest)
}

fn copy(from: &str, to: &Path, progress: &mut impl FnMut(u64, u64)) -> Result<(), BackupError> {
    let at = |error| BackupError::File(to.to_owned(), error);
    // A killed backup may have left a file whose permissions are too wide.
    match std::fs::remove_file(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(error)),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(to).map_err(at)?;
    // The source database is opened without creating or migrating it, because a backup must not change it.
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    source.busy_timeout(std::time::Duration::from_secs(10))?;
    // One read transaction covers all steps. Otherwise each write of the server would restart the backup, which under
    // load would never end.
    source.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_schema;")?;
    let mut copy = Connection::open(to)?;
    let backup = Backup::new(&source, &mut copy)?;
    loop {
        let step = backup.step(PAGES_PER_STEP)?;
        let at = backup.progress();
        let (all, left) = (at.pagecount.max(0) as u64, at.remaining.max(0) as u64);
        progress(all - left.min(all), all);
        match step {
            StepResult::Done => break,
            StepResult::More => {}
            // SQLite returns no other result, because the source is open for reading, and no other process knows the
            // copy.
            _ => return Err(BackupError::Locked),
        }
    }
    drop(backup);
    // The copied header sets WAL mode, but with a rollback journal the backup is a single file.
    copy.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;")?;
    Ok(())
}

/// Checks the pages and the references of a database. The error is one line.
fn check_integrity(file: &Path) -> Result<(), String> {
    let find_damage = || -> rusqlite::Result<Option<String>> {
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let found: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found != "ok" {
            return Ok(Some(found));
        }
        let sql = "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1";
        let table = db.query_row(sql, [], |row| row.get::<_, String>(0));
        let damage = |table| format!("{table} refers to rows that are not there");
        Ok(table.optional()?.map(damage))
    };
    match find_damage() {
        Ok(None) => Ok(()),
        Ok(Some(damage)) => Err(damage.lines().collect::<Vec<_>>().join(" ")),
        Err(error) => Err(error.to_string()),
    }
}

/// Syncs the backup to the disk, and then renames it to its final name.
fn publish(partial_path: &Path, target: &Path) -> Result<u64, BackupError> {
    let at = |error| BackupError::File(target.to_owned(), error);
    let file = std::fs::File::open(partial_path).map_err(at)?;
    file.sync_all().map_err(at)?;
    let bytes = file.metadata().map_err(at)?.len();
    if target.exists() {
        return Err(BackupError::Exists(target.to_owned()));
    }
    std::fs::rename(partial_path, target).map_err(at)?;
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::fs::File::open(folder.unwrap_or(Path::new("."))).map_err(at)?;
    folder.sync_all().map_err(at)?;
    Ok(bytes)
}
