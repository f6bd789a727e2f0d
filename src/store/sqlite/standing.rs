//! A reader that stands by, so that the others find SQLite's lock taken.
//!
//! Whoever reads locks the state of the log that it reads, so that nobody overwrites it: two calls of the system
//! for each look, a sixth of a session check. SQLite makes them once a process: a connection
//! that finds the lock held by another one of the same process counts itself in, and no more. So a connection of
//! ours holds it while nothing is written. Everybody's look stays their own, at the newest state, whoever wrote it:
//! what is gained is the lock alone (docs/decisions/database.md).
//!
//! It must not stand for long where somebody writes: the log begins anew only when nobody stands in it. So it leaves
//! before our own writer begins, and for a tenth of the time, so that another process finds a gap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connect;

/// After a write: the next one is often near.
pub const AFTER_WRITE: Duration = Duration::from_millis(5);
/// For other processes, every [`crate::store::TEND_EVERY`].
pub const FOR_OTHERS: Duration = Duration::from_millis(50);
/// After it could not stand: no file descriptor is left, or another process repairs the log.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

pub struct Standing {
    path: Arc<str>,
    connection: Option<Connection>,
    /// A hint to those who read. Nothing but speed hangs on it.
    is_there: Arc<AtomicBool>,
    /// None where nobody makes it leave in time: in programs that are no server.
    not_before: Option<Instant>,
}

impl Standing {
    pub fn new(path: Arc<str>) -> Standing {
        Standing {
            path,
            connection: None,
            is_there: Arc::default(),
            not_before: None,
        }
    }

    pub fn is_there(&self) -> Arc<AtomicBool> {
        self.is_there.clone()
    }

    /// From now on it may stand, until `forbid`.
    pub fn allow(&mut self) {
        self.not_before.get_or_insert_with(Instant::now);
    }

    pub fn forbid(&mut self) {
        self.leave(Duration::ZERO);
        self.not_before = None;
    }

    /// Called while nobody writes.
    pub fn stand(&mut self) {
        if self.not_before.is_none_or(|at| at > Instant::now()) {
            return;
        }
        match self.try_stand() {
            Ok(()) => self.is_there.store(true, Ordering::Relaxed),
            Err(error) => {
                tracing::debug!(%error, "each reader takes its own lock for now");
                self.give_up();
            }
        }
    }

