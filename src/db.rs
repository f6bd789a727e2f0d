//! The databases: connections, transactions and values. `Tx` runs the same SQL text on SQLite and PostgreSQL. This
//! module contains no queries of tables; the queries are in `store/`.
//!
//! `Store::read` returns a connection without a transaction (on SQLite a pooled connection, whose queries block the
//! async task). `Store::write` and `Store::begin` open a transaction. A transaction that is dropped without `commit` is
//! rolled back, for example because the client disconnects. While a `Tx` is open, the code awaits nothing but queries.

use std::time::Duration;

use refinery::Migration;
use tokio::sync::watch;

mod cause;
pub(crate) mod conflict;
mod constraint;
mod history;
mod locks;
mod migration_status;
mod postgres;
pub(crate) mod row;
mod schema;
mod sqlite;
mod store_error;
mod upgrade;
mod value;

pub(crate) use cause::Cause;
pub(crate) use constraint::Constraint;
pub(crate) use postgres::LookupSql;
pub(crate) use rusqlite::types::Value as SqliteValue;
pub(crate) use schema::SchemaMigration;
pub(crate) use store_error::StoreError;
pub use value::{Column, Param, Row};

use crate::config;
use crate::time_limit::TimeLimit;

pub(crate) type Result<T> = std::result::Result<T, StoreError>;

/// The interval of `run_maintenance`. A `Deferred` commit is on the disk after this interval at the latest.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(500);

/// The time limit of one SQL statement, after which the database counts as unavailable. This time and the wait for a
/// connection are together less than five seconds, within which users must get the response 503.
const STATEMENT_TIMEOUT: TimeLimit = TimeLimit::from_millis(2500);

/// The name of the table that lists the applied migrations.
pub(crate) const SCHEMA_HISTORY: &str = "refinery_schema_history";

#[derive(Clone)]
pub enum Store {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

/// An open connection. A connection from `write` has a transaction, but a connection from `read` has none.
pub struct Tx {
    pub(crate) connection: Connection,
    on_commit: Vec<Box<dyn FnOnce() + Send>>,
}

/// The connection of a [`Tx`], for code that differs between the databases.
pub(crate) enum Connection {
    Sqlite(sqlite::SqliteTx),
    Postgres(postgres::PostgresTx),
}

/// The kind of failure that a commit survives after `Tx::commit` has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The commit survives power loss, because it is on the disk.
    PowerLoss,
    /// Power loss may undo the commit, so its data must be easy to recreate, such as a new session of a known device.
    /// On SQLite the commit is on the disk within [`MAINTENANCE_INTERVAL`]. On PostgreSQL `Deferred` equals
    /// `PowerLoss`, because a standby may take over.
    Deferred,
    /// The commit survives a crash of the process, but not power loss. Such commits contain data that can be recomputed
    /// (counters, last-used times, the state of a mail).
    ProcessCrash,
}

/// The current numbers of database connections.
#[derive(Debug, Clone, Copy)]
pub struct PoolStatus {
    pub open: usize,
    pub idle: usize,
    /// The number of callers that wait for a database connection.
    pub waiting: usize,
}

impl Store {
    /// Checks the settings that `open` uses, but opens no connection and no file.
    pub fn check(settings: &config::Database) -> Result<()> {
        match &*settings.url {
            config::DatabaseAddress::Sqlite(path) => {
                sqlite::check_path(path).map_err(StoreError::wrong_url)
            }
            config::DatabaseAddress::Postgres(_) => {
                postgres::Postgres::open_without_migrating(settings).map(|_| ())
            }
        }
    }

    /// Checks that the file of SQLite is a database, in a process that does not open it.
    pub(crate) fn check_file(settings: &config::Database) -> Result<()> {
        let path = settings.url.sqlite_path();
        path.map_or(Ok(()), sqlite::check_header)
            .map_err(StoreError::wrong_url)
    }

    /// Opens the database, creates a missing file, and migrates the schema.
    pub async fn open(settings: &config::Database) -> Result<Store> {
        Store::open_with(settings, &[]).await
    }

