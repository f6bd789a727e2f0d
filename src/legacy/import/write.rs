//! Writes one batch in a transaction, and retries while the database is unavailable.

use std::time::Duration;

use uuid::Uuid;

use super::counts::RowCounts;
use crate::clock::Clock;
use crate::db::{Result, Store, StoreError};
use crate::rng::Rng;
use crate::store::legacy_import::{self, AddressState, ImportRow};

/// The pauses between the attempts in milliseconds, half a minute in total: enough for a restart of the database or a
/// long write of another process.
const RETRY_DELAYS: [u64; 6] = [250, 1000, 2000, 5000, 10_000, 12_000];

/// The result of a batch.
#[derive(Debug, Default)]
pub(super) struct BatchResult {
    pub counts: RowCounts,
    /// Positions of rows that were not written, because their address belongs to another `legacy_id`.
    pub conflicts: Vec<usize>,
}

/// Writes all rows or none, and returns the counts.
pub(super) async fn write_batch(
    store: &Store,
    clock: &Clock,
    rng: &Rng,
    rows: &[ImportRow],
    dry_run: bool,
) -> Result<BatchResult> {
    for wait in RETRY_DELAYS {
        match write_batch_once(store, clock, rng, rows, dry_run).await {
            // Taken: a parallel import has written the same address.
            Err(
                StoreError::Unavailable(_)
                | StoreError::NotWritable(_)
                | StoreError::Conflict(_)
                | StoreError::UniqueViolation(_),
            ) => {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            done => return done,
        }
    }
    write_batch_once(store, clock, rng, rows, dry_run).await
}

async fn write_batch_once(
    store: &Store,
    clock: &Clock,
    rng: &Rng,
    rows: &[ImportRow],
    dry_run: bool,
) -> Result<BatchResult> {
    let mut counts = RowCounts::default();
    let mut conflicts = Vec::new();
    if rows.is_empty() {
        return Ok(BatchResult::default());
    }
    let mut tx = match dry_run {
        true => store.read().await?,
        false => store.write().await?,
    };
    let known = legacy_import::find_states(&mut tx, rows).await?;
    let now = clock.millis();
    let ids = rng.ids(now, rows.len());
    let mut new: Vec<(Uuid, &ImportRow)> = Vec::new();
    let mut changed: Vec<(Uuid, &ImportRow)> = Vec::new();
    for (at, ((row, known), id)) in rows.iter().zip(known).zip(ids).enumerate() {
        match known {
            AddressState::Unknown => new.push((id, row)),
            AddressState::Unmigrated { row_hash, .. } if row_hash == row.hash => {
                counts.unchanged += 1;
            }
            AddressState::Unmigrated { legacy_id, .. }
                if have_different_ids(legacy_id.as_ref(), row.legacy_id.as_ref()) =>
            {
                conflicts.push(at);
                continue;
            }
            AddressState::Unmigrated { .. } => changed.push((id, row)),
            AddressState::Registered => {
                counts.already_migrated += 1;
                continue;
            }
        }
        counts.without_hash += u64::from(row.password_hash.is_none());
    }
    counts.rejected = conflicts.len() as u64;
    (counts.new, counts.updated) = (new.len() as u64, changed.len() as u64);
    if !dry_run {
        legacy_import::insert(&mut tx, &new, now).await?;
        legacy_import::update(&mut tx, &changed, now).await?;
        tx.commit().await?;
    }
    Ok(BatchResult { counts, conflicts })
}

/// Returns whether two accounts of the older system share an address. False if one of them has no id.
fn have_different_ids(stored: Option<&String>, new: Option<&String>) -> bool {
    matches!((stored, new), (Some(waiting), Some(new)) if waiting != new)
}
