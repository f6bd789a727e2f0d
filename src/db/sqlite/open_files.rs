//! Notices that a file of the database was moved, deleted or replaced while it is open. In WAL mode SQLite does not
//! notice this: it would continue to write to a file that no restart finds.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::path_check::absolute;
use super::permissions::with_suffix;
use crate::db::{Result, StoreError};

/// The files that SQLite keeps open in WAL mode, by their suffix.
const OPEN_FILE_SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// The database file and the files beside it, as they were when the database was opened.
pub(crate) struct OpenFiles(Vec<(PathBuf, FileId)>);

/// The device and the inode of a file.
type FileId = (u64, u64);

impl OpenFiles {
    pub(super) fn of(database: &str) -> OpenFiles {
        // A symlink may lead to another file later, so the database file is compared by the configured path. SQLite
        // resolves the symlink before it derives the names of the other files.
        let configured = absolute(database);
        let real = fs::canonicalize(database).unwrap_or_else(|_| configured.clone());
        let paths = OPEN_FILE_SUFFIXES.map(|suffix| match suffix {
            "" => configured.clone(),
            suffix => with_suffix(&real, suffix),
        });
        let found = paths.into_iter().filter_map(|path| {
            let id = file_id(&path)?;
            Some((path, id))
        });
        OpenFiles(found.collect())
    }

    /// Fails if a path does not lead to the open file any more.
    pub(crate) fn check(&self) -> Result<()> {
        let mut files = self.0.iter();
        match files.find(|(path, id)| file_id(path) != Some(*id)) {
            None => Ok(()),
            Some((path, _)) => {
                let path = path.display();
                let reason = format!(
                    "{path} was moved, deleted or replaced while the program has it open; put the file back, or restart the program"
                );
                Err(StoreError::NotWritable(reason.into()))
            }
        }
    }
}

fn file_id(path: &Path) -> Option<FileId> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
