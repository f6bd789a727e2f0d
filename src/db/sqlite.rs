//! SQLite in WAL mode. Writers queue for one connection, so callers never get "database is locked". Reads use pooled
//! connections and block the async task. A commit with `Durability::PowerLoss` returns when it is on the disk
//! (`wal_sync.rs`).

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use refinery::Migration;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, params_from_iter};
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use super::{Cause, Constraint, Durability, Param, PoolStatus, Result, Row, StoreError};
use crate::time_limit::TimeLimit;

mod migrate;
mod open_files;
mod path_check;
mod permissions;
mod waiting_caller;
mod wal_sync;
mod writer;

pub(crate) use migrate::embedded_migrations;
use migrate::migrate;
pub(super) use open_files::OpenFiles;
pub(super) use path_check::{check_header, check_path};
use waiting_caller::WaitingCaller;
use wal_sync::WalSync;
use writer::Writer;

/// The maximum wait for the lock of another process, such as an import or a backup, that writes to the same file.
const OTHER_PROCESS_LOCK_TIMEOUT: TimeLimit = TimeLimit::from_millis(2000);
/// The interval between attempts to lock the database file. SQLite's default intervals grow to 100 ms, and would miss
/// the pauses between the batches of an import.
const OTHER_PROCESS_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// The pause between the batches of a bulk writer. Every waiting writer makes several attempts to lock the database
/// file in this time.
const BATCH_PAUSE: Duration = Duration::from_millis(5);
/// The maximum wait in the queue for the writing connection. This time and `OTHER_PROCESS_LOCK_TIMEOUT` are together
/// less than five seconds, within which users must get the response 503.
const QUEUE_TIMEOUT: TimeLimit = TimeLimit::from_millis(2500);
/// The maximum time that `flush` waits for the readers and writers of other connections.
const FLUSH_TIMEOUT: TimeLimit = TimeLimit::from_secs(10);
/// The maximum size of a database file that is rewritten after a deletion. Rewriting a file of this size takes about a
/// quarter of a second.
const MAX_VACUUM_FILE_BYTES: i64 = 32 << 20;
/// The largest part of the database file that SQLite maps into memory if `database.mmap` is on.
const MAX_MAPPED_BYTES: u64 = 64 << 30;

#[derive(Clone)]
pub struct DatabaseFile {
    path: Arc<str>,
    /// The value of `database.mmap`.
    mmap: bool,
}

#[derive(Clone)]
pub struct Sqlite {
    file: DatabaseFile,
    pub(super) files: Arc<OpenFiles>,
    writer: Arc<Queue<Writer>>,
    /// The WAL to sync after each commit, or `None` for a bulk writer, whose commits are not synced one by one.
    wal: Option<Arc<WalSync>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    /// The number of open connections for reading, including the idle connections.
    open: Arc<AtomicUsize>,
    waiting: Arc<AtomicUsize>,
}

impl Sqlite {
    pub fn open(path: &str, mmap: bool, later: &[Migration]) -> Result<Sqlite> {
        permissions::create_private_folder(path)?;
        let path = path.into();
        let file = DatabaseFile { path, mmap };
        let mut writer = Writer::connect(&file)?;
        migrate(&mut writer.connection, later)?;
        Ok(Sqlite::with_writer(file, writer))
    }

    pub fn open_without_migrating(path: &str, mmap: bool) -> Result<Sqlite> {
        let path = path.into();
        let file = DatabaseFile { path, mmap };
        let writer = Writer::connect(&file)?;
        Ok(Sqlite::with_writer(file, writer))
    }

    fn with_writer(file: DatabaseFile, writer: Writer) -> Sqlite {
        Sqlite {
            files: Arc::new(OpenFiles::of(&file.path)),
            wal: Some(Arc::new(WalSync::new(file.path.clone()))),
            file,
            writer: Arc::new(Queue::new(writer)),
            readers: Arc::default(),
            open: Arc::default(),
            waiting: Arc::default(),
        }
    }

    /// Returns the numbers of connections, including the connection of the writer.
    pub fn pool(&self) -> PoolStatus {
        let idle = self.readers.lock().expect("no panic while locked").len();
        PoolStatus {
            open: self.open.load(Ordering::Relaxed) + 1,
            idle: idle + usize::from(self.writer.try_lock().is_ok()),
            waiting: self.waiting.load(Ordering::Relaxed),
        }
    }

