//! Looks up sessions on a standby of `database.read_url`, as long as the standby cannot miss a change of the primary that
//! is older than a second.
//!
//! A standby cannot measure its own lag. If it has replayed all that it received, it may still have lost its connection
//! to the primary. `pg_last_xact_replay_timestamp()` grows old while the primary is idle (PostgreSQL manual, 9.27.4).
//! Therefore [`follow`] reads the position in the primary's write-ahead log several times a second. A standby is usable
//! for a second after the primary was at a position that the standby has replayed (manual, 27.2.5.2).
//!
//! A sign-out must take effect with the next request. Therefore a standby is used only while commits of the primary wait
//! until standbys have replayed them (`synchronous_commit = remote_apply`; manual, 20.5.1).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::hosts::Servers;
use super::lookup_batcher::{LookupSql, select_rows};
use super::prepared::PreparedStatements;
use super::{LOOKUP_CONNECTIONS, Postgres, PostgresTx, Result, Row, StoreError};
use crate::config::{self, DatabaseAddress};
use crate::db::Param;

/// The age above which the data of a standby are not used.
const MAX_LAG: Duration = Duration::from_secs(1);
/// The pause between two comparisons of a standby with the primary.
const COMPARISON_INTERVAL: Duration = Duration::from_millis(250);
/// The pause between two queries of the position that a standby has replayed.
const REPLAY_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The time limit of a lookup on a standby, after which the primary is queried: together less than five seconds.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(500);

/// A number of bytes since the beginning of the write-ahead log.
type LogPosition = i64;

pub(super) struct Standbys {
    standbys: Vec<Postgres>,
    usable: Mutex<Option<UsableStandby>>,
    fallbacks: AtomicU64,
}

/// A standby that has replayed `position`. The primary was at this position at the time `known_at`.
#[derive(Clone, Copy)]
struct UsableStandby {
    index: usize,
    position: LogPosition,
    known_at: Instant,
}

impl Standbys {
    pub(super) fn new(
        url: &DatabaseAddress,
        settings: &config::Database,
        prepared: &Arc<PreparedStatements>,
    ) -> Result<Standbys> {
        let servers = Servers::new(url, settings)?;
        let new_standby =
            |server: Servers| Postgres::new(&server, LOOKUP_CONNECTIONS, prepared.clone());
        Ok(Standbys {
            standbys: servers.split().map(new_standby).collect::<Result<_>>()?,
            usable: Mutex::default(),
            fallbacks: AtomicU64::default(),
        })
    }

