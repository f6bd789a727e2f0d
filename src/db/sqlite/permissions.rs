//! Restricts the permissions of SQLite's files. Only the program's user may read the database, which contains email
//! addresses, names and hashes. SQLite itself creates files that all users may read, unless the umask forbids it.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::path_check::absolute;
use crate::db::{Cause, Result, StoreError};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// The suffixes of the database file and of the files that SQLite creates beside it with the same permissions.
const FILE_SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Creates the directory of a database if it does not exist. Restricts the permissions of an existing directory only if
/// it contains nothing but this database.
pub(super) fn create_private_folder(database: &str) -> Result<()> {
    let database = Path::new(database);
    let Some(folder) = database.parent().filter(|f| !f.as_os_str().is_empty()) else {
        return Ok(());
    };
    let failed = |error| cannot_make(folder, error);
    if !folder.is_dir() {
        let mut builder = DirBuilder::new();
        return builder
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(folder)
            .map_err(failed);
    }
    if contains_only(folder, database).map_err(failed)? {
        restrict_permissions(folder, FOLDER_MODE);
    }
    Ok(())
}

fn cannot_make(path: &Path, error: io::Error) -> StoreError {
    let text = format!("cannot make {}: {error}", absolute(path).display());
    StoreError::Unavailable(Cause::new(text, error))
}

fn contains_only(folder: &Path, database: &Path) -> io::Result<bool> {
    let own: Vec<PathBuf> = FILE_SUFFIXES
        .iter()
        .map(|suffix| with_suffix(database, suffix))
        .collect();
    let mut is_there = false;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !own.contains(&path) {
            return Ok(false);
        }
        is_there = true;
    }
    Ok(is_there)
}

/// Creates the file of a database if it does not exist. Restricts the permissions of existing files, because earlier
/// releases let all users read them.
pub(super) fn create_private_file(database: &str) -> Result<()> {
    // An existing database file is not opened, because closing it would release the locks that SQLite has on it in this
    // process (<https://www.sqlite.org/howtocorrupt.html>, 2.2).
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(FILE_MODE);
    match options.open(database) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(cannot_make(Path::new(database), error));
        }
        _ => {}
    }
    // SQLite resolves symlinks before it derives the names of the WAL and other files from that of the database.
    let real = fs::canonicalize(database).unwrap_or_else(|_| database.into());
    for suffix in FILE_SUFFIXES {
        restrict_permissions(&with_suffix(&real, suffix), FILE_MODE);
    }
    Ok(())
}

pub(super) fn with_suffix(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Removes permissions beyond `mode`. Ignores a missing path. If the path belongs to another user, only logs a warning
/// for the operator.
fn restrict_permissions(path: &Path, mode: u32) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    if found.permissions().mode() & 0o777 & !mode == 0 {
        return;
    }
    if let Err(error) = fs::set_permissions(path, Permissions::from_mode(mode)) {
        tracing::warn!(path = %path.display(), %error, "other users of this machine can read the database");
    }
}
