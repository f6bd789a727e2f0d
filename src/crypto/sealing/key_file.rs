//! The file `security.encryption_key_file`, which is created once, replaced atomically, and readable only by its owner.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::Keys;
use crate::rng::Rng;

/// The prefix of drafts, which are new versions of the key file before they get its name. A killed process can leave a
/// draft behind.
const DRAFT_PREFIX: &str = ".account-key-";

#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("cannot read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", path.display())]
    Unwritable { path: PathBuf, error: io::Error },
    #[error("{} line {line}: must be a key id and a key, as written by this program", path.display())]
    Malformed { path: PathBuf, line: usize },
}

fn read_error(path: &Path, error: io::Error) -> KeyFileError {
    let path = path.to_owned();
    KeyFileError::Unreadable { path, error }
}

fn write_error(path: &Path, error: io::Error) -> KeyFileError {
    let path = path.to_owned();
    KeyFileError::Unwritable { path, error }
}

/// Returns the keys of the key file, or `None` if the file does not exist.
pub fn read(path: &Path) -> Result<Option<Keys>, KeyFileError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => zeroize::Zeroizing::new(text),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(path, error)),
    };
    let malformed = |line| KeyFileError::Malformed {
        path: path.to_owned(),
        line,
    };
    Keys::parse(&text).map(Some).map_err(malformed)
}

/// Creates the key file, unless another process has created it meanwhile. Returns the keys of the file.
pub fn create(path: &Path, rng: &Rng) -> Result<Keys, KeyFileError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder(path))
        .map_err(|error| write_error(path, error))?;
    LockedKeyFile::lock(path)?.create(rng)
}

/// Removes drafts of the key file that a killed process left behind. If another process has locked the key file, does
/// nothing, because a rotation may keep the lock for minutes.
pub(crate) fn remove_abandoned_drafts(path: &Path) -> Result<(), KeyFileError> {
    let folder = match File::open(folder(path)) {
        Ok(folder) => folder,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(read_error(path, error)),
    };
    match folder.try_lock() {
        Ok(()) => remove_drafts(path),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(error)) => Err(read_error(path, error)),
    }
}

/// The key file, locked for writing until this value is dropped. The lock of a killed process ends with the process.
pub(crate) struct LockedKeyFile<'a> {
    path: &'a Path,
    /// The directory of the key file is locked instead of the file, because each change replaces the file.
    _folder: File,
}

impl LockedKeyFile<'_> {
    /// Waits until no other process has locked the key file, locks the file, and removes its drafts. Only a killed
    /// process can have left a draft.
    pub(crate) fn lock(path: &Path) -> Result<LockedKeyFile<'_>, KeyFileError> {
        let locked = File::open(folder(path)).and_then(|folder| folder.lock().map(|()| folder));
        let folder = locked.map_err(|error| read_error(path, error))?;
        remove_drafts(path)?;
        Ok(LockedKeyFile {
            path,
            _folder: folder,
        })
    }

    pub(crate) fn read(&self) -> Result<Option<Keys>, KeyFileError> {
        read(self.path)
    }

    fn create(&self, rng: &Rng) -> Result<Keys, KeyFileError> {
        let write_error = |error| write_error(self.path, error);
        let keys = Keys::new(rng);
        let draft = Draft::write(self.path, &keys, rng).map_err(write_error)?;
        // A hard link, unlike a rename, never replaces an existing file.
        match fs::hard_link(&draft.path, self.path) {
            Ok(()) => sync_folder(folder(self.path)).map_err(write_error)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(write_error(error)),
        }
        Ok(self.read()?.unwrap_or(keys))
    }

    /// Adds a new key before all other keys. If a rotation was interrupted or prepared, the file already contains
    /// several keys, and stays unchanged.
    pub(crate) fn begin_rotation(&self, keys: &Keys, rng: &Rng) -> Result<Keys, KeyFileError> {
        if keys.is_rotating() {
            return Ok(keys.clone());
        }
        let keys = keys.with_new_key(rng);
        self.replace(&keys, rng)?;
        Ok(keys)
    }

    /// Removes all keys except the newest from the file.
    pub(crate) fn finish_rotation(&self, keys: &Keys, rng: &Rng) -> Result<(), KeyFileError> {
        self.replace(&keys.only_newest(), rng)
    }

    /// Replaces the key file and keeps its owner, because root may run the command, but the server must read the file.
    fn replace(&self, keys: &Keys, rng: &Rng) -> Result<(), KeyFileError> {
        let replaced = fs::metadata(self.path).and_then(|old| {
            let draft = Draft::write(self.path, keys, rng)?;
            let new = draft.file.metadata()?;
            if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                fchown(&draft.file, Some(old.uid()), Some(old.gid()))?;
            }
            fs::rename(&draft.path, self.path)?;
            sync_folder(folder(self.path))
        });
        replaced.map_err(|error| write_error(self.path, error))
    }
}

