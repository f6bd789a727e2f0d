//! Migrates the schema of SQLite, and checks the history of applied migrations.

use refinery::{Migration, Runner};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::map_error;
use crate::db::former;
use crate::db::history::{self, AppliedMigration};
use crate::db::schema::{self, SchemaMigration};
use crate::db::{Result, StoreError};

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// Returns the migrations of SQLite, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<SchemaMigration> {
    SchemaMigration::list(&embedded::migrations::runner())
}

/// Returns the statements that adopt a database of the last version before 1.0.
pub(crate) fn migration_adoption_sql() -> String {
    former::adopt_sqlite(&embedded::migrations::runner())
}

/// Applies the migrations of this program, and then `later`.
pub(super) fn migrate(connection: &mut Connection, later: &[Migration]) -> Result<()> {
    let runner = embedded::migrations::runner();
    if former::is_former(&read_history(connection)?)? {
        let switch = |sql: &str| connection.execute_batch(sql).map_err(map_error);
        // SQLite ignores this pragma within a transaction.
        switch("PRAGMA foreign_keys = OFF")?;
        let adopted = adopt_former_migrations(connection, &runner);
        switch("PRAGMA foreign_keys = ON")?;
        adopted?;
    }
    let outcome = schema::with_later(&runner, later).run(connection);
    outcome.map(|_| ()).map_err(|error| {
        schema::schema_error(&error)
            .unwrap_or_else(|| StoreError::Other(schema::migration_cause(error)))
    })
}

/// Adopts a database of the last version before 1.0, unless another process has adopted it meanwhile.
fn adopt_former_migrations(connection: &Connection, runner: &Runner) -> Result<()> {
    let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
    let tx = tx.map_err(map_error)?;
    if former::is_former(&read_history(&tx)?)? {
        let sql = former::adopt_sqlite(runner);
        tx.execute_batch(&sql).map_err(map_error)?;
    }
    tx.commit().map_err(map_error)
}

/// Reads the applied migrations, and checks that the refinery library can parse them, because it would panic otherwise.
fn read_history(connection: &Connection) -> Result<Vec<AppliedMigration>> {
    let mut found = match connection.prepare(history::SELECT_HISTORY) {
        Ok(found) => found,
        Err(failed) if failed.to_string().contains("no such table") => return Ok(Vec::new()),
        Err(failed) if failed.to_string().contains("no such column") => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(map_error(failed)),
    };
    let mut history = Vec::new();
    let mut rows = found.query([]).map_err(map_error)?;
    while let Some(row) = rows.next().map_err(map_error)? {
        // A value that is not text fails the check like an empty value.
        let text = |at| row.get::<_, Option<String>>(at).unwrap_or_default();
        history.push(AppliedMigration::parse([
            text(0),
            text(1),
            text(2),
            text(3),
        ])?);
    }
    Ok(history)
}
