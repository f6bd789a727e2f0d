//! Migrates the schema of SQLite, and checks the history of applied migrations.

use rusqlite::Connection;

use super::map_error;
use crate::db::schema::Step;
use crate::db::{Result, StoreError, history, schema};
use crate::observability::causes::with_causes;

mod embedded {
    refinery::embed_migrations!("migrations/sqlite");
}

/// Returns the migrations of SQLite, the oldest first.
pub(crate) fn embedded_migrations() -> Vec<Step> {
    let runner = embedded::migrations::runner();
    let mut all: Vec<Step> = runner.get_migrations().iter().map(Step::from).collect();
    all.sort_unstable_by_key(|step| step.version);
    all
}

/// Returns the number and the name of each migration.
pub(crate) fn migration_list() -> String {
    let runner = embedded::migrations::runner();
    let names = runner
        .get_migrations()
        .iter()
        .map(|m| format!("V{} {}", m.version(), m.name()));
    names.collect::<Vec<_>>().join(", ")
}

pub(crate) fn newest_migration() -> i64 {
    let runner = embedded::migrations::runner();
    let versions = runner
        .get_migrations()
        .iter()
        .map(|m| i64::from(m.version()));
    versions.max().unwrap_or(0)
}

pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    check_history(connection)?;
    embedded::migrations::runner()
        .set_grouped(true)
        .run(connection)
        .map(|_| ())
        .map_err(|error| {
            schema::schema_error(&error)
                .unwrap_or_else(|| StoreError::Other(format!("schema: {}", with_causes(&error))))
        })
}

/// Checks that the refinery library can parse the rows of its table, because it would panic otherwise.
fn check_history(connection: &Connection) -> Result<()> {
    let mut found = match connection.prepare(history::SELECT_HISTORY) {
        Ok(found) => found,
        Err(failed) if failed.to_string().contains("no such table") => return Ok(()),
        Err(failed) if failed.to_string().contains("no such column") => {
            return Err(history::damaged_history("a column is missing"));
        }
        Err(failed) => return Err(map_error(failed)),
    };
    let mut rows = found.query([]).map_err(map_error)?;
    while let Some(row) = rows.next().map_err(map_error)? {
        // A value that is not text fails the check like an empty value.
        let text = |at| row.get::<_, Option<String>>(at).unwrap_or_default();
        history::check_row([text(0), text(1), text(2), text(3)])?;
    }
    Ok(())
}
