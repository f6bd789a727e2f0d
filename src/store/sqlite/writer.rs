//! The one connection that writes, and the transaction that those share who write at the same time.
//!
//! Whoever is done leaves the transaction open, and it is committed when nobody else is about to write: one
//! commit puts a page into the log once for all who changed it. Each of them is told after that, so that nobody
//! is told of what a crash could still undo. What one of them does stands in a savepoint of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rusqlite::{Connection, ErrorCode};
use tokio::sync::{Mutex as Queue, OwnedMutexGuard, watch};

use super::standing::{AFTER_WRITE, Standing};
use super::{OTHER_PROCESS_POLL, OTHER_PROCESS_WAIT, connect, error};
use crate::store::{Result, StoreError};

pub struct Writer {
    pub connection: Connection,
    /// Whether it waits for another process.
    is_patient: Arc<AtomicBool>,
    /// There while a transaction is open in which somebody has left changes.
    left: Option<watch::Sender<Option<Result<()>>>>,
    /// Never there while a transaction is open.
    pub standing: Standing,
}

/// The outcome, once there is one.
pub struct Outcome(watch::Receiver<Option<Result<()>>>);

impl Outcome {
    pub async fn known(mut self) -> Result<()> {
        match self.0.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().expect("waited for"),
            Err(_) => Err(StoreError::Unavailable("the program ends".into())),
        }
    }
}

impl Writer {
    pub fn connect(path: &Arc<str>) -> Result<Writer> {
        let is_patient = Arc::new(AtomicBool::new(true));
        Ok(Writer {
            connection: connect(path, is_patient.clone())?,
            is_patient,
            left: None,
            standing: Standing::new(path.clone()),
        })
    }

    /// For those who read, if nobody writes just now.
    pub fn stand_by(&mut self) {
        if self.connection.is_autocommit() {
            self.standing.stand();
        }
    }

    /// Begins what one user does. Another process is waited for without holding a thread: whoever has to move on
    /// for the file to become free may need that very thread.
    pub async fn begin(&mut self) -> Result<()> {
        if self.left.is_some() {
            return self.run("SAVEPOINT own").map_err(error);
        }
        self.standing.leave(AFTER_WRITE);
        let since = Instant::now();
        loop {
            match self.begin_at_once() {
                Err(busy)
                    if busy.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && since.elapsed() < OTHER_PROCESS_WAIT =>
                {
                    tokio::time::sleep(OTHER_PROCESS_POLL).await;
                }
                begun => return begun.map_err(error),
            }
        }
    }

    fn begin_at_once(&self) -> rusqlite::Result<()> {
        self.is_patient.store(false, Ordering::Relaxed);
        let begun = self.run("BEGIN IMMEDIATE");
        self.is_patient.store(true, Ordering::Relaxed);
        begun
    }

    /// Leaves what one user has done to be committed. On an error it is still to be undone.
    pub fn leave(writer: &mut OwnedMutexGuard<Writer>) -> Result<Outcome> {
        if writer.connection.is_autocommit() {
            return Err(StoreError::Unavailable("SQLite has rolled back".into()));
        }
        if let Some(left) = &writer.left {
            writer.run("RELEASE own").map_err(error)?;
            return Ok(Outcome(left.subscribe()));
        }
        let (left, outcome) = watch::channel(None);
        writer.left = Some(left);
        // A task of its own: whoever asked may go away.
        tokio::spawn(commit(OwnedMutexGuard::mutex(writer).clone()));
        Ok(Outcome(outcome))
    }

    /// Takes back what one user has begun, and nothing else. Where that fails, or SQLite itself has rolled back (on a
    /// full disk), all of it is gone, and all are told.
    pub fn undo(&mut self) {
        let alone = || {
            self.run("ROLLBACK TO own")
                .and_then(|()| self.run("RELEASE own"))
        };
        if self.left.is_some() && !self.connection.is_autocommit() && alone().is_ok() {
            return;
        }
        self.roll_back();
        self.end(Err(StoreError::Unavailable("rolled back".into())));
    }

    /// Commits what has been left, if it was not undone by SQLite itself.
    pub fn commit_left(&mut self) {
        if self.left.is_none() {
            return;
        }
        // Into the log only, which waits for no disk.
        let outcome = self.run("COMMIT").map_err(error);
        if outcome.is_err() {
            self.roll_back();
        }
        self.end(outcome);
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(failed) = self.run("ROLLBACK")
        {
            tracing::error!(error = %failed, "rollback failed");
        }
    }

    fn end(&mut self, outcome: Result<()>) {
        if let Some(left) = self.left.take() {
            left.send_replace(Some(outcome));
        }
    }

    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(|_| ())
    }
}

