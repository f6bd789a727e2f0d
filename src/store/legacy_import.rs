//! The queries of the import of legacy accounts: finds the rows that match an imported batch, and writes rows.

use uuid::Uuid;

use super::verified_emails;
use crate::db::{Connection, Param, Result, Row, Tx};
use crate::domain::email::Email;
use crate::params;

/// A validated row of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    pub email: Email,
    pub username: Option<String>,
    /// The lookup key of the username, or `None` if there is no username or it breaks the rules of this site.
    pub username_key: Option<String>,
    pub password_hash: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub country: Option<String>,
    pub birthday_day: Option<i64>,
    pub birthday_month: Option<i64>,
    pub birthday_year: Option<i64>,
    pub zipcode: Option<String>,
    pub marketing_consent: Option<bool>,
    pub language: Option<String>,
    pub legacy_id: Option<String>,
    pub created_at: Option<i64>,
    /// The SHA-256 of all fields above.
    pub hash: [u8; 32],
}

/// A legacy account in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredLegacyRow {
    pub id: Uuid,
    pub row_hash: [u8; 32],
    pub legacy_id: Option<String>,
    pub has_migrated: bool,
}

/// The legacy accounts in the database that match an imported row by legacy id or by email address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RowMatch {
    /// The legacy account with the row's `legacy_id`, if its email address differs from the row's.
    pub by_legacy_id: Option<StoredLegacyRow>,
    pub by_email: Option<StoredLegacyRow>,
    /// Whether a verified account, migrated or newly registered, has the row's email address.
    pub has_account: bool,
}

/// The number of rows in one statement, so that the statement stays far below its time limit even on a slow machine.
const ROWS_PER_STATEMENT: usize = 2000;

const COLUMNS: &str = "id, email, email_key, username, username_key, password_hash, first_name, \
    last_name, country, birthday_day, birthday_month, birthday_year, zipcode, marketing_consent, \
    language, legacy_id, created_at, imported_at, row_hash";

/// The SQL clause that updates an existing row. `imported_at` keeps the time of the earliest import. If the email
/// address changes, the invitation and the bounce of the old address no longer count.
const ON_CONFLICT_UPDATE: &str = "ON CONFLICT (id) DO UPDATE SET
    invited_at = CASE WHEN excluded.email_key = legacy_accounts.email_key THEN legacy_accounts.invited_at END,
    bounced_at = CASE WHEN excluded.email_key = legacy_accounts.email_key THEN legacy_accounts.bounced_at END,
    email = excluded.email, email_key = excluded.email_key,
    username = excluded.username, username_key = excluded.username_key,
    password_hash = excluded.password_hash, first_name = excluded.first_name,
    last_name = excluded.last_name, country = excluded.country,
    birthday_day = excluded.birthday_day, birthday_month = excluded.birthday_month,
    birthday_year = excluded.birthday_year, zipcode = excluded.zipcode,
    marketing_consent = excluded.marketing_consent, language = excluded.language,
    legacy_id = COALESCE(excluded.legacy_id, legacy_accounts.legacy_id),
    created_at = excluded.created_at, row_hash = excluded.row_hash
    WHERE legacy_accounts.migrated_at IS NULL";

/// Returns the matches of each row, in the order of the rows.
pub(crate) async fn find_matches(tx: &mut Tx, rows: &[&ImportRow]) -> Result<Vec<RowMatch>> {
    let mut matches = Vec::with_capacity(rows.len());
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let before = matches.len();
        matches.resize(before + chunk.len(), RowMatch::default());
        find_by_email(tx, chunk, &mut matches[before..]).await?;
        find_by_legacy_id(tx, chunk, &mut matches[before..]).await?;
    }
    Ok(matches)
}

async fn find_by_email(tx: &mut Tx, rows: &[&ImportRow], matches: &mut [RowMatch]) -> Result<()> {
    let keys: Vec<&str> = rows.iter().map(|row| row.email.key()).collect();
    let stored = find_each(tx, "email_key", "", &keys).await?;
    let verified = verified_emails::list_verified(tx, &keys).await?;
    for ((key, stored), found) in keys.into_iter().zip(stored).zip(matches) {
        found.by_email = stored;
        found.has_account = verified.contains(key);
    }
    Ok(())
}

/// Finds the legacy account with each row's legacy id, unless the legacy account with the row's email address has that
/// id. If an earlier program version stored an id twice, a migrated account is preferred, then the newest.
async fn find_by_legacy_id(
    tx: &mut Tx,
    rows: &[&ImportRow],
    matches: &mut [RowMatch],
) -> Result<()> {
    const ORDER: &str = "ORDER BY migrated_at IS NULL, id DESC";
    let (positions, ids): (Vec<usize>, Vec<&str>) = rows
        .iter()
        .zip(&*matches)
        .enumerate()
        .filter_map(|(at, (row, found))| {
            let stored = found.by_email.as_ref();
            let is_found = stored.is_some_and(|stored| stored.legacy_id == row.legacy_id);
            let legacy_id = row.legacy_id.as_deref()?;
            (!is_found).then_some((at, legacy_id))
        })
        .unzip();
    let stored = find_each(tx, "legacy_id", ORDER, &ids).await?;
    for (at, stored) in positions.into_iter().zip(stored) {
        matches[at].by_legacy_id = stored;
    }
    Ok(())
}

