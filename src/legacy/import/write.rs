//! Writes one batch in a transaction, and retries while the database is unavailable.

use std::time::Duration;

use uuid::Uuid;

use super::counts::RowCounts;
use super::parse::AcceptedRow;
use crate::clock::Clock;
use crate::db::{Result, Store, StoreError};
use crate::domain::email::Email;
use crate::rng::Rng;
use crate::store::account_emails;
use crate::store::legacy_import::{self, ImportRow, RowMatch, StoredLegacyRow};
use crate::store::name_hasher::NameHasher;
use crate::store::{legacy, secrets};

/// The pauses between the attempts in milliseconds, half a minute in total. The total is enough for a restart of the
/// database or a long write of another process.
const RETRY_DELAYS_MILLIS: [u64; 6] = [250, 1000, 2000, 5000, 10_000, 12_000];

/// The name of the row in `secrets` that an import locks during a batch. Otherwise two imports at the same time could
/// both insert the same `legacy_id`.
const LOCK_NAME: &str = "legacy_import";

/// The result of writing a batch.
#[derive(Debug, Default)]
pub(super) struct BatchResult {
    pub counts: RowCounts,
    /// The positions of the rows that were not written, because they contradict the stored accounts.
    pub conflicts: Vec<(usize, RowConflict)>,
}

/// The reason why a row of the import is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowConflict {
    /// The email address belongs to another person of the legacy system.
    EmailOfAnotherId,
    /// The person's new email address belongs to another account.
    NewEmailIsTaken,
}

impl RowConflict {
    pub(super) fn reason(self) -> &'static str {
        match self {
            RowConflict::EmailOfAnotherId => {
                "the address belongs to an account with another legacy_id"
            }
            RowConflict::NewEmailIsTaken => {
                "the legacy_id was imported with another address, and this address belongs to another account"
            }
        }
    }
}

pub(super) struct BatchWriter<'a> {
    pub store: &'a Store,
    pub clock: &'a Clock,
    pub rng: &'a Rng,
    pub dry_run: bool,
}

impl BatchWriter<'_> {
    /// Writes either all rows or no row, except conflicting rows, and returns the counts.
    pub(super) async fn write(&self, rows: &[AcceptedRow]) -> Result<BatchResult> {
        let rows: Vec<&ImportRow> = rows.iter().map(|accepted| &accepted.row).collect();
        for wait in RETRY_DELAYS_MILLIS {
            match self.write_once(&rows).await {
                // The error `UniqueViolation` means that a parallel import has written the same row.
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
        self.write_once(&rows).await
    }

    async fn write_once(&self, rows: &[&ImportRow]) -> Result<BatchResult> {
        let mut result = BatchResult::default();
        if rows.is_empty() {
            return Ok(result);
        }
        let mut tx = match self.dry_run {
            true => self.store.read().await?,
            false => self.store.write().await?,
        };
        if !self.dry_run {
            secrets::upsert(&mut tx, LOCK_NAME, &[]).await?;
        }
        let matches = legacy_import::find_matches(&mut tx, rows).await?;
        let now = self.clock.millis();
        let ids = self.rng.ids(now, rows.len());
        let mut new: Vec<(Uuid, &ImportRow)> = Vec::new();
        let mut changed: Vec<(Uuid, &ImportRow)> = Vec::new();
        let mut email_changes: Vec<(Uuid, &Email)> = Vec::new();
        let counts = &mut result.counts;
        for (at, ((row, found), id)) in rows.iter().zip(&matches).zip(ids).enumerate() {
            match decide_row(row, found) {
                RowDecision::Insert => new.push((id, row)),
                RowDecision::Keep => counts.unchanged += 1,
                RowDecision::Update(id) => changed.push((id, row)),
                RowDecision::ChangeEmail(id) => {
                    email_changes.push((id, &row.email));
                    changed.push((id, row));
                }
                RowDecision::Ignore => {
                    counts.already_migrated += 1;
                    continue;
                }
                RowDecision::Reject(conflict) => {
                    result.conflicts.push((at, conflict));
                    continue;
                }
            }
            counts.without_hash += u64::from(row.password_hash.is_none());
        }
        (counts.new, counts.updated) = (new.len() as u64, changed.len() as u64);
        if !self.dry_run {
            legacy_import::insert(&mut tx, &new, now).await?;
            let hasher = &NameHasher::load(&mut tx, self.rng).await?;
            for (id, email) in email_changes {
                account_emails::record_former_of_legacy(&mut tx, hasher, id, email, now).await?;
                legacy::end_mails(&mut tx, id).await?;
            }
            legacy_import::update(&mut tx, &changed, now).await?;
            tx.commit().await?;
        }
        Ok(result)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowDecision {
    Insert,
    Keep,
    Update(Uuid),
    /// The account is updated and gets the email address of the row.
    ChangeEmail(Uuid),
    /// The person already has an account on this site, so the row is ignored.
    Ignore,
    Reject(RowConflict),
}

/// Decides what happens to a row. `legacy_id` takes precedence over the email address, which can change.
fn decide_row(row: &ImportRow, found: &RowMatch) -> RowDecision {
    match (&found.by_legacy_id, &found.by_email) {
        (Some(person), _) if person.has_migrated => RowDecision::Ignore,
        // An operator has changed the email address since the row was imported.
        (Some(person), _) if person.row_hash == row.hash => RowDecision::Keep,
        (Some(person), None) if !found.has_account => RowDecision::ChangeEmail(person.id),
        (Some(_), _) => RowDecision::Reject(RowConflict::NewEmailIsTaken),
        (None, _) if found.has_account => RowDecision::Ignore,
        (None, None) => RowDecision::Insert,
        (None, Some(stored)) if stored.has_migrated => RowDecision::Ignore,
        (None, Some(stored)) if stored.row_hash == row.hash => RowDecision::Keep,
        (None, Some(stored)) if have_different_ids(stored, row) => {
            RowDecision::Reject(RowConflict::EmailOfAnotherId)
        }
        (None, Some(stored)) => RowDecision::Update(stored.id),
    }
}

/// Returns whether both rows have a legacy id and the ids differ, so that two people share the email address.
fn have_different_ids(stored: &StoredLegacyRow, row: &ImportRow) -> bool {
    matches!((&stored.legacy_id, &row.legacy_id), (Some(waiting), Some(new)) if waiting != new)
}