    pub(super) fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }

    pub(super) fn count_fallbacks(&self, lookups: usize) {
        let lookups = u64::try_from(lookups).unwrap_or(u64::MAX);
        self.fallbacks.fetch_add(lookups, Ordering::Relaxed);
    }

    fn usable(&self) -> Option<UsableStandby> {
        let usable = *self.usable.lock().expect("no panic while locked");
        usable.filter(|standby| standby.known_at.elapsed() <= MAX_LAG)
    }

    fn set_usable(&self, standby: Option<UsableStandby>) {
        *self.usable.lock().expect("no panic while locked") = standby;
    }

    /// Returns the rows of these keys, or `None` if the primary must be queried.
    pub(super) async fn find_rows(
        &self,
        sql: &LookupSql,
        keys: &[Vec<Param<'_>>; 2],
    ) -> Option<Vec<Row>> {
        let usable = self.usable()?;
        let find = async {
            let standby = &self.standbys[usable.index];
            let mut tx = standby.begin_read(&standby.lookup_pool).await?;
            // The server may have restarted and be at an earlier position. The position is read before the rows, because
            // one statement for both would read the rows first.
            if replayed_position(&mut tx).await? < usable.position {
                return Err(StoreError::Unavailable("the standby has restarted".into()));
            }
            select_rows(&mut tx, sql, keys).await
        };
        let error = match tokio::time::timeout(LOOKUP_TIMEOUT, find).await {
            Ok(Ok(rows)) => return Some(rows).filter(|_| usable.known_at.elapsed() <= MAX_LAG),
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        // The next comparison with the primary decides whether the standby is used again.
        self.set_usable(None);
        tracing::debug!(
            error = error.map(tracing::field::display),
            "a lookup on a standby failed"
        );
        None
    }

    /// Finds a usable standby, beginning with the standby in use. Returns its host and port, or why none is usable.
    async fn update(&self, primary: &Postgres) -> std::result::Result<&str, String> {
        let first = self.usable().map_or(0, |usable| usable.index);
        let count = self.standbys.len();
        let mut problems = Vec::new();
        for index in (first..first + count).map(|index| index % count) {
            let endpoint = &self.standbys[index].endpoints;
            let compared = tokio::time::timeout(MAX_LAG, self.compare(primary, index));
            match compared.await {
                Ok(Ok(usable)) => {
                    self.set_usable(Some(usable));
                    return Ok(endpoint);
                }
                Ok(Err(error)) => problems.push(format!("{endpoint}: {error}")),
                Err(_) => problems.push(format!("{endpoint}: more than a second behind")),
            }
        }
        self.set_usable(None);
        Err(problems.join("; "))
    }

    /// Waits until the standby has replayed the primary's current position in the write-ahead log.
    async fn compare(&self, primary: &Postgres, index: usize) -> Result<UsableStandby> {
        let standby = &self.standbys[index];
        // Connects in advance, because a lookup has less time than a comparison.
        drop(standby.begin_read(&standby.lookup_pool).await?);
        let mut standby = standby.read().await?;
        let replayed_before = replayed_position(&mut standby).await?;
        let known_at = Instant::now();
        let position = PrimaryState::read(primary).await?.position()?;
        // After a failover the standby may have replayed changes of the former primary that the new primary never had.
        if replayed_before > position {
            return Err(StoreError::Unavailable("ahead of the primary".into()));
        }
        while replayed_position(&mut standby).await? < position {
            tokio::time::sleep(REPLAY_POLL_INTERVAL).await;
        }
        Ok(UsableStandby {
            index,
            position,
            known_at,
        })
    }

    /// Returns what prevents session checks from using these standbys, for `account check-config`.
    pub(super) async fn find_problem(&self, primary: &Postgres) -> Result<Option<String>> {
        let state = PrimaryState::read(primary).await?;
        if let Some(problem) = state.problem() {
            return Ok(Some(problem));
        }
        if let Err(problem) = self.update(primary).await {
            return Ok(Some(format!("no standby is usable: {problem}")));
        }
        let mut count = 0;
        for standby in &self.standbys {
            let mut tx = standby.read().await?;
            count += usize::from(replayed_position(&mut tx).await.is_ok());
        }
        let awaited = count_awaited(&state.standby_names);
        Ok((awaited < count).then(|| {
            format!("synchronous_standby_names of the primary makes a commit wait for {awaited} standbys, but {count} look up sessions; list them all, for example with '{count} (a, b)'")
        }))
    }
}

/// Compares the standbys with the primary until the store is dropped.
pub(super) async fn follow(standbys: Weak<Standbys>, primary: Postgres) {
    let mut last = None;
    while let Some(standbys) = standbys.upgrade() {
        let outcome = standbys.update(&primary).await;
        let is_usable = outcome.is_ok();
        if last.replace(is_usable) != Some(is_usable) {
            match outcome {
                Ok(standby) => tracing::info!(standby, "sessions are looked up on a standby"),
                Err(reason) => tracing::warn!(
                    reason,
                    "sessions are looked up on the primary, because no standby of database.read_url is usable"
                ),
            }
        }
        drop(standbys);
        tokio::time::sleep(COMPARISON_INTERVAL).await;
    }
}

/// Returns the position up to which the standby has replayed the write-ahead log.
async fn replayed_position(standby: &mut PostgresTx) -> Result<LogPosition> {
    let sql = "SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT) WHERE pg_is_in_recovery()";
    let rows = standby.rows(sql, &[]).await?;
    let position = rows.first().and_then(|row| row.get::<Option<i64>>(0));
    position.ok_or_else(|| StoreError::Unavailable("not a standby".into()))
}

struct PrimaryState {
    /// The position up to which the write-ahead log is on the primary's disk.
    flushed: LogPosition,
    synchronous_commit: String,
    standby_names: String,
}

impl PrimaryState {
    async fn read(primary: &Postgres) -> Result<PrimaryState> {
        let sql = "SELECT CAST(pg_current_wal_flush_lsn() - '0/0' AS BIGINT),
             current_setting('synchronous_commit'), current_setting('synchronous_standby_names')";
        let mut tx = primary.begin_read(&primary.lookup_pool).await?;
        let rows = tx.rows(sql, &[]).await?;
        let row = rows
            .first()
            .ok_or_else(|| StoreError::Other("no row".into()))?;
        Ok(PrimaryState {
            flushed: row.get(0),
            synchronous_commit: row.get(1),
            standby_names: row.get(2),
        })
    }

    fn position(&self) -> Result<LogPosition> {
        match self.problem() {
            Some(problem) => Err(StoreError::InvalidSetting(problem)),
            None => Ok(self.flushed),
        }
    }

    /// Returns why commits do not wait until standbys have replayed them.
    fn problem(&self) -> Option<String> {
        let (setting, value, demand) = if self.synchronous_commit != "remote_apply" {
            let commit = &self.synchronous_commit;
            ("synchronous_commit", commit, "be remote_apply")
        } else if count_awaited(&self.standby_names) == 0 {
            (
                "synchronous_standby_names", &self.standby_names, "list each standby",
            )
        } else {
            return None;
        };
        Some(format!(
            "{setting} of the primary is '{value}' but must {demand}, because a sign-out must take effect with the next request"
        ))
    }
}

/// Returns for how many of the standbys in `synchronous_standby_names` each commit waits: `a, b`, `FIRST 2 (a, b, c)`
/// or `ANY 2 (a, b)`. `ANY` counts as 0 unless it names all, because it waits for no particular standby.
fn count_awaited(standby_names: &str) -> usize {
    let (method, list) = match standby_names.split_once('(') {
        Some((method, list)) => (method, list.trim_end().trim_end_matches(')')),
        None => ("1", standby_names),
    };
    let listed = list.split(',').filter(|name| !name.trim().is_empty());
    let listed = listed.count();
    let awaited = method.split_whitespace().next_back();
    let awaited = awaited.and_then(|number| number.parse().ok()).unwrap_or(0);
    let is_any = method.trim_start().to_ascii_lowercase().starts_with("any");
    match listed {
        0 => 0,
        _ if is_any && awaited < listed => 0,
        _ => awaited,
    }
}

#[cfg(test)]
mod tests {
    use super::count_awaited;

    #[test]
    fn the_awaited_standbys_are_counted() {
        for (names, expected) in [
            ("", 0),
            ("*", 1),
            ("a, b", 1),
            ("2 (a, b)", 2),
            ("FIRST 2 (\"a\", b, c)", 2),
            ("ANY 1 (a, b)", 0),
            ("any 2 (a, b) ", 2),
            ("ANY 1 (*)", 1),
        ] {
            assert_eq!(count_awaited(names), expected, "{names}");
        }
    }
}