/// Commits when those have had their turn who were about to write.
async fn commit(queue: Arc<Queue<Writer>>) {
    tokio::task::yield_now().await;
    let mut writer = queue.lock().await;
    writer.commit_left();
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;
    use std::time::Duration;

    use super::*;
    use crate::params;
    use crate::store::Kept;
    use crate::store::sqlite::{Sqlite, SqliteTx};

    async fn numbers() -> (tempfile::TempDir, Sqlite) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("numbers.db");
        let db = Sqlite::open_as_it_is(file.to_str().expect("text")).expect("a database");
        let writer = db.writer.lock().await;
        let made = writer.connection.execute_batch(
            "CREATE TABLE numbers (n INTEGER PRIMARY KEY,
               less INTEGER REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED)",
        );
        made.expect("a table");
        drop(writer);
        (folder, db)
    }

    async fn with(db: &Sqlite, n: i64) -> SqliteTx {
        let tx = db.write(Kept::Process).await.expect("the writer");
        tx.execute("INSERT INTO numbers (n) VALUES ($1)", params![n])
            .expect("a new number");
        tx
    }

    fn seen(tx: &SqliteTx) -> Vec<i64> {
        let rows = tx.rows("SELECT n FROM numbers ORDER BY n", &[]);
        rows.expect("numbers")
            .iter()
            .map(|row| row.get(0))
            .collect()
    }

    fn committed(db: &Sqlite) -> Vec<i64> {
        seen(&db.read().expect("a reader"))
    }

    #[tokio::test]
    async fn one_commit_serves_all_and_nobody_is_told_before_it() {
        let (_folder, db) = numbers().await;
        let first = with(&db, 1).await;
        let third = async {
            let second = with(&db, 2).await;
            assert_eq!(seen(&second), [1, 2], "in one transaction");
            drop(second);
            let third = with(&db, 3).await;
            assert_eq!(seen(&third), [1, 3], "what was undone is not there");
            assert_eq!(committed(&db), [0; 0], "not committed yet");
            third.commit().await
        };
        let first = async {
            let told = first.commit().await;
            assert_eq!(committed(&db), [1, 3]);
            told
        };
        let (first, third) = tokio::join!(first, third);
        first.and(third).expect("both are committed");
        drop(with(&db, 4).await);
        assert_eq!(committed(&db), [1, 3], "alone it is undone too");
    }

    #[tokio::test]
    async fn nobody_waits_for_a_batch_that_begins_after_them() {
        let (_folder, db) = numbers().await;
        let first = with(&db, 1).await;
        let batch = async {
            let batch = db.write_batch().await.expect("the writer");
            assert_eq!(committed(&db), [1], "before the batch is done");
            drop(batch);
        };
        let (first, ()) = tokio::join!(first.commit(), batch);
        first.expect("committed");
    }

    #[tokio::test]
    async fn who_goes_away_after_leaving_is_committed() {
        let (_folder, db) = numbers().await;
        {
            let mut gone = pin!(with(&db, 1).await.commit());
            let asked = poll_fn(|context| Poll::Ready(gone.as_mut().poll(context).is_pending()));
            assert!(asked.await, "it waits for the commit");
        }
        let arrives = async {
            while committed(&db) != [1] {
                tokio::task::yield_now().await;
            }
        };
        let arrived = tokio::time::timeout(Duration::from_secs(10), arrives).await;
        arrived.expect("nobody else has to come");
    }

    #[tokio::test]
    async fn a_commit_that_fails_is_told_to_all() {
        let (_folder, db) = numbers().await;
        let first = with(&db, 1).await;
        let second = async {
            let second = with(&db, 2).await;
            let sql = "UPDATE numbers SET less = 99 WHERE n = 2";
            second.execute(sql, &[]).expect("checked by the commit");
            second.commit().await
        };
        let (first, second) = tokio::join!(first.commit(), second);
        assert!(first.is_err() && second.is_err());
        with(&db, 3).await.commit().await.expect("the next one");
        assert_eq!(committed(&db), [3]);
    }

    /// As on a full disk.
    #[tokio::test]
    async fn what_sqlite_rolls_back_is_told_to_all() {
        let (_folder, db) = numbers().await;
        for goes_on in [false, true] {
            let first = with(&db, 1).await;
            let second = async {
                let second = with(&db, 2).await;
                let all = "INSERT OR ROLLBACK INTO numbers (n) VALUES (1)";
                assert!(second.execute(all, &[]).is_err());
                if goes_on {
                    assert!(second.commit().await.is_err());
                }
            };
            let (first, ()) = tokio::join!(first.commit(), second);
            assert!(matches!(first, Err(StoreError::Unavailable(_))));
            assert_eq!(committed(&db), [0; 0]);
        }
        with(&db, 3).await.commit().await.expect("the next one");
        assert_eq!(committed(&db), [3]);
    }
}
