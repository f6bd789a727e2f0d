//! The connection that writes to SQLite.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::{DatabaseFile, OTHER_PROCESS_LOCK_TIMEOUT, OTHER_PROCESS_POLL_INTERVAL, connect};
use crate::db::{Result, StoreError};

pub struct Writer {
    pub connection: Connection,
    /// Whether a locked database blocks the thread until another process releases its lock.
    blocks_when_busy: Arc<AtomicBool>,
}

impl Writer {
    pub fn connect(file: &DatabaseFile) -> Result<Writer> {
        let blocks_when_busy = Arc::new(AtomicBool::new(true));
        Ok(Writer {
            connection: connect(file, blocks_when_busy.clone())?,
            blocks_when_busy,
        })
    }

    /// Begins a transaction. Does not block the thread while another process has the lock, because a task on this
    /// thread may have to finish before that process can continue.
    pub async fn begin(&mut self) -> Result<()> {
        let since = Instant::now();
        loop {
            match self.try_begin() {
                Err(busy)
                    if busy.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && since.elapsed() < OTHER_PROCESS_LOCK_TIMEOUT.get() =>
                {
                    tokio::time::sleep(OTHER_PROCESS_POLL_INTERVAL).await;
                }
                begun => return Ok(begun?),
            }
        }
    }

    fn try_begin(&self) -> rusqlite::Result<()> {
        self.without_busy_wait(|_| self.run("BEGIN IMMEDIATE"))
    }

    /// Rewrites the database file (`VACUUM`) if it has at most `max_bytes` bytes.
    pub fn vacuum_up_to(&mut self, max_bytes: i64) -> rusqlite::Result<()> {
        let number = |pragma| {
            self.connection
                .query_row(pragma, [], |row| row.get::<_, i64>(0))
        };
        if number("PRAGMA page_count")?.saturating_mul(number("PRAGMA page_size")?) > max_bytes {
            return Ok(());
        }
        self.without_busy_wait(|connection| connection.execute_batch("VACUUM"))
    }

    /// Checkpoints the whole WAL and truncates it. Returns false if a reader was active.
    pub fn truncate_wal(&mut self) -> rusqlite::Result<bool> {
        let pragma = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.without_busy_wait(|connection| {
            connection.query_row(pragma, [], |row| row.get::<_, i64>(0))
        })?;
        Ok(is_busy == 0)
    }

    /// Calls [`Writer::truncate_wal`] repeatedly until a call succeeds. Returns `Unavailable` if no call succeeds
    /// within `timeout`.
    pub async fn truncate_wal_within(&mut self, timeout: Duration) -> Result<()> {
        let since = Instant::now();
        while !tokio::task::block_in_place(|| self.truncate_wal())? {
            if since.elapsed() >= timeout {
                let reason = "another connection prevents the checkpoint of the WAL";
                return Err(StoreError::Unavailable(reason.into()));
            }
            tokio::time::sleep(OTHER_PROCESS_POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Runs a statement that fails immediately if another connection has a conflicting lock.
    fn without_busy_wait<T>(
        &self,
        run: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.blocks_when_busy.store(false, Ordering::Relaxed);
        let result = run(&self.connection);
        self.blocks_when_busy.store(true, Ordering::Relaxed);
        result
    }

    /// Writes the transaction to the WAL without syncing the WAL. After an error the transaction is still open, unless
    /// SQLite has rolled it back (for example because the disk is full).
    pub fn commit(&self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Err(StoreError::Unavailable("SQLite has rolled back".into()));
        }
        Ok(self.run("COMMIT")?)
    }

    pub fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.run("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
    }

    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::db::sqlite::{Sqlite, SqliteTx};
    use crate::db::{Durability, StoreError};
    use crate::params;

    async fn open_with_table() -> (tempfile::TempDir, Sqlite) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("numbers.db");
        let path = file.to_str().expect("text");
        let db = Sqlite::open_without_migrating(path, false).expect("a database");
        let writer = db.writer.lock().await;
        let created = writer.connection.execute_batch(
            "CREATE TABLE numbers (n INTEGER PRIMARY KEY,
               less INTEGER REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED, text TEXT)",
        );
        created.expect("a table");
        drop(writer);
        (folder, db)
    }

