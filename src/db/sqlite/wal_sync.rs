//! Syncs SQLite's write-ahead log (WAL) to the disk.
//!
//! A commit writes to the WAL and releases the writer. A commit that must survive power loss then waits until the WAL
//! is on the disk. One sync serves all commits that were written before the sync began.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use super::QUEUE_TIMEOUT;
use crate::db::{Cause, Result, StoreError};

pub struct WalSync {
    database: Arc<str>,
    /// The number of commits that were written to the WAL so far.
    written: AtomicU64,
    disk: Mutex<SyncedWal>,
}

#[derive(Default)]
struct SyncedWal {
    /// The file of the WAL, which exists from the first commit until the last connection closes.
    file: Option<File>,
    /// The number of commits that are on the disk.
    synced: u64,
}

impl WalSync {
    pub fn new(database: Arc<str>) -> WalSync {
        WalSync {
            database,
            written: AtomicU64::new(0),
            disk: Mutex::default(),
        }
    }

    /// Waits until the caller's last commit is on the disk.
    pub async fn sync(&self) -> Result<()> {
        let mine = self.written.fetch_add(1, Ordering::SeqCst) + 1;
        let lock = tokio::time::timeout(QUEUE_TIMEOUT.get(), self.disk.lock()).await;
        let mut disk = lock.map_err(|_| StoreError::Unavailable("the disk is busy".into()))?;
        if disk.synced >= mine {
            return Ok(());
        }
        let all = self.written.load(Ordering::SeqCst);
        tokio::task::block_in_place(|| disk.sync(&self.database)).map_err(|error| {
            StoreError::NotWritable(Cause::new(format!("the WAL: {error}"), error))
        })?;
        disk.synced = all;
        Ok(())
    }
}

impl SyncedWal {
    fn sync(&mut self, database: &str) -> io::Result<()> {
        if let Some(file) = &self.file {
            return file.sync_data();
        }
        // SQLite resolves symlinks before it appends the suffix `-wal`.
        let database = std::fs::canonicalize(database)?;
        let mut name = database.clone().into_os_string();
        name.push("-wal");
        let file = File::open(name)?;
        file.sync_data()?;
        // The directory entry of the WAL file must be on the disk too.
        let folder = database.parent().unwrap_or(Path::new("/"));
        File::open(folder)?.sync_all()?;
        self.file = Some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_commit_is_synced_and_the_wal_of_a_symlinked_database_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real.db"), folder.path().join("link.db"));
        std::os::unix::fs::symlink(&real, &link).expect("a symlink");
        let sqlite = rusqlite::Connection::open(&link).expect("a database");
        let made = sqlite.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
        made.expect("a table");
        let wal = WalSync::new(link.to_str().expect("text").into());
        let all = futures_util::future::join_all((0..20).map(|_| wal.sync()));
        for synced in all.await {
            synced.expect("on the disk");
        }
        assert_eq!(wal.disk.lock().await.synced, 20);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_missing_wal_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("none.db");
        let wal = WalSync::new(missing.to_str().expect("text").into());
        for _ in 0..2 {
            assert!(matches!(
                wal.sync().await,
                Err(StoreError::Unavailable(_) | StoreError::NotWritable(_))
            ));
        }
    }
}
