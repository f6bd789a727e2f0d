//! The status of the migrations, for the command that lists them.

use super::history::read_history;
use super::{Result, SchemaMigration, Store, former, postgres, sqlite};
use crate::config;

impl Store {
    /// Returns this program's migrations, each with whether the database has applied it. Does not change the database.
    /// If the database does not exist, no migration is applied. For a database of a version before 1.0, the first
    /// migration has the statements that adopt the database.
    pub(crate) async fn migration_status(
        settings: &config::Database,
    ) -> Result<Vec<(SchemaMigration, bool)>> {
        let (mut migrations, adoption): (_, fn() -> String) = match settings.url.sqlite_path() {
            Some(_) => (
                sqlite::embedded_migrations(),
                sqlite::migration_adoption_sql,
            ),
            None => (
                postgres::embedded_migrations(),
                postgres::migration_adoption_sql,
            ),
        };
        let mut history = match Store::open_without_migrating(settings)? {
            Some(store) => read_history(&mut store.read().await?).await?,
            None => Vec::new(),
        };
        if former::is_former(&history)? {
            history.clear();
            migrations[0].sql = adoption();
        }
        let is_applied =
            |step: &SchemaMigration| history.iter().any(|row| row.version == step.version);
        Ok(migrations
            .into_iter()
            .map(|step| {
                let is_applied = is_applied(&step);
                (step, is_applied)
            })
            .collect())
    }
}
