//! Supports rolling upgrades, in which nodes of the previous release start although a node of a newer release has
//! already migrated the database.

use jiff::Timestamp;

use super::{Result, SCHEMA_HISTORY, Store, StoreError, Tx, sqlite};
use crate::clock::DAY;
use crate::config;

/// The period in which nodes of the previous release may still start after a newer release has migrated the schema.
const PREVIOUS_RELEASE_MAY_START_MILLIS: i64 = DAY;

impl Store {
    /// Opens the database for a server. During an upgrade a server also starts on a newer schema, because a migration
    /// leaves everything that the previous release uses (docs/operating/upgrade.md). `now` is in milliseconds since 1970
    /// UTC.
    pub(crate) async fn open_to_serve(settings: &config::Database, now: i64) -> Result<Store> {
        let refused = match Store::open(settings).await {
            Err(refused @ StoreError::NewerSchema(_)) => refused,
            opened => return opened,
        };
        let Some(store) = Store::open_without_migrating(settings)? else {
            return Err(refused);
        };
        let is_upgrading = is_upgrading(&mut store.read().await?, now).await?;
        if !is_upgrading {
            return Err(refused);
        }
        tracing::warn!(
            "a newer release has extended the schema: this one can start for a day after that, until all nodes are upgraded"
        );
        Ok(store)
    }
}

/// Returns whether the database has all migrations of this program, and whether all further migrations were applied
/// within the last day.
async fn is_upgrading(tx: &mut Tx, now: i64) -> Result<bool> {
    let sql = format!("SELECT CAST(version AS BIGINT), applied_on FROM {SCHEMA_HISTORY}");
    let rows = tx.rows(&sql, &[]).await?;
    let applied: Vec<(i64, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    // The migrations of SQLite and PostgreSQL have the same version numbers.
    let own = sqlite::embedded_migrations();
    let is_applied = |version: i64| applied.iter().any(|(found, _)| *found == version);
    let mut newer = applied
        .iter()
        .filter(|(version, _)| own.iter().all(|step| step.version != *version));
    Ok(own.iter().all(|step| is_applied(step.version))
        && newer.all(|(_, applied_on)| is_recent(applied_on, now)))
}

fn is_recent(applied_on: &str, now: i64) -> bool {
    let time = applied_on.parse::<Timestamp>();
    time.is_ok_and(|time| {
        (0..PREVIOUS_RELEASE_MAY_START_MILLIS).contains(&now.saturating_sub(time.as_millisecond()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_takes_a_day_from_its_migration_on() {
        let now = "2026-11-21T12:00:00Z".parse::<Timestamp>().expect("a time");
        for (applied_on, expected) in [
            ("2026-11-21T11:59:59.123456789Z", true),
            ("2026-11-20T12:00:01Z", true),
            ("2026-11-20T12:00:00Z", false),
            ("2026-11-21T12:00:01Z", false),
            ("yesterday", false),
        ] {
            let found = is_recent(applied_on, now.as_millisecond());
            assert_eq!(found, expected, "{applied_on}");
        }
    }
}
