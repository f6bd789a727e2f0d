//! Reads and checks `refinery_schema_history`, the table of applied migrations, which the refinery library maintains.

use super::{Result, Row, SCHEMA_HISTORY, StoreError, Tx};

/// Selects version, name, time (RFC 3339) and checksum (an unsigned number) of each applied migration as text.
pub(super) const SELECT_HISTORY: &str =
    "SELECT CAST(version AS TEXT), name, applied_on, checksum FROM refinery_schema_history";

/// An applied migration.
pub(super) struct AppliedMigration {
    pub version: i64,
    pub name: String,
}

impl AppliedMigration {
    /// Parses the columns of [`SELECT_HISTORY`].
    pub(super) fn parse(
        [version, name, on, checksum]: [Option<String>; 4],
    ) -> Result<AppliedMigration> {
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
        Ok(AppliedMigration { version, name })
    }
}

pub(super) async fn read_history(tx: &mut Tx) -> Result<Vec<AppliedMigration>> {
    if !tx.has_table(SCHEMA_HISTORY).await? {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT CAST(version AS BIGINT), name FROM {SCHEMA_HISTORY}");
    let rows = tx.rows(&sql, &[]).await?;
    let read = |row: &Row| AppliedMigration {
        version: row.get(0),
        name: row.get(1),
    };
    Ok(rows.iter().map(read).collect())
}

pub(super) fn damaged_history(what: &str) -> StoreError {
    let problem = format!(
        "schema: the table refinery_schema_history is damaged: {what}; restore it from a backup"
    );
    StoreError::Other(problem.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_the_library_cannot_read_is_an_error_that_says_so() {
        let row = |values: [&str; 4]| values.map(|text| (text != "-").then(|| text.to_owned()));
        let time = "2026-11-22T12:00:00.123456789Z";
        assert!(AppliedMigration::parse(row(["1", "init", time, "12"])).is_ok());
        for broken in [
            ["x", "init", time, "12"],
            ["1", "-", time, "12"],
            ["1", "init", "yesterday", "12"],
            ["1", "init", "-", "12"],
            ["1", "init", time, "-12"],
            ["1", "init", time, "-"],
        ] {
            let error = AppliedMigration::parse(row(broken)).err().expect("damaged");
            let error = error.to_string();
            assert!(
                error.contains("refinery_schema_history is damaged"),
                "{error}"
            );
        }
    }
}
