//! Migrates the schema of SQLite, and checks the history of applied migrations.

use refinery::Migration;
use rusqlite::Connection;

use crate::db::history;
use crate::db::schema::{self, SchemaMigration};
use crate::db::{Result, StoreError};

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// Returns the migrations of SQLite, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<SchemaMigration> {
    SchemaMigration::list(&embedded::migrations::runner())
}

/// Applies the migrations of this program, and then `later`.
pub(super) fn migrate(connection: &mut Connection, later: &[Migration]) -> Result<()> {
    check_history(connection)?;
    let runner = embedded::migrations::runner();
    let outcome = schema::with_later(&runner, later).run(connection);
    outcome.map(|_| ()).map_err(|error| {
        schema::schema_error(&error)
            .unwrap_or_else(|| StoreError::Other(schema::migration_cause(error)))
    })
}

/// Checks that the refinery library can parse the applied migrations, because it would panic otherwise.
fn check_history(connection: &Connection) -> Result<()> {
    let mut found = match connection.prepare(history::SELECT_HISTORY) {
        Ok(found) => found,
        Err(failed) if failed.to_string().contains("no such table") => return Ok(()),
        Err(failed) if failed.to_string().contains("no such column") => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(failed.into()),
    };
    let mut rows = found.query([])?;
    while let Some(row) = rows.next()? {
        // A value that is not text fails the check like an empty value.
        let text = |at| row.get::<_, Option<String>>(at).unwrap_or_default();
        history::check_row([text(0), text(1), text(2), text(3)])?;
    }
    Ok(())
}
