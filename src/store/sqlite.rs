//! SQLite: one writer that everybody queues for, so that nobody ever sees "database is locked", and that is
//! shared by those who write at the same time (`writer.rs`); readers that answer inline. WAL, and a commit that is
//! on the disk when it is answered (`log.rs`), but for those of `Store::write_lightly` and `write_soon`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, params_from_iter};
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use super::{Kept, Param, Pool, Result, Row, StoreError, Taken, history, schema};
use crate::causes::with_causes;

mod log;
mod private;
mod standing;
mod writer;

use log::Log;
use standing::{AFTER_WRITE, FOR_OTHERS};
use writer::Writer;

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// How long to wait for another process (an import, a backup) that writes to the same file.
const OTHER_PROCESS_WAIT: Duration = Duration::from_millis(2000);
/// How often a waiting writer looks whether the file is free. SQLite's own waits grow to 100 ms and would
/// miss the gaps between the batches of an import.
const OTHER_PROCESS_POLL: Duration = Duration::from_millis(1);
/// What a writer of many batches leaves free between two of them: several looks long.
const GAP: Duration = Duration::from_millis(5);
/// How long to queue for the writer. Both waits together stay under the five seconds of contract 2.
const QUEUE_WAIT: Duration = Duration::from_millis(2500);

#[derive(Clone)]
pub struct Sqlite {
    path: Arc<str>,
    writer: Arc<Queue<Writer>>,
    /// None where a power cut may cost the last commits (`bulk`).
    log: Option<Arc<Log>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    /// Whether a reader stands by that holds the lock for all (`standing.rs`).
    is_stood_by: Arc<AtomicBool>,
    /// Readers there are, idle or not.
    open: Arc<AtomicUsize>,
    waiting: Arc<AtomicUsize>,
}

impl Sqlite {
    pub fn open(path: &str) -> Result<Sqlite> {
        private::make_folder(path)?;
        let path = path.into();
        let mut writer = Writer::connect(&path)?;
        migrate(&mut writer.connection)?;
        Ok(Sqlite::around(path, writer))
    }

    /// With the schema that it has.
    pub fn open_as_it_is(path: &str) -> Result<Sqlite> {
        let path = path.into();
        let writer = Writer::connect(&path)?;
        Ok(Sqlite::around(path, writer))
    }

    fn around(path: Arc<str>, writer: Writer) -> Sqlite {
        Sqlite {
            log: Some(Arc::new(Log::of(path.clone()))),
            path,
            is_stood_by: writer.standing.is_there(),
            writer: Arc::new(Queue::new(writer)),
            readers: Arc::default(),
            open: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// The writer is one of them.
    pub fn pool(&self) -> Pool {
        let idle = self.readers.lock().expect("no panic while held").len();
        Pool {
            open: self.open.load(Ordering::Relaxed) + 1,
            idle: idle + usize::from(self.writer.try_lock().is_ok()),
            waiting: self.waiting.load(Ordering::Relaxed),
        }
    }

    /// The same file for a writer of a million rows in no order: 64 MiB for the pages of the indexes, 256 MiB of
    /// log, so that what changes with every batch is not read or copied with every batch; no mapping, whose pages
    /// would count as memory. A power cut may cost the last batches: `write_back` ends that.
    pub fn bulk(&self) -> Result<Sqlite> {
        let writer = Writer::connect(&self.path)?;
        writer
            .connection
            .execute_batch(
                "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 65536; PRAGMA mmap_size = 0;",
            )
            .map_err(error)?;
        Ok(Sqlite {
            log: None,
            ..Sqlite::around(self.path.clone(), writer)
        })
    }

    /// Waits long enough for everybody else who wants to write.
    pub async fn gap(&self) {
        tokio::time::sleep(GAP).await;
    }

    /// Copies the log into the file, beside whoever reads and writes: a commit does not wait for it.
    pub async fn checkpoint(&self) -> Result<()> {
        let tx = self.read()?;
        let copied = move || {
            let pragma = "PRAGMA wal_checkpoint(PASSIVE)";
            tx.connection().query_row(pragma, [], |_| Ok(()))
        };
        match tokio::task::spawn_blocking(copied).await {
            Ok(copied) => copied.map_err(error),
            Err(failed) => Err(StoreError::Other(format!("copying the log: {failed}"))),
        }
    }

    /// Puts the log into the file, on the disk, and gives its space back, unless somebody reads just now.
    pub async fn write_back(&self) -> Result<()> {
        let mut writer = self.writer.lock().await;
        writer.standing.leave(AFTER_WRITE);
        let pragma = "PRAGMA wal_checkpoint(TRUNCATE)";
        tokio::task::block_in_place(|| writer.connection.query_row(pragma, [], |_| Ok(())))
            .map_err(error)
    }

    /// While a server sees to it (`Store::tend`), a reader stands by.
    pub async fn stand_by_from_now_on(&self) {
        self.writer.lock().await.standing.allow();
    }

    pub async fn stand_by_no_more(&self) {
        self.writer.lock().await.standing.forbid();
    }

    /// For another process, which can begin the log anew only while nobody stands in it. Not in the queue of the
    /// writers: whoever writes has sent the reader away already.
    pub fn make_room(&self) {
        if let Ok(mut writer) = self.writer.try_lock() {
            writer.standing.leave(FOR_OTHERS);
        }
    }

    pub fn read(&self) -> Result<SqliteTx> {
        if !self.is_stood_by.load(Ordering::Relaxed)
            && let Ok(mut writer) = self.writer.try_lock()
        {
            writer.stand_by();
        }
        let idle = self.readers.lock().expect("no panic while held").pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let made = connect(&self.path, Arc::new(AtomicBool::new(true)))?;
                self.open.fetch_add(1, Ordering::Relaxed);
                made
            }
        };
        Ok(SqliteTx::Read {
            connection: Some(connection),
            home: self.readers.clone(),
        })
    }

