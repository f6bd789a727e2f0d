//! Migrates the schema of SQLite, and checks the history of applied migrations.

use refinery::Migration;
use rusqlite::Connection;

use super::map_error;
use crate::db::history::{self, Applied};
use crate::db::schema::{self, Step};
use crate::db::{Result, StoreError};
use crate::observability::causes::with_causes;

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// Returns the migrations of SQLite, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<Step> {
    Step::list(&embedded::migrations::runner())
}

/// Applies the migrations of this program, and then `later`.
pub(super) fn migrate(connection: &mut Connection, later: &[Migration]) -> Result<()> {
    let runner = embedded::migrations::runner();
    if history::is_former(&read_history(connection)?)? {
        let sql = history::adopt_former(&runner).join(";");
        let sql = format!("BEGIN IMMEDIATE; {sql}; COMMIT");
        connection.execute_batch(&sql).map_err(map_error)?;
    }
    let outcome = schema::with_later(&runner, later).run(connection);
    outcome.map(|_| ()).map_err(|error| {
        schema::schema_error(&error)
            .unwrap_or_else(|| StoreError::Other(format!("schema: {}", with_causes(&error))))
    })
}

/// Reads the applied migrations, and checks that the refinery library can parse them, because it would panic otherwise.
fn read_history(connection: &Connection) -> Result<Vec<Applied>> {
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
        history.push(Applied::parse([text(0), text(1), text(2), text(3)])?);
    }
    Ok(history)
}