    fn try_stand(&mut self) -> crate::store::Result<()> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            // Waits for nobody: the writer waits for it.
            None => connect(&self.path, Arc::new(AtomicBool::new(false)))?,
        };
        let connection = self.connection.insert(connection);
        run(connection, "BEGIN")
            // It begins with the first look.
            .and_then(|()| run(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"))
            .map_err(super::error)
    }

    pub fn leave(&mut self, pause: Duration) {
        if let Some(at) = &mut self.not_before {
            *at = Instant::now() + pause;
        }
        if !self.is_there.swap(false, Ordering::Relaxed) {
            return;
        }
        if let Some(Err(error)) = self.connection.as_ref().map(|c| run(c, "COMMIT")) {
            tracing::warn!(%error, "a read could not be ended");
            self.give_up();
        }
    }

    /// Closing ends whatever was begun.
    fn give_up(&mut self) {
        self.connection = None;
        self.leave(AFTER_FAILURE);
    }
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::Sqlite;
    use super::*;
    use crate::params;
    use crate::store::Kept;

    async fn open() -> (tempfile::TempDir, Sqlite) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("numbers.db");
        let db = Sqlite::open_as_it_is(file.to_str().expect("text")).expect("a database");
        write(&db, "CREATE TABLE numbers (n INTEGER, text TEXT)").await;
        (folder, db)
    }

    async fn write(db: &Sqlite, sql: &str) {
        let tx = db.write(Kept::Process).await.expect("the writer");
        tx.execute(sql, &[]).expect("a statement");
        tx.commit().await.expect("committed");
    }

    fn count(db: &Sqlite) -> i64 {
        let tx = db.read().expect("a reader");
        let row = tx.row("SELECT COUNT(*) FROM numbers", params![]);
        row.expect("an answer").expect("a row").get(0)
    }

    fn stands(db: &Sqlite) -> bool {
        db.is_stood_by.load(Ordering::Relaxed)
    }

    /// Reads until somebody stands by.
    async fn until_it_stands(db: &Sqlite) {
        while !stands(db) {
            count(db);
            tokio::task::yield_now().await;
        }
    }

    /// The locks that this process has on the file's shared memory, by the kernel's own list.
    #[cfg(target_os = "linux")]
    fn locks(folder: &tempfile::TempDir) -> usize {
        use std::io::Read;
        use std::os::unix::fs::MetadataExt;
        let shared = folder.path().join("numbers.db-shm");
        let inode = std::fs::metadata(shared).expect("a file").ino();
        // In one piece: between two the list goes on changing, and lines are missed.
        let mut all = vec![0; 1 << 16];
        let list = std::fs::File::open("/proc/locks");
        let length = list.and_then(|mut list| list.read(&mut all));
        let all = std::str::from_utf8(&all[..length.expect("the kernel's list")]).expect("text");
        let own = format!(" {} ", std::process::id());
        let of_file = format!(":{inode} ");
        // The byte at 128 says that the file is in use; readers' are from 123 to 127 (walIndex locks).
        let is_readers = |line: &&str| {
            let from = line.split_whitespace().rev().nth(1);
            from.and_then(|from| from.parse::<u32>().ok())
                .is_some_and(|from| (123..128).contains(&from))
        };
        let of_ours = all
            .lines()
            .filter(|line| line.contains(&own) && line.contains(&of_file));
        of_ours.filter(is_readers).count()
    }

    #[tokio::test]
    async fn it_holds_the_lock_while_nobody_writes_and_only_where_allowed() {
        let (_folder, db) = open().await;
        for _ in 0..100 {
            count(&db);
        }
        assert!(!stands(&db), "nobody would make it leave");
        db.stand_by_from_now_on().await;
        until_it_stands(&db).await;
        #[cfg(target_os = "linux")]
        assert_eq!(locks(&_folder), 1);

        db.make_room();
        count(&db);
        assert!(!stands(&db), "not at once");
        #[cfg(target_os = "linux")]
        assert_eq!(locks(&_folder), 0);

        until_it_stands(&db).await;
        let tx = db.write(Kept::Process).await.expect("the writer");
        count(&db);
        assert!(!stands(&db), "somebody writes");
        drop(tx);

        until_it_stands(&db).await;
        db.stand_by_no_more().await;
        count(&db);
        assert!(!stands(&db));
    }

    #[tokio::test]
    async fn what_anybody_commits_is_seen_at_once() {
        let (folder, db) = open().await;
        let other = Connection::open(folder.path().join("numbers.db")).expect("the file");
        db.stand_by_from_now_on().await;
        for done in 0..50 {
            until_it_stands(&db).await;
            assert_eq!(count(&db), 2 * done);
            let written = other.execute("INSERT INTO numbers (n) VALUES (1)", []);
            written.expect("as another process would");
            assert!(stands(&db));
            assert_eq!(count(&db), 2 * done + 1);
            write(&db, "INSERT INTO numbers (n) VALUES (2)").await;
            assert_eq!(count(&db), 2 * done + 2);
        }
    }

    /// Each round writes a megabyte, and somebody reads all the time.
    #[tokio::test]
    async fn the_log_begins_anew_all_the_same() {
        const MEGABYTE: &str = "INSERT INTO numbers (n, text) VALUES (1, hex(zeroblob(524288)))";
        let (folder, db) = open().await;
        let other = Connection::open(folder.path().join("numbers.db")).expect("the file");
        let log = folder.path().join("numbers.db-wal");
        let length = || std::fs::metadata(&log).expect("a log").len() >> 20;
        db.stand_by_from_now_on().await;
        for _ in 0..40 {
            until_it_stands(&db).await;
            write(&db, MEGABYTE).await;
        }
        assert!(length() < 10, "{} MiB by us", length());
        for _ in 0..40 {
            until_it_stands(&db).await;
            other.execute(MEGABYTE, []).expect("by another process");
            // As `Store::tend` does.
            db.make_room();
            other.execute(MEGABYTE, []).expect("by another process");
        }
        assert!(length() < 10, "{} MiB by another", length());
    }
}