    pub(super) async fn write(&self, kept: Kept) -> Result<SqliteTx> {
        let writer = self.turn().await?;
        self.begin(writer, kept).await
    }

    /// For many rows at once: what others have left is committed first, and does not wait for them.
    pub(super) async fn write_batch(&self) -> Result<SqliteTx> {
        let mut writer = self.turn().await?;
        writer.commit_left();
        self.begin(writer, Kept::Process).await
    }

    async fn turn(&self) -> Result<OwnedMutexGuard<Writer>> {
        let queue = self.writer.clone().lock_owned();
        let waits = Waits::begin(&self.waiting);
        let writer = tokio::time::timeout(QUEUE_WAIT, queue).await;
        drop(waits);
        writer.map_err(|_| StoreError::Unavailable("the writer is busy".into()))
    }

    async fn begin(&self, mut writer: OwnedMutexGuard<Writer>, kept: Kept) -> Result<SqliteTx> {
        writer.begin().await?;
        let log = match kept {
            Kept::Power => self.log.clone(),
            Kept::Process => None,
        };
        Ok(SqliteTx::Write {
            writer,
            log,
            open: true,
        })
    }
}

/// Counts as waiting until it is dropped, also when its caller gives up.
struct Waits(Arc<AtomicUsize>);

impl Waits {
    fn begin(waiting: &Arc<AtomicUsize>) -> Waits {
        waiting.fetch_add(1, Ordering::Relaxed);
        Waits(waiting.clone())
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The server copies the log into the file by itself (`Store::tend`); from 4 MiB on, or where no server runs,
/// whoever commits does.
fn connect(path: &str, is_patient: Arc<AtomicBool>) -> Result<Connection> {
    private::make_file(path)?;
    let mut connection = Connection::open(path).map_err(error)?;
    let mut since = Instant::now();
    let wait = move |looks: i32| {
        if !is_patient.load(Ordering::Relaxed) {
            return false;
        }
        if looks == 0 {
            since = Instant::now();
        }
        std::thread::sleep(OTHER_PROCESS_POLL);
        since.elapsed() < OTHER_PROCESS_WAIT
    };
    connection.busy_handler(Some(wait)).map_err(error)?;
    connection.set_prepared_statement_cache_capacity(128);
    // Otherwise a statement is compiled again whenever a parameter differs from the last one: SQLite
    // might plan it anew by its statistics, and there are none.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(error)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1024;
             PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA mmap_size = 68719476736; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;",
        )
        .map_err(error)?;
    Ok(connection)
}

/// Number and name of each migration.
pub fn migrations() -> String {
    let runner = embedded::migrations::runner();
    let names = runner
        .get_migrations()
        .iter()
        .map(|m| format!("V{} {}", m.version(), m.name()));
    names.collect::<Vec<_>>().join(", ")
}

pub fn newest_migration() -> i64 {
    let runner = embedded::migrations::runner();
    let versions = runner
        .get_migrations()
        .iter()
        .map(|m| i64::from(m.version()));
    versions.max().unwrap_or(0)
}

fn migrate(connection: &mut Connection) -> Result<()> {
    check_history(connection)?;
    embedded::migrations::runner()
        .set_grouped(true)
        .run(connection)
        .map(|_| ())
        .map_err(|error| {
            schema::refused(&error)
                .unwrap_or_else(|| StoreError::Other(format!("schema: {}", with_causes(&error))))
        })
}

/// The migrations library ends the process where its table holds what it has not written.
fn check_history(connection: &Connection) -> Result<()> {
    let mut found = match connection.prepare(history::ALL) {
        Ok(found) => found,
        Err(failed) if failed.to_string().contains("no such table") => return Ok(()),
        Err(failed) if failed.to_string().contains("no such column") => {
            return Err(history::damaged("a column is missing"));
        }
        Err(failed) => return Err(error(failed)),
    };
    let mut rows = found.query([]).map_err(error)?;
    while let Some(row) = rows.next().map_err(error)? {
        // A value that is no text is as good as none.
        let text = |at| row.get::<_, Option<String>>(at).unwrap_or_default();
        history::check([text(0), text(1), text(2), text(3)])?;
    }
    Ok(())
}

/// A connection in use. Dropping it rolls back what was not committed.
pub enum SqliteTx {
    Read {
        connection: Option<Connection>,
        home: Arc<Mutex<Vec<Connection>>>,
    },
    Write {
        writer: OwnedMutexGuard<Writer>,
        /// Has to reach the disk before the commit is answered.
        log: Option<Arc<Log>>,
        open: bool,
    },
}

impl SqliteTx {
    fn connection(&self) -> &Connection {
        match self {
            SqliteTx::Read { connection, .. } => connection.as_ref().expect("held until dropped"),
            SqliteTx::Write { writer, .. } => &writer.connection,
        }
    }

