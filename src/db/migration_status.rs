//! The status of the migrations, for the command that lists them.

use super::{Result, SCHEMA_HISTORY, SchemaMigration, Store, postgres, sqlite};
use crate::config;

impl Store {
    /// Returns this program's migrations, each with whether the database has applied it. Does not change the database.
    /// If the database does not exist, no migration is applied.
    pub(crate) async fn migration_status(
        settings: &config::Database,
    ) -> Result<Vec<(SchemaMigration, bool)>> {
        let migrations = match settings.url.sqlite_path() {
            Some(_) => sqlite::embedded_migrations(),
            None => postgres::embedded_migrations(),
        };
        let mut applied = Vec::new();
        if let Some(store) = Store::open_without_migrating(settings)? {
            let mut tx = store.read().await?;
            if tx.has_table(SCHEMA_HISTORY).await? {
                applied = tx.applied_migrations().await?;
            }
        }
        let is_applied = |step: &SchemaMigration| {
            (applied.iter()).any(|(version, name)| *version == step.version && *name == step.name)
        };
        Ok(migrations
            .into_iter()
            .map(|step| {
                let is_applied = is_applied(&step);
                (step, is_applied)
            })
            .collect())
    }
}