    async fn insert(db: &Sqlite, n: i64) -> SqliteTx {
        let tx = db.begin(Durability::ProcessCrash).await.expect("a writer");
        tx.execute("INSERT INTO numbers (n) VALUES ($1)", params![n])
            .expect("a new number");
        tx
    }

    async fn commit(db: &Sqlite, n: i64) {
        insert(db, n).await.commit().await.expect("committed");
    }

    fn committed_rows(db: &Sqlite) -> Vec<i64> {
        let tx = db.read().expect("a reader");
        let rows = tx.rows("SELECT n FROM numbers ORDER BY n", &[]);
        let rows = rows.expect("numbers");
        rows.iter().map(|row| row.get(0)).collect()
    }

    #[tokio::test]
    async fn a_transaction_is_visible_after_its_commit_and_rolled_back_when_dropped() {
        let (_folder, db) = open_with_table().await;
        let first = insert(&db, 1).await;
        assert_eq!(committed_rows(&db), [0; 0]);
        first.commit().await.expect("committed");
        drop(insert(&db, 2).await);
        assert_eq!(committed_rows(&db), [1]);
    }

    #[tokio::test]
    async fn a_failed_commit_is_rolled_back_and_the_next_one_succeeds() {
        let (_folder, db) = open_with_table().await;
        let tx = insert(&db, 1).await;
        let sql = "UPDATE numbers SET less = 99 WHERE n = 1";
        tx.execute(sql, &[]).expect("checked by the commit");
        assert!(tx.commit().await.is_err());
        commit(&db, 2).await;
        assert_eq!(committed_rows(&db), [2]);
    }

    /// SQLite rolls a transaction back by itself if the disk is full.
    #[tokio::test]
    async fn a_transaction_that_sqlite_rolled_back_cannot_be_committed() {
        let (_folder, db) = open_with_table().await;
        commit(&db, 1).await;
        let tx = insert(&db, 2).await;
        let again = "INSERT OR ROLLBACK INTO numbers (n) VALUES (1)";
        assert!(tx.execute(again, &[]).is_err());
        let refused = tx.commit().await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))));
        commit(&db, 3).await;
        assert_eq!(committed_rows(&db), [1, 3]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_flush_waits_for_a_reader_and_reports_one_that_stays() {
        let (folder, db) = open_with_table().await;
        commit(&db, 1).await;
        let reader = db.read().expect("a reader");
        reader.execute("BEGIN", &[]).expect("begun");
        reader.rows("SELECT n FROM numbers", &[]).expect("numbers");
        commit(&db, 2).await;
        let mut writer = db.writer.lock().await;
        let refused = writer.truncate_wal_within(Duration::ZERO).await;
        drop(writer);
        assert!(matches!(refused, Err(StoreError::Unavailable(_))));
        let wal_bytes = || {
            let wal = std::fs::metadata(folder.path().join("numbers.db-wal"));
            wal.expect("a WAL").len()
        };
        assert!(wal_bytes() > 0);
        let finish = async || {
            tokio::task::yield_now().await;
            reader.execute("COMMIT", &[]).expect("ended");
        };
        let (flushed, ()) = tokio::join!(db.truncate_wal(), finish());
        flushed.expect("flushed");
        assert_eq!(wal_bytes(), 0);
    }

    /// Each iteration writes a megabyte between two reads.
    #[tokio::test]
    async fn the_wal_stays_short_while_others_read() {
        let (folder, db) = open_with_table().await;
        let sql = "INSERT INTO numbers (text) VALUES (hex(zeroblob(524288)))";
        for _ in 0..40 {
            let tx = db.begin(Durability::ProcessCrash).await.expect("a writer");
            tx.execute(sql, &[]).expect("inserted");
            tx.commit().await.expect("committed");
            committed_rows(&db);
        }
        let wal = std::fs::metadata(folder.path().join("numbers.db-wal")).expect("a WAL");
        assert!(wal.len() >> 20 < 10, "{} bytes", wal.len());
    }
}
