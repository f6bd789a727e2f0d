//! The source or the target of a copy, and the requirements that it must meet before the copy reads or writes it.

use crate::config;
use crate::db::{Connection, SCHEMA_HISTORY, Store, StoreError, Tx};
use crate::maintenance::copy::{CopyError, TABLES, is_unfinished};

pub(super) struct CopyEndpoint {
    pub(super) store: Store,
}

impl CopyEndpoint {
    /// Opens the source database without creating or migrating it. It must exist and have this program's schema.
    pub(super) async fn source(settings: &config::Database) -> Result<CopyEndpoint, CopyError> {
        let store = Store::open_without_migrating(settings)?;
        let store = store.ok_or_else(|| CopyError::NoDatabase(display_name(settings)))?;
        let mut tx = store.read().await?;
        if !tx.has_table(SCHEMA_HISTORY).await? {
            return Err(CopyError::NoDatabase(display_name(settings)));
        }
        let (found, own) = (migration_history(&mut tx).await?, Store::schema());
        if found != own {
            return Err(CopyError::OtherSchema { found, own });
        }
        if is_unfinished(&mut tx).await? {
            return Err(CopyError::UnfinishedSource);
        }
        drop(tx);
        Ok(CopyEndpoint { store })
    }

    /// Opens the target database and migrates its schema. The database must contain no tables of another program.
    pub(super) async fn target(settings: &config::Database) -> Result<CopyEndpoint, CopyError> {
        if let Some(store) = Store::open_without_migrating(settings)? {
            let mut tx = store.read().await?;
            let is_ours = tx.has_table(SCHEMA_HISTORY).await?;
            if !is_ours && !tx.tables().await?.is_empty() {
                return Err(CopyError::ForeignTables);
            }
        }
        let store = Store::open(settings).await?;
        Ok(CopyEndpoint { store })
    }

    /// Begins a transaction that reads one snapshot of the database.
    pub(super) async fn snapshot(&self) -> Result<Tx, StoreError> {
        let mut tx = self.store.read().await?;
        let begin = match &tx.connection {
            Connection::Sqlite(_) => "BEGIN",
            Connection::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        tx.execute(begin, &[]).await?;
        Ok(tx)
    }
}

/// Ends a snapshot, so that its database connection can be used again.
pub(super) async fn end_snapshot(mut snapshot: Tx) -> Result<(), StoreError> {
    snapshot.execute("COMMIT", &[]).await.map(|_| ())
}

/// Returns the name of the database for messages, instead of its URL, which may contain a password.
fn display_name(settings: &config::Database) -> String {
    match settings.url.sqlite_path() {
        Some(path) => path.to_owned(),
        None => "the PostgreSQL database".to_owned(),
    }
}

async fn migration_history(tx: &mut Tx) -> Result<String, StoreError> {
    let sql = "SELECT CAST(version AS BIGINT), name FROM refinery_schema_history ORDER BY version";
    let rows = tx.rows(sql, &[]).await?;
    let names = rows
        .iter()
        .map(|row| format!("V{} {}", row.get::<i64>(0), row.get::<String>(1)));
    Ok(names.collect::<Vec<_>>().join(", "))
}

pub(super) async fn delete_rows(tx: &mut Tx) -> Result<(), StoreError> {
    if matches!(tx.connection, Connection::Postgres(_)) {
        let sql = format!("TRUNCATE {}", TABLES.join(", "));
        return tx.execute(&sql, &[]).await.map(|_| ());
    }
    for table in TABLES.iter().rev() {
        tx.execute(&format!("DELETE FROM {table}"), &[]).await?;
    }
    Ok(())
}
