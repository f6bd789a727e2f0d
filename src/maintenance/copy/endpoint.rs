//! The source or the target of a copy, and the requirements that it must meet before the copy reads or writes it.

use super::{CopyError, TABLES, is_unfinished};
use crate::config;
use crate::db::{Connection, SCHEMA_HISTORY, Store, StoreError, Tx};

/// Opens the source database without creating or migrating it. It must exist and have this program's schema.
pub(super) async fn open_source(settings: &config::Database) -> Result<Store, CopyError> {
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
    Ok(store)
}

/// Opens the target database and migrates its schema. The database must contain no tables of another program.
pub(super) async fn open_target(settings: &config::Database) -> Result<Store, CopyError> {
    if let Some(store) = Store::open_without_migrating(settings)? {
        let mut tx = store.read().await?;
        let is_ours = tx.has_table(SCHEMA_HISTORY).await?;
        if !is_ours && !tx.tables().await?.is_empty() {
            return Err(CopyError::ForeignTables);
        }
    }
    Ok(Store::open(settings).await?)
}

/// Begins a transaction that reads one snapshot of the database.
pub(super) async fn begin_snapshot(store: &Store) -> Result<Tx, StoreError> {
    let mut tx = store.read().await?;
    let begin = match &tx.connection {
        Connection::Sqlite(_) => "BEGIN",
        Connection::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    };
    tx.execute(begin, &[]).await?;
    Ok(tx)
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
    let applied = tx.applied_migrations().await?;
    let names = applied
        .iter()
        .map(|(version, name)| format!("V{version} {name}"));
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