    /// Opens the same database file for a bulk writer. A cache of 64 MiB and a WAL of up to 256 MiB avoid that every
    /// batch reads and checkpoints the same pages. The file is not mapped into memory, because the pages would count as
    /// memory of the process. The last batches survive power loss only after `flush`.
    pub fn for_bulk_writes(&self) -> Result<Sqlite> {
        self.files.check()?;
        let file = DatabaseFile {
            mmap: false,
            ..self.file.clone()
        };
        let writer = Writer::connect(&file)?;
        writer
            .connection
            .execute_batch("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 65536;")?;
        Ok(Sqlite {
            wal: None,
            ..Sqlite::with_writer(file, writer)
        })
    }

    /// Pauses a bulk writer, so that every waiting writer can lock the database file.
    pub async fn yield_to_writers(&self) {
        tokio::time::sleep(BATCH_PAUSE).await;
    }

    /// Checkpoints the WAL while other connections read and write. Commits do not wait for the checkpoint.
    pub async fn checkpoint(&self) -> Result<()> {
        let tx = self.read()?;
        let checkpoint = move || {
            let pragma = "PRAGMA wal_checkpoint(PASSIVE)";
            tx.connection().query_row(pragma, [], |_| Ok(()))
        };
        match tokio::task::spawn_blocking(checkpoint).await {
            Ok(done) => Ok(done?),
            Err(failed) => Err(StoreError::Other(Cause::new(
                format!("checkpoint: {failed}"),
                failed,
            ))),
        }
    }

    /// Checkpoints the whole WAL, syncs the database file and truncates the WAL. Returns `Unavailable` if another
    /// connection still reads or writes after [`FLUSH_TIMEOUT`].
    pub async fn truncate_wal(&self) -> Result<()> {
        let mut writer = self.writer.lock().await;
        writer.truncate_wal_within(FLUSH_TIMEOUT.get()).await
    }

    /// Empties the WAL, and rewrites a small database file, because unused parts of its pages can contain earlier
    /// copies of deleted rows in spite of `secure_delete`. Returns false if another connection prevented the rewriting.
    pub async fn erase_deleted_rows(&self) -> Result<bool> {
        let mut writer = self.lock_writer().await?;
        let purged = tokio::task::block_in_place(|| {
            writer.vacuum_up_to(MAX_VACUUM_FILE_BYTES)?;
            writer.truncate_wal()
        });
        match purged {
            Err(busy) if busy.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
            purged => Ok(purged?),
        }
    }

    pub fn read(&self) -> Result<SqliteTx> {
        let idle = self.readers.lock().expect("no panic while locked").pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                // Otherwise the connection would create an empty database where the file was.
                self.files.check()?;
                let opened = connect(&self.file, Arc::new(AtomicBool::new(true)))?;
                self.open.fetch_add(1, Ordering::Relaxed);
                opened
            }
        };
        Ok(SqliteTx::Read {
            connection: Some(connection),
            pool: self.readers.clone(),
        })
    }

    pub(super) async fn begin(&self, durability: Durability) -> Result<SqliteTx> {
        let mut writer = self.lock_writer().await?;
        writer.begin().await?;
        let wal = match durability {
            Durability::PowerLoss => self.wal.clone(),
            Durability::Deferred | Durability::ProcessCrash => None,
        };
        Ok(SqliteTx::Write {
            writer,
            wal,
            open: true,
        })
    }

    async fn lock_writer(&self) -> Result<OwnedMutexGuard<Writer>> {
        let lock = self.writer.clone().lock_owned();
        let _waiting = WaitingCaller::begin(&self.waiting);
        let writer = tokio::time::timeout(QUEUE_TIMEOUT.get(), lock).await;
        let writer = writer.map_err(|_| StoreError::Unavailable("the writer is busy".into()))?;
        self.files.check()?;
        Ok(writer)
    }
}

