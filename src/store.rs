//! SQL and nothing else. One text a query serves SQLite and PostgreSQL; one type, `Tx`, runs it.
//!
//! `Store::read` is for looking (SQLite answers inline, from its own connection), `Store::write`
//! opens a transaction that is rolled back unless `commit` is called: also when the client hangs
//! up and the handler is dropped. Nothing but queries is awaited while a `Tx` is open.
//! `Store::write_lightly` and `write_soon` open one that need not be on the disk when it is answered.

use std::time::Duration;

use tokio::sync::watch;

pub mod accounts;
pub mod backup;
pub mod conflict;
pub mod copy;
pub mod devices;
mod history;
pub mod legacy;
pub mod legacy_import;
pub mod legacy_status;
pub mod limits;
pub mod outbox;
mod postgres;
pub mod reservations;
mod schema;
pub mod secrets;
pub mod sessions;
mod sqlite;
mod taken;
pub mod tokens;
mod value;

pub use taken::Taken;
pub use value::{Param, Row};

use crate::config;

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A unique constraint said no. The database decides uniqueness, not a look beforehand.
    #[error("already taken: {0:?}")]
    Taken(Taken),
    /// Away, hung or busy: answered as 503, heals by itself.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// It answers, but its disk is full or it is read-only: answered as 503, and `/readyz` says so.
    #[error("database takes no writes: {0}")]
    NotWritable(String),
    /// A deadlock or a serialization failure: nothing was kept, and another run may succeed (`conflict.rs`).
    #[error("transaction conflict: {0}")]
    Conflict(String),
    #[error("database: {0}")]
    Other(String),
    /// A setting that the program cannot work with: the line names it.
    #[error("{0}")]
    Setting(String),
}

pub type Result<T> = std::result::Result<T, StoreError>;

const TEND_EVERY: Duration = Duration::from_millis(500);

/// How long one statement may take before the database counts as away. With the wait for a
/// connection this stays under the five seconds of contract 2.
const STATEMENT_TIMEOUT: Duration = Duration::from_millis(2500);

#[derive(Clone)]
pub enum Store {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

/// A connection in use: with a transaction (from `write`) or without (from `read`).
pub enum Tx {
    Sqlite(sqlite::SqliteTx),
    Postgres(postgres::PostgresTx),
}

/// What a commit outlives, once it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    /// The end of the process.
    Process,
    /// A power cut too: it is on the disk.
    Power,
}

/// Connections at this moment.
#[derive(Debug, Clone, Copy)]
pub struct Pool {
    pub open: usize,
    pub idle: usize,
    /// Callers that wait for one.
    pub waiting: usize,
}

impl Store {
    /// Whether the settings are ones that `open` can work with. Connects to nothing.
    pub fn check(settings: &config::Database) -> Result<()> {
        match &*settings.url {
            config::DatabaseAddress::Sqlite(_) => Ok(()),
            config::DatabaseAddress::Postgres(_) => {
                postgres::Postgres::open_as_it_is(settings).map(|_| ())
            }
        }
    }

    /// Opens the database, makes the file where there is none, and brings the schema up to date.
    pub async fn open(settings: &config::Database) -> Result<Store> {
        match settings.url.sqlite_path() {
            Some(path) => Ok(Store::Sqlite(sqlite::Sqlite::open(path)?)),
            None => Ok(Store::Postgres(postgres::Postgres::open(settings).await?)),
        }
    }

    /// Opens a database that has been used before, and brings its schema up to date. Never makes one: a command
    /// that was given the wrong settings would work on an empty database and say that all is well.
    pub async fn open_existing(settings: &config::Database) -> Result<Store> {
        let missing = || {
            StoreError::Setting(format!(
                "database.url: there is no database of this program at {}; are these the settings of the site? account migrate makes a new one",
                settings.url
            ))
        };
        let store = Store::open_as_it_is(settings)?.ok_or_else(missing)?;
        let mut tx = store.read().await?;
        if !copy::has_table(&mut tx, "refinery_schema_history").await? {
            return Err(missing());
        }
        drop((tx, store));
        Store::open(settings).await
    }

    /// Opens the database without making it or touching its schema; `None` where there is no file.
    pub fn open_as_it_is(settings: &config::Database) -> Result<Option<Store>> {
        match settings.url.sqlite_path() {
            // An empty file is what `touch` makes, and no database yet.
            Some(path) if !std::fs::metadata(path).is_ok_and(|f| f.is_file() && f.len() > 0) => {
                Ok(None)
            }
            Some(path) => Ok(Some(Store::Sqlite(sqlite::Sqlite::open_as_it_is(path)?))),
            None => {
                let db = postgres::Postgres::open_as_it_is(settings)?;
                Ok(Some(Store::Postgres(db)))
            }
        }
    }

    /// The schema that this program brings, as the list of its migrations: `V1 init, V2 …`. They have the
    /// same numbers and names on both databases.
    pub fn schema() -> String {
        sqlite::migrations()
    }

    /// The number of the newest migration that this program brings.
    fn newest_migration() -> i64 {
        sqlite::newest_migration()
    }

    pub async fn read(&self) -> Result<Tx> {
        match self {
            Store::Sqlite(db) => db.read().map(Tx::Sqlite),
            Store::Postgres(db) => db.read().await.map(Tx::Postgres),
        }
    }

