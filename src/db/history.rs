//! Reads and checks `refinery_schema_history`, the table of applied migrations, which the refinery library maintains.

use super::{Result, StoreError};

/// Selects version, name, time (RFC 3339) and checksum (an unsigned number) of each applied migration as text.
pub(super) const SELECT_HISTORY: &str =
    "SELECT CAST(version AS TEXT), name, applied_on, checksum FROM refinery_schema_history";

/// Checks the columns of a row of [`SELECT_HISTORY`].
pub(super) fn check_row([version, name, applied_on, checksum]: [Option<String>; 4]) -> Result<()> {
    let version = version.unwrap_or_default();
    let time = applied_on.unwrap_or_default();
    let damage = if version.parse::<i32>().is_err() || name.is_none() {
        format!("a row has the version {version:?} and no name")
    } else if time.parse::<jiff::Timestamp>().is_err() {
        format!("V{version} has no time in applied_on")
    } else if checksum.is_none_or(|text| text.parse::<u64>().is_err()) {
        format!("V{version} has no number in checksum")
    } else {
        return Ok(());
    };
    Err(damaged_history(&damage))
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
        assert!(check_row(row(["1", "init", time, "12"])).is_ok());
        for broken in [
            ["x", "init", time, "12"],
            ["1", "-", time, "12"],
            ["1", "init", "yesterday", "12"],
            ["1", "init", "-", "12"],
            ["1", "init", time, "-12"],
            ["1", "init", time, "-"],
        ] {
            let error = check_row(row(broken)).expect_err("damaged");
            let error = error.to_string();
            assert!(
                error.contains("refinery_schema_history is damaged"),
                "{error}"
            );
        }
    }
}
