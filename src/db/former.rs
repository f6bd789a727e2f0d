//! Adopts a database of the last version before 1.0: changes its schema and rows into those of release 1.0.

use refinery::Runner;

use super::history::AppliedMigration;
use super::{Result, StoreError};

/// The version numbers of the migrations before release 1.0.
const FORMER_VERSIONS: [i64; 24] = [
    1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 27, 28, 29,
];
/// The name that the second migration had before 1.0.
const FORMER_SECOND: &str = "sessions_end_once";

/// The tables that are new in release 1.0.
const NEW_TABLES: [&str; 1] = ["names"];
/// The tables whose rows are copied into new tables, because `ALTER TABLE` of SQLite cannot make the changes.
const REBUILT_TABLES: [&str; 6] = [
    "accounts", "devices", "sessions", "credentials", "app_sessions", "sign_in_challenges",
];

/// Returns whether the last version before 1.0 migrated the database. An older schema is an error, because this program
/// cannot adopt it.
pub(super) fn is_former(history: &[AppliedMigration]) -> Result<bool> {
    if !history
        .iter()
        .any(|row| row.version == 2 && row.name == FORMER_SECOND)
    {
        return Ok(false);
    }
    let mut versions: Vec<i64> = history.iter().map(|row| row.version).collect();
    versions.sort_unstable();
    if versions != FORMER_VERSIONS {
        return Err(StoreError::Other(
            "schema: a version before 1.0 created the database, and its schema is not that of the last of these versions: run account migrate of the last version before 1.0 first".into()
        ));
    }
    Ok(true)
}

/// Returns the statements that adopt a former PostgreSQL database.
pub(super) fn adopt_postgres(runner: &Runner) -> String {
    let statements = schema_statements(runner);
    let mut adoption = create_new_tables(&statements);
    adoption.push_str(include_str!("../../migrations/former/postgres.sql"));
    adoption.push_str(&sql_to_replace_history(runner));
    adoption
}

/// Returns the statements that adopt a former SQLite database. Foreign keys must be off, because dropping a table would
/// otherwise delete the rows that refer to it.
pub(super) fn adopt_sqlite(runner: &Runner) -> String {
    let statements = schema_statements(runner);
    let mut adoption = create_new_tables(&statements);
    for table in REBUILT_TABLES {
        adoption.push_str(&create_table(&statements, table, &format!("new_{table}")));
    }
    adoption.push_str(include_str!("../../migrations/former/sqlite.sql"));
    for table in REBUILT_TABLES {
        adoption.push_str(&format!(
            "DROP TABLE {table};\nALTER TABLE new_{table} RENAME TO {table};\n"
        ));
        adoption.push_str(&create_indexes(&statements, table));
    }
    adoption.push_str(&sql_to_replace_history(runner));
    adoption
}

/// Returns the statements of the migration V0001, which creates the schema.
fn schema_statements(runner: &Runner) -> Vec<&str> {
    let schema = runner.get_migrations().iter();
    let schema = schema.filter_map(refinery::Migration::sql).next();
    schema.unwrap_or_default().split_inclusive(";\n").collect()
}

fn create_new_tables(statements: &[&str]) -> String {
    let create =
        |table| create_table(statements, table, table) + &create_indexes(statements, table);
    NEW_TABLES.into_iter().map(create).collect()
}

/// Returns the statement that creates a table of V0001 under another name.
fn create_table(statements: &[&str], table: &str, name: &str) -> String {
    let create = format!("CREATE TABLE {table} (");
    let found = statements.iter().find(|sql| sql.contains(&create));
    let found = found.copied().unwrap_or_default();
    found.replace(&create, &format!("CREATE TABLE {name} ("))
}

/// Returns the statements that create the indexes of a table of V0001.
fn create_indexes(statements: &[&str], table: &str) -> String {
    let on_table = format!(" ON {table} (");
    let indexes = statements.iter().filter(|sql| sql.contains(&on_table));
    indexes.copied().collect()
}

/// Returns the statements that replace the former history by that of release 1.0.
fn sql_to_replace_history(runner: &Runner) -> String {
    let first = runner.get_migrations().iter().next();
    let checksum = first.map_or(0, refinery::Migration::checksum);
    format!(
        "DELETE FROM refinery_schema_history WHERE version > 1;
         UPDATE refinery_schema_history SET checksum = '{checksum}' WHERE version = 1;\n"
    )
}