    /// Opens the database like `open`. `later` contains migrations with which tests simulate a later release.
    pub async fn open_with(settings: &config::Database, later: &[Migration]) -> Result<Store> {
        Ok(match settings.url.sqlite_path() {
            Some(path) => Store::Sqlite(sqlite::Sqlite::open(path, settings.mmap, later)?),
            None => Store::Postgres(postgres::Postgres::open(settings, later).await?),
        })
    }

    /// Opens an existing database and migrates its schema. A missing database is an error, because a command with wrong
    /// settings would otherwise succeed on an empty database.
    pub async fn open_existing(settings: &config::Database) -> Result<Store> {
        let missing = || {
            StoreError::InvalidSetting(format!(
                "database.url: there is no database of this program at {}; are these the settings of the site? account migrate makes a new one",
                settings.url
            ))
        };
        let store = Store::open_without_migrating(settings)?.ok_or_else(missing)?;
        let mut tx = store.read().await?;
        if !tx.has_table(SCHEMA_HISTORY).await? {
            return Err(missing());
        }
        drop((tx, store));
        Store::open(settings).await
    }

    /// Opens the database without creating it or migrating its schema. Returns `None` if the file does not exist.
    pub fn open_without_migrating(settings: &config::Database) -> Result<Option<Store>> {
        match settings.url.sqlite_path() {
            // An empty file, such as `touch` creates, is not a database.
            Some(path) if !std::fs::metadata(path).is_ok_and(|f| f.is_file() && f.len() > 0) => {
                Ok(None)
            }
            Some(path) => Ok(Some(Store::Sqlite(sqlite::Sqlite::open_without_migrating(
                path, settings.mmap,
            )?))),
            None => {
                let db = postgres::Postgres::open_without_migrating(settings)?;
                Ok(Some(Store::Postgres(db)))
            }
        }
    }

    /// Returns the list of this program's migrations: `V1 init, V2 …`. The migrations of SQLite and PostgreSQL have the
    /// same numbers and names.
    pub fn schema() -> String {
        let own = sqlite::embedded_migrations();
        let names = own
            .iter()
            .map(|step| format!("V{} {}", step.version, step.name));
        names.collect::<Vec<_>>().join(", ")
    }

    pub async fn read(&self) -> Result<Tx> {
        match self {
            Store::Sqlite(db) => db.read().map(Connection::Sqlite).map(Tx::new),
            Store::Postgres(db) => db.read().await.map(Connection::Postgres).map(Tx::new),
        }
    }

    /// Begins a transaction whose commit survives power loss.
    pub async fn write(&self) -> Result<Tx> {
        self.begin(Durability::PowerLoss).await
    }

    pub async fn begin(&self, durability: Durability) -> Result<Tx> {
        match self {
            Store::Sqlite(db) => db
                .begin(durability)
                .await
                .map(Connection::Sqlite)
                .map(Tx::new),
            Store::Postgres(db) => db
                .begin(durability)
                .await
                .map(Connection::Postgres)
                .map(Tx::new),
        }
    }

