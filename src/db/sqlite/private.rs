//! The database's folder and files belong to the program's user alone: they hold addresses, names and hashes.
//! SQLite itself makes files that everybody may read, as far as the umask lets it.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::db::{Result, StoreError};

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// What SQLite puts beside a database. New ones get the mode of the database.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Makes the folder of a database where there is none. One that is there and holds nothing but this database is
/// closed to others too; any other folder is left as it is.
pub(super) fn make_folder(database: &str) -> Result<()> {
    let database = Path::new(database);
    let Some(folder) = database.parent().filter(|f| !f.as_os_str().is_empty()) else {
        return Ok(());
    };
    let failed = |error: io::Error| {
        StoreError::Unavailable(format!("cannot make {}: {error}", folder.display()))
    };
    if !folder.is_dir() {
        let mut builder = DirBuilder::new();
        return builder
            .recursive(true)
            .mode(FOLDER)
            .create(folder)
            .map_err(failed);
    }
    if holds_only(folder, database).map_err(failed)? {
        restrict(folder, FOLDER);
    }
    Ok(())
}

fn holds_only(folder: &Path, database: &Path) -> io::Result<bool> {
    let own: Vec<PathBuf> = BESIDE.iter().map(|end| with_end(database, end)).collect();
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

/// Makes the file of a database where there is none, and takes from others what earlier releases let them read.
pub(super) fn make_file(database: &str) -> Result<()> {
    // Never opened where it is there: closing it would end the locks that SQLite holds on it in this process
    // (<https://www.sqlite.org/howtocorrupt.html>, 2.2).
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(FILE);
    match options.open(database) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let problem = format!("cannot make {database}: {error}");
            return Err(StoreError::Unavailable(problem));
        }
        _ => {}
    }
    // SQLite follows links before it names the files beside the database.
    let real = fs::canonicalize(database).unwrap_or_else(|_| database.into());
    for end in BESIDE {
        restrict(&with_end(&real, end), FILE);
    }
    Ok(())
}

fn with_end(database: &Path, end: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Takes away what others may do. A path that is not there needs nothing; one that belongs to somebody else is the
/// operator's to mend, and is logged.
fn restrict(path: &Path, mode: u32) {
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