/// A draft beside the key file, which is removed when this value is dropped, unless it was renamed.
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// Writes a draft and syncs it to the disk.
    fn write(key_file: &Path, keys: &Keys, rng: &Rng) -> io::Result<Draft> {
        let name = format!("{DRAFT_PREFIX}{}", Uuid::from_bytes(rng.bytes()));
        let path = folder(key_file).join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(&path)?;
        let mut draft = Draft { path, file };
        draft.file.write_all(keys.to_text().as_bytes())?;
        draft.file.sync_all()?;
        Ok(draft)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // The removal fails after the rename of the draft. Any other draft that stays is removed at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes drafts of the key file. The caller must have locked the key file.
fn remove_drafts(path: &Path) -> Result<(), KeyFileError> {
    let entries = fs::read_dir(folder(path)).map_err(|error| read_error(path, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| read_error(path, error))?;
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(DRAFT_PREFIX.as_bytes())
        {
            fs::remove_file(entry.path()).map_err(|error| write_error(path, error))?;
        }
    }
    Ok(())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_start_at_once_share_one_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/account.key");
        let ids: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| create(&path, &Rng::System).unwrap().newest().id()))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert!(!crate::config::is_exposed(&path, 0o077));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn an_interrupted_rotation_goes_on_with_the_key_that_it_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("account.key");
        let first = create(&path, &Rng::System).unwrap();
        let locked = LockedKeyFile::lock(&path).unwrap();
        let begun = locked.begin_rotation(&first, &Rng::System).unwrap();
        let read_again = read(&path).unwrap().unwrap();
        let again = locked.begin_rotation(&read_again, &Rng::System).unwrap();
        assert_eq!(again.newest().id(), begun.newest().id());
        assert!(again.find(first.newest().id()).is_some());
        locked.finish_rotation(&again, &Rng::System).unwrap();
        let last = read(&path).unwrap().unwrap();
        assert!(last.find(first.newest().id()).is_none());
        assert!(!crate::config::is_exposed(&path, 0o077));
    }

    #[test]
    fn a_draft_of_a_killed_process_is_removed_and_one_of_a_living_process_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("account.key");
        let keys = create(&path, &Rng::System).unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        let leave_draft = || std::mem::forget(Draft::write(&path, &keys, &Rng::System).unwrap());

        leave_draft();
        let locked = LockedKeyFile::lock(&path).unwrap();
        assert_eq!(files(), 1);
        leave_draft();
        remove_abandoned_drafts(&path).unwrap();
        assert_eq!(files(), 2, "the lock is held");
        drop(locked);
        remove_abandoned_drafts(&path).unwrap();
        assert_eq!(files(), 1);
        remove_abandoned_drafts(&folder.path().join("none/account.key")).unwrap();
    }

    #[test]
    fn a_failed_replacement_leaves_no_draft() {
        let folder = tempfile::tempdir().unwrap();
        // A file cannot replace a folder.
        let path = folder.path().join("account.key");
        fs::create_dir(&path).unwrap();
        let locked = LockedKeyFile::lock(&path).unwrap();
        let replaced = locked.replace(&Keys::new(&Rng::System), &Rng::System);
        assert!(matches!(replaced, Err(KeyFileError::Unwritable { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