    /// Returns the kind of the database, which is `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match self {
            Store::Sqlite(_) => "sqlite",
            Store::Postgres(_) => "postgres",
        }
    }

    pub fn pool(&self) -> PoolStatus {
        match self {
            Store::Sqlite(db) => db.pool(),
            Store::Postgres(db) => db.pool(),
        }
    }

    /// Returns the same database for a bulk writer, which must call `yield_to_writers` between its batches.
    pub fn for_bulk_writes(&self) -> Result<Store> {
        match self {
            Store::Sqlite(db) => db.for_bulk_writes().map(Store::Sqlite),
            Store::Postgres(db) => Ok(Store::Postgres(db.clone())),
        }
    }

    /// Pauses a bulk writer between two batches, so that waiting writers get a turn: SQLite has one writer at a time.
    pub async fn yield_to_writers(&self) {
        if let Store::Sqlite(db) = self {
            db.yield_to_writers().await;
        }
    }

    /// Syncs all batches of a bulk writer to the disk. The bulk writer calls this function after its last batch.
    pub async fn sync_bulk_writes(&self) -> Result<()> {
        match self {
            Store::Sqlite(db) => db.truncate_wal().await,
            Store::Postgres(_) => Ok(()),
        }
    }

    /// Checkpoints SQLite's WAL. Callers do this after a large batch, so that the next commit need not checkpoint so
    /// many pages.
    pub async fn checkpoint(&self) -> Result<()> {
        match self {
            Store::Sqlite(db) => db.checkpoint().await,
            Store::Postgres(_) => Ok(()),
        }
    }

    /// Removes the content of deleted rows from SQLite's files. Returns false if an active reader prevented the
    /// removal. On PostgreSQL `VACUUM` removes this content (docs/decisions/deletion.md).
    pub(crate) async fn erase_deleted_rows(&self) -> Result<bool> {
        match self {
            Store::Sqlite(db) => db.erase_deleted_rows().await,
            Store::Postgres(_) => Ok(true),
        }
    }

    /// Checkpoints SQLite's WAL every `MAINTENANCE_INTERVAL` until `stop` is set, so that commits seldom have to
    /// checkpoint it. PostgreSQL needs no maintenance by this program.
    pub async fn run_maintenance(self, mut stop: watch::Receiver<bool>) {
        let Store::Sqlite(db) = self else { return };
        let mut has_failed = false;
        while !*stop.borrow() {
            tokio::select! {
                () = tokio::time::sleep(MAINTENANCE_INTERVAL) => {}
                _ = stop.changed() => break,
            }
            match db.checkpoint().await {
                Ok(()) => has_failed = false,
                // A disk can stay full for hours, so only the first of several failures in succession is logged.
                Err(error) if !has_failed => {
                    has_failed = true;
                    tracing::warn!(%error, "the WAL of the database could not be checkpointed");
                }
                Err(_) => {}
            }
        }
    }

    /// Fails if a file of SQLite was moved, deleted or replaced while it is open.
    pub(crate) fn check_files(&self) -> Result<()> {
        match self {
            Store::Sqlite(db) => db.files.check(),
            Store::Postgres(_) => Ok(()),
        }
    }

    /// Checks, for `/readyz`, that the database responds.
    pub async fn ping(&self) -> Result<()> {
        self.check_files()?;
        self.read().await?.row("SELECT 1", &[]).await.map(|_| ())
    }
}

impl Tx {
    fn new(connection: Connection) -> Tx {
        Tx {
            connection,
            on_commit: Vec::new(),
        }
    }

    pub async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        match &mut self.connection {
            Connection::Sqlite(tx) => tx.execute(sql, params),
            Connection::Postgres(tx) => tx.execute(sql, params).await,
        }
    }

    /// Runs a statement and ignores the number of changed rows.
    pub(crate) async fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        self.execute(sql, params).await.map(|_| ())
    }

    pub async fn row(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        match &mut self.connection {
            Connection::Sqlite(tx) => tx.row(locks::without_lock(sql), params),
            Connection::Postgres(tx) => Ok(tx.rows(sql, params).await?.into_iter().next()),
        }
    }

    pub async fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        match &mut self.connection {
            Connection::Sqlite(tx) => tx.rows(locks::without_lock(sql), params),
            Connection::Postgres(tx) => tx.rows(sql, params).await,
        }
    }

    /// Registers `action`, which runs after the commit. A rollback discards it.
    pub(crate) fn on_commit(&mut self, action: impl FnOnce() + Send + 'static) {
        self.on_commit.push(Box::new(action));
    }

    pub async fn commit(self) -> Result<()> {
        match self.connection {
            Connection::Sqlite(tx) => tx.commit().await?,
            Connection::Postgres(tx) => tx.commit().await?,
        }
        for action in self.on_commit {
            action();
        }
        Ok(())
    }

    /// Returns the time of the database server, in milliseconds since 1970 UTC. SQLite uses the clock of this machine.
    pub(crate) async fn clock_millis(&mut self) -> Result<i64> {
        let sql = match &mut self.connection {
            Connection::Sqlite(_) => "SELECT CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)",
            Connection::Postgres(_) => {
                "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
            }
        };
        self.number(sql, &[]).await
    }
}