/// Returns the legacy account that has each key in `column`. If several accounts have a key, the SQL clause `order`
/// decides.
async fn find_each(
    tx: &mut Tx,
    column: &str,
    order: &str,
    keys: &[&str],
) -> Result<Vec<Option<StoredLegacyRow>>> {
    let mut found = vec![None; keys.len()];
    match &mut tx.connection {
        Connection::Sqlite(tx) => {
            let sql = format!(
                "SELECT id, row_hash, legacy_id, migrated_at IS NOT NULL FROM legacy_accounts
                 WHERE {column} = $1 {order} LIMIT 1"
            );
            for (found, key) in found.iter_mut().zip(keys) {
                let row = tx.row(&sql, params![*key])?;
                *found = row.and_then(|row| stored_row(&row, 0));
            }
        }
        Connection::Postgres(tx) => {
            // LIMIT makes the planner probe the index for each key; for a plain join it would read the whole table for
            // every chunk.
            let sql = format!(
                "SELECT wanted.at, l.id, l.row_hash, l.legacy_id, (l.migrated_at IS NOT NULL)::int::int8
                 FROM unnest($1) WITH ORDINALITY AS wanted (key, at)
                 JOIN LATERAL (SELECT id, row_hash, migrated_at, legacy_id FROM legacy_accounts
                   WHERE {column} = wanted.key {order} LIMIT 1) AS l ON true"
            );
            let keys = keys.iter().map(|key| Param::from(*key));
            for row in tx.query_with_array_params(&sql, &[keys.collect()]).await? {
                // WITH ORDINALITY counts from one.
                let at = row.get::<i64>(0).unsigned_abs() as usize - 1;
                found[at] = stored_row(&row, 1);
            }
        }
    }
    Ok(found)
}

/// Reads a [`StoredLegacyRow`] from the columns that begin at `first`. Returns `None` if the id is NULL.
fn stored_row(row: &Row, first: usize) -> Option<StoredLegacyRow> {
    Some(StoredLegacyRow {
        id: row.get::<Option<Uuid>>(first)?,
        // A hash of another length was made by another program version; the row then counts as changed.
        row_hash: row.get::<Vec<u8>>(first + 1).try_into().unwrap_or_default(),
        legacy_id: row.get(first + 2),
        has_migrated: row.get(first + 3),
    })
}

/// Adds rows with new email addresses. Returns `UniqueViolation` if a parallel import has added one of them.
pub(crate) async fn insert(tx: &mut Tx, rows: &[(Uuid, &ImportRow)], now: i64) -> Result<()> {
    match &mut tx.connection {
        Connection::Sqlite(_) => upsert(tx, rows, now, "").await,
        Connection::Postgres(tx) => {
            let sql = format!("COPY legacy_accounts ({COLUMNS}) FROM STDIN BINARY");
            for chunk in rows.chunks(ROWS_PER_STATEMENT) {
                let rows = chunk.iter().map(|(id, row)| row_values(*id, row, now));
                tx.copy_in(&sql, rows).await?;
            }
            Ok(())
        }
    }
}

/// Updates the legacy accounts with these ids. A migrated legacy account stays unchanged.
pub(crate) async fn update(tx: &mut Tx, rows: &[(Uuid, &ImportRow)], now: i64) -> Result<()> {
    upsert(tx, rows, now, ON_CONFLICT_UPDATE).await
}

async fn upsert(tx: &mut Tx, rows: &[(Uuid, &ImportRow)], now: i64, conflict: &str) -> Result<()> {
    match &mut tx.connection {
        Connection::Sqlite(tx) => {
            let sql = format!(
                "INSERT INTO legacy_accounts ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
                   $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) {conflict}"
            );
            tx.execute_each(&sql, rows.iter().map(|(id, row)| row_values(*id, row, now)))
        }
        Connection::Postgres(tx) => {
            let sql = format!(
                "INSERT INTO legacy_accounts ({COLUMNS})
                 SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                   $15, $16, $17, $18, $19) {conflict}"
            );
            for chunk in rows.chunks(ROWS_PER_STATEMENT) {
                let mut columns: [Vec<Param<'_>>; 19] = Default::default();
                for (id, row) in chunk {
                    for (column, value) in columns.iter_mut().zip(row_values(*id, row, now)) {
                        column.push(value);
                    }
                }
                tx.query_with_array_params(&sql, &columns).await?;
            }
            Ok(())
        }
    }
}

/// Returns the values in the order of `COLUMNS`.
fn row_values(id: Uuid, row: &ImportRow, now: i64) -> [Param<'_>; 19] {
    [
        id.into(),
        row.email.as_entered().into(),
        row.email.key().into(),
        (&row.username).into(),
        (&row.username_key).into(),
        (&row.password_hash).into(),
        (&row.first_name).into(),
        (&row.last_name).into(),
        (&row.country).into(),
        row.birthday_day.into(),
        row.birthday_month.into(),
        row.birthday_year.into(),
        (&row.zipcode).into(),
        row.marketing_consent.map(i64::from).into(),
        (&row.language).into(),
        (&row.legacy_id).into(),
        row.created_at.into(),
        now.into(),
        (&row.hash).into(),
    ]
}
