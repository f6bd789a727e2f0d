//! Error messages for database schemas that this program must not change. The messages say how to proceed.

use refinery::error::Kind;
use refinery::{Migration, Runner};

use super::{Cause, Connection, Result, SCHEMA_HISTORY, StoreError, Tx, sqlite};
use crate::observability::causes::with_causes;

/// A schema migration of this program.
#[derive(Debug, Clone)]
pub(crate) struct SchemaMigration {
    pub version: i64,
    pub name: String,
    pub sql: String,
}

impl SchemaMigration {
    /// Returns the migrations of a runner, the oldest first.
    pub(super) fn list(runner: &Runner) -> Vec<SchemaMigration> {
        let mut all: Vec<SchemaMigration> = runner
            .get_migrations()
            .iter()
            .map(SchemaMigration::new)
            .collect();
        all.sort_unstable_by_key(|step| step.version);
        all
    }

    fn new(migration: &Migration) -> SchemaMigration {
        SchemaMigration {
            version: migration.version().into(),
            name: migration.name().to_owned(),
            sql: migration.sql().unwrap_or_default().to_owned(),
        }
    }
}

/// Adds the migrations of a later release, which only tests have, to those of this program.
pub(super) fn with_later(runner: &Runner, later: &[Migration]) -> Runner {
    Runner::new(&[runner.get_migrations(), later].concat()).set_grouped(true)
}

pub(super) fn migration_cause(error: refinery::Error) -> Cause {
    Cause::new(format!("schema: {}", with_causes(&error)), error)
}

/// Returns the error for the operator if the refinery error means that this program must not change the schema.
pub(super) fn schema_error(error: &refinery::Error) -> Option<StoreError> {
    match error.kind() {
        Kind::MissingVersion(found) => Some(missing_migration(found)),
        Kind::DivergentVersion(found, own) => Some(StoreError::Other(format!(
            "schema: the database has {found}, this program has another {own}: another program created it, or a version before 1.0, whose data 1.0.0 takes over (start 1.0.0 once, then this version), or a released migration was changed"
        ).into())),
        _ => None,
    }
}

fn missing_migration(found: &Migration) -> StoreError {
    let own = sqlite::embedded_migrations();
    let own = own.last().map_or(0, |step| step.version);
    let version = found.version();
    if i64::from(version) > own {
        return StoreError::NewerSchema(format!(
            "schema: the database has a newer schema (V{version}) than this program (V{own}): upgrade the program"
        ));
    }
    StoreError::Other(format!(
        "schema: the database has {found}, which this program does not know: another program created it"
    ).into())
}

impl Tx {
    /// Returns the names of the tables in the database, on PostgreSQL only in the current schema.
    pub(crate) async fn tables(&mut self) -> Result<Vec<String>> {
        let sql = match &mut self.connection {
            Connection::Sqlite(_) => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
            Connection::Postgres(_) => {
                "SELECT table_name::text FROM information_schema.tables
                 WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
            }
        };
        self.all(sql, &[]).await
    }

    /// Returns the versions and names of the applied migrations, the oldest first.
    pub(crate) async fn applied_migrations(&mut self) -> Result<Vec<(i64, String)>> {
        let sql =
            format!("SELECT CAST(version AS BIGINT), name FROM {SCHEMA_HISTORY} ORDER BY version");
        let rows = self.rows(&sql, &[]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    pub(crate) async fn has_table(&mut self, name: &str) -> Result<bool> {
        Ok(self.tables().await?.iter().any(|table| table == name))
    }
}