    pub async fn write(&self) -> Result<Tx> {
        self.begin(Kept::Power).await
    }

    /// A transaction that survives the process, of which a power cut may cost the last ones: for what is then
    /// only done again, and taken from nobody (counts of tries, times of use, the state of a mail). So nobody
    /// who signs in waits for the disk twice.
    pub async fn write_lightly(&self) -> Result<Tx> {
        self.begin(Kept::Process).await
    }

    /// The same for a batch of many rows, which nobody who has written before it is kept waiting by.
    pub async fn write_batch(&self) -> Result<Tx> {
        match self {
            Store::Sqlite(db) => db.write_batch().await.map(Tx::Sqlite),
            Store::Postgres(db) => db.write(Kept::Process).await.map(Tx::Postgres),
        }
    }

    /// A transaction for what its owner would simply do again, and others need not (a session of a known browser).
    /// SQLite writes it to the disk within [`TEND_EVERY`], and a power cut may cost it until then. On PostgreSQL it
    /// is as lasting as any: there a standby may take over.
    pub async fn write_soon(&self) -> Result<Tx> {
        self.begin(match self {
            Store::Sqlite(_) => Kept::Process,
            Store::Postgres(_) => Kept::Power,
        })
        .await
    }

    async fn begin(&self, kept: Kept) -> Result<Tx> {
        match self {
            Store::Sqlite(db) => db.write(kept).await.map(Tx::Sqlite),
            Store::Postgres(db) => db.write(kept).await.map(Tx::Postgres),
        }
    }

    /// `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match self {
            Store::Sqlite(_) => "sqlite",
            Store::Postgres(_) => "postgres",
        }
    }

    pub fn pool(&self) -> Pool {
        match self {
            Store::Sqlite(db) => db.pool(),
            Store::Postgres(db) => db.pool(),
        }
    }

    /// The same database for writing a million rows in batches; others may write between them.
    pub fn bulk(&self) -> Result<Store> {
        match self {
            Store::Sqlite(db) => db.bulk().map(Store::Sqlite),
            Store::Postgres(db) => Ok(Store::Postgres(db.clone())),
        }
    }

    /// Between two batches of a `bulk` store: lets the others write, where there is one writer at a time.
    pub async fn gap(&self) {
        if let Store::Sqlite(db) = self {
            db.gap().await;
        }
    }

    /// After the last batch of a `bulk` store: all of it is on the disk.
    pub async fn write_back(&self) -> Result<()> {
        match self {
            Store::Sqlite(db) => db.write_back().await,
            Store::Postgres(_) => Ok(()),
        }
    }

    /// After a batch of many rows: SQLite's log is copied by whoever made it long, and not in somebody's commit.
    pub async fn shorten_log(&self) -> Result<()> {
        match self {
            Store::Sqlite(db) => db.checkpoint().await,
            Store::Postgres(_) => Ok(()),
        }
    }

    /// What a database wants done beside the work, until told to stop: SQLite's log is kept short here, not in
    /// the commit of somebody who waits for an answer, and a reader stands by for the others. PostgreSQL sees to itself.
    pub async fn tend(self, mut stop: watch::Receiver<bool>) {
        let Store::Sqlite(db) = self else { return };
        let mut is_long = false;
        db.stand_by_from_now_on().await;
        while !*stop.borrow() {
            tokio::select! {
                () = tokio::time::sleep(TEND_EVERY) => {}
                _ = stop.changed() => break,
            }
            db.make_room();
            match db.checkpoint().await {
                Ok(()) => is_long = false,
                // A full disk stays full for hours: said once.
                Err(error) if !is_long => {
                    is_long = true;
                    tracing::warn!(%error, "the database's log stays long for now");
                }
                Err(_) => {}
            }
        }
        db.stand_by_no_more().await;
    }

    /// Whether the database answers now, for `/readyz`.
    pub async fn ping(&self) -> Result<()> {
        self.read().await?.row("SELECT 1", &[]).await.map(|_| ())
    }
}

impl Tx {
    pub async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        match self {
            Tx::Sqlite(tx) => tx.execute(sql, params),
            Tx::Postgres(tx) => tx.execute(sql, params).await,
        }
    }

    pub async fn row(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        match self {
            Tx::Sqlite(tx) => tx.row(sql, params),
            Tx::Postgres(tx) => Ok(tx.rows(sql, params).await?.into_iter().next()),
        }
    }

    pub async fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(tx) => tx.rows(sql, params),
            Tx::Postgres(tx) => tx.rows(sql, params).await,
        }
    }

    pub async fn commit(self) -> Result<()> {
        match self {
            Tx::Sqlite(tx) => tx.commit().await,
            Tx::Postgres(tx) => tx.commit().await,
        }
    }

    /// What a row lock is called here: SQLite has one writer and needs none.
    pub fn for_update(&self) -> &'static str {
        match self {
            Tx::Sqlite(_) => "",
            Tx::Postgres(_) => " FOR UPDATE",
        }
    }

    /// For queues: rows that another worker holds are passed over.
    pub fn skip_locked(&self) -> &'static str {
        match self {
            Tx::Sqlite(_) => "",
            Tx::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        }
    }
}
