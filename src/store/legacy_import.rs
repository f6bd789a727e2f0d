//! The import of legacy accounts in batches: looks addresses up and writes rows.

use uuid::Uuid;

use crate::db::{Connection, Param, Result, Tx};
use crate::domain::email::Email;
use crate::params;

/// A validated row of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportRow {
    pub email: Email,
    pub username: Option<String>,
    /// None if the username breaks the rules of this site.
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
    /// SHA-256 over all of the above.
    pub hash: [u8; 32],
}

/// The state of an address in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddressState {
    Unknown,
    Unmigrated {
        row_hash: [u8; 32],
        legacy_id: Option<String>,
    },
    /// An account, migrated or newly registered.
    Registered,
}

/// The number of rows in one statement, which stays far below its time limit on a slow machine too.
const CHUNK: usize = 2000;

const COLUMNS: &str = "id, email, email_key, username, username_key, password_hash, first_name, \
    last_name, country, birthday_day, birthday_month, birthday_year, zipcode, marketing_consent, \
    language, legacy_id, created_at, imported_at, row_hash";

/// `id` and `imported_at` stay unchanged: repeated imports update one legacy account.
const ON_CONFLICT_UPDATE: &str = "ON CONFLICT (email_key) DO UPDATE SET
    email = excluded.email, username = excluded.username, username_key = excluded.username_key,
    password_hash = excluded.password_hash, first_name = excluded.first_name,
    last_name = excluded.last_name, country = excluded.country,
    birthday_day = excluded.birthday_day, birthday_month = excluded.birthday_month,
    birthday_year = excluded.birthday_year, zipcode = excluded.zipcode,
    marketing_consent = excluded.marketing_consent, language = excluded.language,
    legacy_id = COALESCE(excluded.legacy_id, legacy_accounts.legacy_id),
    created_at = excluded.created_at, row_hash = excluded.row_hash
    WHERE legacy_accounts.migrated_at IS NULL";

/// Returns the state of each row's address, in the order of the rows.
pub(crate) async fn find_states(tx: &mut Tx, rows: &[ImportRow]) -> Result<Vec<AddressState>> {
    let mut states = Vec::with_capacity(rows.len());
    match &mut tx.connection {
        Connection::Sqlite(tx) => {
            let sql =
                "SELECT l.row_hash, l.migrated_at IS NOT NULL OR a.id IS NOT NULL, l.legacy_id
                       FROM (SELECT $1 AS key) AS wanted
                       LEFT JOIN legacy_accounts l ON l.email_key = wanted.key
                       LEFT JOIN accounts a ON a.email_key = wanted.key
                         AND a.email_verified_at IS NOT NULL";
            for row in rows {
                let found = tx.row(sql, params![row.email.key()])?;
                states.push(found.map_or(AddressState::Unknown, |row| {
                    address_state(row.get(0), row.get(1), row.get(2))
                }));
            }
        }
        Connection::Postgres(tx) => {
            // Returns existing addresses only. LIMIT makes each lookup a probe of the index; for a join the planner
            // would read the whole table in every chunk.
            let sql =
                "SELECT wanted.at, l.row_hash, (l.migrated_at IS NOT NULL OR a.id IS NOT NULL)::int::int8,
                         l.legacy_id
                       FROM unnest($1) WITH ORDINALITY AS wanted (key, at)
                       LEFT JOIN LATERAL (SELECT row_hash, migrated_at, legacy_id FROM legacy_accounts
                         WHERE email_key = wanted.key LIMIT 1) AS l ON true
                       LEFT JOIN LATERAL (SELECT id FROM accounts
                         WHERE email_key = wanted.key AND email_verified_at IS NOT NULL
                         LIMIT 1) AS a ON true
                       WHERE l.row_hash IS NOT NULL OR a.id IS NOT NULL";
            for chunk in rows.chunks(CHUNK) {
                let keys = chunk.iter().map(|row| Param::from(row.email.key()));
                let found = tx.query_columns(sql, &[keys.collect()]).await?;
                let before = states.len();
                states.resize(before + chunk.len(), AddressState::Unknown);
                for row in &found {
                    // WITH ORDINALITY counts from one.
                    let at = before + row.get::<i64>(0).unsigned_abs() as usize - 1;
                    states[at] = address_state(row.get(1), row.get(2), row.get(3));
                }
            }
        }
    }
    Ok(states)
}

fn address_state(
    row_hash: Option<Vec<u8>>,
    arrived: bool,
    legacy_id: Option<String>,
) -> AddressState {
    match row_hash {
        _ if arrived => AddressState::Registered,
        None => AddressState::Unknown,
        Some(hash) => AddressState::Unmigrated {
            // A hash of another length was made by another version; the row then counts as changed.
            row_hash: hash.try_into().unwrap_or_default(),
            legacy_id,
        },
    }
}

/// Adds rows with new addresses. Returns `StoreError::UniqueViolation` if a parallel import has added one of them.
pub(crate) async fn insert(tx: &mut Tx, rows: &[(Uuid, &ImportRow)], now: i64) -> Result<()> {
    match &mut tx.connection {
        Connection::Sqlite(_) => upsert(tx, rows, now, "").await,
        Connection::Postgres(tx) => {
            let sql = format!("COPY legacy_accounts ({COLUMNS}) FROM STDIN BINARY");
            for chunk in rows.chunks(CHUNK) {
                let rows = chunk.iter().map(|(id, row)| values(*id, row, now));
                tx.copy(&sql, rows).await?;
            }
            Ok(())
        }
    }
}

/// Updates changed rows. A migrated account stays unchanged.
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
            tx.execute_each(&sql, rows.iter().map(|(id, row)| values(*id, row, now)))
        }
        Connection::Postgres(tx) => {
            let sql = format!(
                "INSERT INTO legacy_accounts ({COLUMNS})
                 SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                   $15, $16, $17, $18, $19) {conflict}"
            );
            for chunk in rows.chunks(CHUNK) {
                let mut columns: [Vec<Param<'_>>; 19] = Default::default();
                for (id, row) in chunk {
                    for (column, value) in columns.iter_mut().zip(values(*id, row, now)) {
                        column.push(value);
                    }
                }
                tx.query_columns(&sql, &columns).await?;
            }
            Ok(())
        }
    }
}

/// The values in the order of `COLUMNS`.
fn values(id: Uuid, row: &ImportRow, now: i64) -> [Param<'_>; 19] {
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
