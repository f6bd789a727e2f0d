//! Error messages for database schemas that this program must not change. The messages say how to proceed.

use refinery::Migration;
use refinery::error::Kind;

use super::{StoreError, sqlite};

/// A schema migration of this program.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub version: i64,
    pub name: String,
    pub sql: String,
}

impl From<&Migration> for Step {
    fn from(migration: &Migration) -> Step {
        Step {
            version: migration.version().into(),
            name: migration.name().to_owned(),
            sql: migration.sql().unwrap_or_default().to_owned(),
        }
    }
}

/// Returns the error message if the refinery error means that this program must not change the schema.
pub(super) fn schema_error(error: &refinery::Error) -> Option<StoreError> {
    match error.kind() {
        Kind::MissingVersion(found) => Some(missing_migration(found)),
        Kind::DivergentVersion(found, own) => Some(StoreError::Other(format!(
            "schema: the database has {found}, this program has another {own}: another program created it, or a released migration was changed"
        ))),
        _ => None,
    }
}

fn missing_migration(found: &Migration) -> StoreError {
    let own = sqlite::newest_migration();
    let version = found.version();
    if i64::from(version) > own {
        return StoreError::NewerSchema(format!(
            "schema: the database has a newer schema (V{version}) than this program (V{own}): upgrade the program"
        ));
    }
    StoreError::Other(format!(
        "schema: the database has {found}, which this program does not know: another program created it"
    ))
}