    pub fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut statement = self.connection().prepare_cached(sql).map_err(error)?;
        let changed = statement.execute(params_from_iter(params)).map_err(error)?;
        Ok(changed as u64)
    }

    /// The statement once for each row of parameters.
    pub fn execute_each<'a, const PARAMS: usize>(
        &self,
        sql: &str,
        rows: impl Iterator<Item = [Param<'a>; PARAMS]>,
    ) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql).map_err(error)?;
        for row in rows {
            statement.execute(params_from_iter(row)).map_err(error)?;
        }
        Ok(())
    }

    /// The first row, read where it lies: for the one query behind every signed-in request.
    pub fn first<T>(
        &self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection().prepare_cached(sql).map_err(error)?;
        let mut found = statement.query(params_from_iter(params)).map_err(error)?;
        let row = found.next().map_err(error)?;
        row.map(read).transpose().map_err(error)
    }

    pub fn row(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        let mut first = None;
        self.each(sql, params, |row| {
            first.get_or_insert(row);
        })?;
        Ok(first)
    }

    pub fn rows(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.each(sql, params, |row| rows.push(row))?;
        Ok(rows)
    }

    /// Steps through every row: a statement that changes things must run to its end.
    fn each(&self, sql: &str, params: &[Param<'_>], mut take: impl FnMut(Row)) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql).map_err(error)?;
        let width = statement.column_count();
        let mut found = statement.query(params_from_iter(params)).map_err(error)?;
        while let Some(row) = found.next().map_err(error)? {
            let mut values = Vec::with_capacity(width);
            for at in 0..width {
                values.push(row.get(at).map_err(error)?);
            }
            take(Row::Sqlite(values));
        }
        Ok(())
    }

    pub async fn commit(mut self) -> Result<()> {
        let SqliteTx::Write { writer, log, open } = &mut self else {
            return Ok(());
        };
        let outcome = Writer::leave(writer)?;
        *open = false;
        let log = log.take();
        // The next one may write.
        drop(self);
        outcome.known().await?;
        match log {
            Some(log) => log.arrive().await,
            None => Ok(()),
        }
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        match self {
            SqliteTx::Read { connection, home } => {
                if let (Some(connection), Ok(mut idle)) = (connection.take(), home.lock()) {
                    idle.push(connection);
                }
            }
            SqliteTx::Write { writer, open, .. } => {
                if *open {
                    writer.undo();
                }
            }
        }
    }
}

fn error(error: rusqlite::Error) -> StoreError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) if text.contains("UNIQUE") => {
            StoreError::Taken(Taken::from_column(&text))
        }
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory,
        ) => StoreError::Unavailable(text),
        Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
            StoreError::NotWritable(text)
        }
        _ => StoreError::Other(text),
    }
}
