//! Checks the path of a database before SQLite opens it, so that a wrong path is reported as a wrong setting.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::map_error_of;
use crate::db::StoreError;

/// The first bytes of every database file (<https://www.sqlite.org/fileformat.html>, 1.3.1).
const HEADER: &[u8; 16] = b"SQLite format 3\0";

/// Fails if this user can neither open nor create the database file. Creates nothing, and does not open the file,
/// because closing it would release the locks that SQLite has on it in this process.
pub(crate) fn check_path(database: &str) -> Result<(), String> {
    let path = absolute(database);
    if path.is_dir() {
        return Err(format!("{} is a folder", path.display()));
    }
    // SQLite also creates files beside the database file.
    let folders = path.ancestors().skip(1);
    let folder = folders.map(Path::to_owned).find(|folder| folder.exists());
    let folder = folder.unwrap_or_else(|| PathBuf::from("/"));
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    check_rights(&folder)?;
    match path.exists() {
        true => check_rights(&path),
        false => Ok(()),
    }
}

/// Fails if the file exists and is no database of SQLite. Only a process that has not opened the database may call this
/// function.
pub(crate) fn check_header(database: &str) -> Result<(), String> {
    let path = absolute(database);
    let Ok(file) = File::open(&path) else {
        return Ok(());
    };
    let mut header = Vec::new();
    let read = file.take(HEADER.len() as u64).read_to_end(&mut header);
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    match header.is_empty() || header == HEADER {
        true => Ok(()),
        false => Err(no_database(database)),
    }
}

fn no_database(database: &str) -> String {
    format!("{} is no SQLite database", absolute(database).display())
}

/// Converts an error of opening the database, and names the file.
pub(super) fn open_error(database: &str, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::wrong_url(no_database(database)),
        _ => map_error_of(Some(&absolute(database)), error),
    }
}

pub(super) fn absolute(path: impl AsRef<Path>) -> PathBuf {
    std::path::absolute(&path).unwrap_or_else(|_| path.as_ref().into())
}

/// Fails with the owner if this user may not read and write the file or folder. Other problems, such as a read-only file
/// system, are reported when the file is opened.
fn check_rights(path: &Path) -> Result<(), String> {
    match access(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(format!(
            "{}: {error}; it belongs to {}",
            path.display(),
            fs::metadata(path).map_or_else(|_| "another user".to_owned(), |found| owner(&found)),
        )),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn access(path: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    let wanted = match path.is_dir() {
        true => Access::WRITE_OK | Access::EXEC_OK,
        false => Access::READ_OK | Access::WRITE_OK,
    };
    Ok(access(path, wanted)?)
}

#[cfg(not(target_os = "linux"))]
fn access(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the name of the owner, or the number if the system has no such user.
fn owner(file: &fs::Metadata) -> String {
    let id = file.uid();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {id}"))
}
