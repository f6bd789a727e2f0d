//! SQLite's log on its way to the disk.
//!
//! A commit writes the log and gives the writer free. Who must not be lost in a power cut then waits until the
//! log is on the disk, together with all who have committed by then: one wait serves them all, and the next one
//! writes meanwhile.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

use super::QUEUE_WAIT;
use crate::store::{Result, StoreError};

pub struct Log {
    database: Arc<str>,
    /// Commits that somebody waits for, from the first on.
    written: AtomicU64,
    disk: Mutex<Disk>,
}

#[derive(Default)]
struct Disk {
    /// Opened with the first wait: a commit has made it by then, and it stays as long as we are connected.
    file: Option<File>,
    /// So many of the commits have arrived.
    arrived: u64,
}

impl Log {
    pub fn of(database: Arc<str>) -> Log {
        Log {
            database,
            written: AtomicU64::new(0),
            disk: Mutex::default(),
        }
    }

    /// Called after a commit; returns when it is on the disk.
    pub async fn arrive(&self) -> Result<()> {
        let mine = self.written.fetch_add(1, Ordering::SeqCst) + 1;
        let turn = tokio::time::timeout(QUEUE_WAIT, self.disk.lock()).await;
        let mut disk = turn.map_err(|_| StoreError::Unavailable("the disk is busy".into()))?;
        if disk.arrived >= mine {
            return Ok(());
        }
        let all = self.written.load(Ordering::SeqCst);
        tokio::task::block_in_place(|| disk.sync(&self.database))
            .map_err(|error| StoreError::NotWritable(format!("the log: {error}")))?;
        disk.arrived = all;
        Ok(())
    }
}

impl Disk {
    fn sync(&mut self, database: &str) -> io::Result<()> {
        if let Some(file) = &self.file {
            return file.sync_data();
        }
        // SQLite follows links before it names the log.
        let database = std::fs::canonicalize(database)?;
        let mut name = database.clone().into_os_string();
        name.push("-wal");
        let file = File::open(name)?;
        file.sync_data()?;
        // That there is such a file is to be on the disk too.
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
    async fn all_who_wait_arrive_and_each_log_is_found_where_sqlite_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real.db"), folder.path().join("link.db"));
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let sqlite = rusqlite::Connection::open(&link).expect("a database");
        let made = sqlite.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
        made.expect("a table");
        let log = Log::of(link.to_str().expect("text").into());
        let all = futures_util::future::join_all((0..20).map(|_| log.arrive()));
        for arrived in all.await {
            arrived.expect("on the disk");
        }
        assert_eq!(log.disk.lock().await.arrived, 20);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn without_a_log_nobody_is_told_that_it_has_arrived() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("none.db");
        let log = Log::of(missing.to_str().expect("text").into());
        for _ in 0..2 {
            assert!(matches!(
                log.arrive().await,
                Err(StoreError::Unavailable(_) | StoreError::NotWritable(_))
            ));
        }
    }
}