/// Opens a connection to the database file. The server checkpoints the WAL in the background
/// (`Store::run_maintenance`). If the WAL exceeds 4 MiB nevertheless, the connection that commits checkpoints the WAL.
fn connect(file: &DatabaseFile, blocks_when_busy: Arc<AtomicBool>) -> Result<Connection> {
    permissions::create_private_file(&file.path)?;
    let mut connection = Connection::open(&*file.path)?;
    let mut since = Instant::now();
    let wait = move |attempts: i32| {
        if !blocks_when_busy.load(Ordering::Relaxed) {
            return false;
        }
        if attempts == 0 {
            since = Instant::now();
        }
        std::thread::sleep(OTHER_PROCESS_POLL_INTERVAL);
        since.elapsed() < OTHER_PROCESS_LOCK_TIMEOUT.get()
    };
    connection.busy_handler(Some(wait))?;
    connection.set_prepared_statement_cache_capacity(128);
    // By default SQLite recompiles a statement if a parameter changes, to plan the statement by statistics. This
    // database has no statistics.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let mmap_bytes = if file.mmap { MAX_MAPPED_BYTES } else { 0 };
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1024;
             PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
             PRAGMA mmap_size = {mmap_bytes}; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON;",
        ))
        .map_err(|error| path_check::open_error(&file.path, error))?;
    Ok(connection)
}

/// A connection in use, whose uncommitted changes are rolled back if it is dropped.
pub enum SqliteTx {
    Read {
        connection: Option<Connection>,
        pool: Arc<Mutex<Vec<Connection>>>,
    },
    Write {
        writer: OwnedMutexGuard<Writer>,
        /// The WAL that must be synced before `commit` returns, or `None` if it need not be synced.
        wal: Option<Arc<WalSync>>,
        open: bool,
    },
}

impl SqliteTx {
    fn connection(&self) -> &Connection {
        match self {
            SqliteTx::Read { connection, .. } => {
                connection.as_ref().expect("present until dropped")
            }
            SqliteTx::Write { writer, .. } => &writer.connection,
        }
    }

    pub fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let changed = statement.execute(params_from_iter(params))?;
        Ok(changed as u64)
    }

    /// Runs the statement once for each row of parameters.
    pub fn execute_each<'a, const PARAMS: usize>(
        &self,
        sql: &str,
        rows: impl Iterator<Item = [Param<'a>; PARAMS]>,
    ) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql)?;
        for row in rows {
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    }

    /// Reads the first row without copying it. The session query of every signed-in HTTP request uses this function.
    pub fn first_row<T>(
        &self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(params))?;
        let row = rows.next()?;
        Ok(row.map(read).transpose()?)
    }

    pub fn row(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        let mut first = None;
        self.for_each_row(sql, params, |row| {
            first.get_or_insert(row);
        })?;
        Ok(first)
    }

    pub fn rows(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.for_each_row(sql, params, |row| rows.push(row))?;
        Ok(rows)
    }

    /// Reads all rows of a statement, because a statement with RETURNING is complete only after its last row.
    fn for_each_row(
        &self,
        sql: &str,
        params: &[Param<'_>],
        mut handle_row: impl FnMut(Row),
    ) -> Result<()> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let width = statement.column_count();
        let mut rows = statement.query(params_from_iter(params))?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(width);
            for at in 0..width {
                values.push(row.get(at)?);
            }
            handle_row(Row::Sqlite(values));
        }
        Ok(())
    }

    pub async fn commit(mut self) -> Result<()> {
        let SqliteTx::Write { writer, wal, open } = &mut self else {
            return Ok(());
        };
        writer.commit()?;
        *open = false;
        let wal = wal.take();
        // The writer is released before the sync, so that the next transaction does not wait for the disk.
        drop(self);
        match wal {
            Some(wal) => wal.sync().await,
            None => Ok(()),
        }
    }
}

impl Drop for SqliteTx {
    fn drop(&mut self) {
        match self {
            SqliteTx::Read { connection, pool } => {
                if let (Some(connection), Ok(mut idle)) = (connection.take(), pool.lock()) {
                    idle.push(connection);
                }
            }
            SqliteTx::Write { writer, open, .. } => {
                if *open {
                    writer.roll_back();
                }
            }
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        map_error_of(None, error)
    }
}

/// Converts an error of SQLite. The text begins with the file, if it is given.
fn map_error_of(file: Option<&Path>, error: rusqlite::Error) -> StoreError {
    let text = error.to_string();
    let code = error.sqlite_error_code();
    let cause = match file {
        Some(file) => Cause::new(format!("{}: {text}", file.display()), error),
        None => Cause::of(error),
    };
    match code {
        Some(ErrorCode::ConstraintViolation) if text.contains("UNIQUE") => {
            StoreError::UniqueViolation(Constraint::from_columns(&text))
        }
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory,
        ) => StoreError::Unavailable(cause),
        Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
            StoreError::NotWritable(cause)
        }
        _ => StoreError::Other(cause),
    }
}
