//! Reads and checks `refinery_schema_history`, the table of applied migrations, which the refinery library maintains.

use refinery::Runner;

use super::{Result, Row, SCHEMA_HISTORY, Step, Store, StoreError, Tx, postgres, sqlite};
use crate::config;

/// Selects version, name, time (RFC 3339) and checksum (an unsigned number) of each applied migration as text.
pub(super) const SELECT_HISTORY: &str =
    "SELECT CAST(version AS TEXT), name, applied_on, checksum FROM refinery_schema_history";

/// The migrations of the versions before 1.0. Together they make the schema of V1 of release 1.0.
const FORMER_VERSIONS: [i64; 24] = [
    1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 27, 28, 29,
];
/// The name that the second migration had before 1.0.
const FORMER_SECOND: &str = "sessions_end_once";

/// An applied migration.
pub(super) struct Applied {
    pub version: i64,
    pub name: String,
}

impl Applied {
    /// Parses the columns of [`SELECT_HISTORY`].
    pub(super) fn parse([version, name, on, checksum]: [Option<String>; 4]) -> Result<Applied> {
        let version = version.unwrap_or_default();
        let (Ok(number), Some(name)) = (version.parse::<i32>(), name) else {
            return Err(damaged_history(&format!(
                "a row has the version {version:?} and no name"
            )));
        };
        let time = on.unwrap_or_default();
        if time.parse::<jiff::Timestamp>().is_err() {
            return Err(damaged_history(&format!(
                "V{version} has no time in applied_on"
            )));
        }
        if checksum.is_none_or(|text| text.parse::<u64>().is_err()) {
            return Err(damaged_history(&format!(
                "V{version} has no number in checksum"
            )));
        }
        let version = number.into();
        Ok(Applied { version, name })
    }
}

/// Returns whether the last version before 1.0 migrated the database, whose schema is therefore that of release 1.0. An
/// older schema is an error, because this program cannot complete it.
pub(super) fn is_former(history: &[Applied]) -> Result<bool> {
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
            "schema: a version before 1.0 created the database, and its schema is not that of the last of these versions: run account migrate of the last version before 1.0 first".to_owned()
        ));
    }
    Ok(true)
}

/// Returns the statements that replace a former history by that of release 1.0. Several nodes may run them at once: the
/// `DELETE` sees either the whole former history or none of it.
pub(super) fn adopt_former(runner: &Runner) -> Vec<String> {
    let first = runner
        .get_migrations()
        .iter()
        .find(|own| own.version() == 1);
    let checksum = first.map_or(0, refinery::Migration::checksum);
    vec![
        format!(
            "DELETE FROM refinery_schema_history WHERE version > 1 AND EXISTS
               (SELECT 1 FROM refinery_schema_history WHERE version = 2 AND name = '{FORMER_SECOND}')"
        ),
        format!("UPDATE refinery_schema_history SET checksum = '{checksum}' WHERE version = 1"),
    ]
}

impl Store {
    /// Returns this program's migrations, each with whether the database has applied it. Does not change the database.
    /// If the database does not exist, no migration is applied.
    pub(crate) async fn migration_status(settings: &config::Database) -> Result<Vec<(Step, bool)>> {
        let migrations = match settings.url.sqlite_path() {
            Some(_) => sqlite::embedded_migrations(),
            None => postgres::embedded_migrations(),
        };
        let applied_versions = match Store::open_without_migrating(settings)? {
            Some(store) => applied_versions(&mut store.read().await?).await?,
            None => Vec::new(),
        };
        let is_applied = |step: &Step| applied_versions.contains(&step.version);
        Ok(migrations
            .into_iter()
            .map(|step| {
                let is_applied = is_applied(&step);
                (step, is_applied)
            })
            .collect())
    }
}

/// Returns the version numbers of the applied migrations.
async fn applied_versions(tx: &mut Tx) -> Result<Vec<i64>> {
    if !tx.has_table(SCHEMA_HISTORY).await? {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT CAST(version AS BIGINT), name FROM {SCHEMA_HISTORY}");
    let rows = tx.rows(&sql, &[]).await?;
    let read = |row: &Row| Applied {
        version: row.get(0),
        name: row.get(1),
    };
    let history: Vec<Applied> = rows.iter().map(read).collect();
    is_former(&history)?;
    Ok(history.iter().map(|row| row.version).collect())
}

pub(super) fn damaged_history(what: &str) -> StoreError {
    StoreError::Other(format!(
        "schema: the table refinery_schema_history is damaged: {what}; restore it from a backup"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_the_library_cannot_read_is_an_error_that_says_so() {
        let row = |values: [&str; 4]| values.map(|text| (text != "-").then(|| text.to_owned()));
        let time = "2026-11-22T12:00:00.123456789Z";
        assert!(Applied::parse(row(["1", "init", time, "12"])).is_ok());
        for broken in [
            ["x", "init", time, "12"],
            ["1", "-", time, "12"],
            ["1", "init", "yesterday", "12"],
            ["1", "init", "-", "12"],
            ["1", "init", time, "-12"],
            ["1", "init", time, "-"],
        ] {
            let error = Applied::parse(row(broken)).err().expect("damaged");
            let error = error.to_string();
            assert!(
                error.contains("refinery_schema_history is damaged"),
                "{error}"
            );
        }
    }
}
