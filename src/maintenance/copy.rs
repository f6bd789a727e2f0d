//! The command `account store copy` copies a whole site from SQLite to PostgreSQL or back.
//!
//! The target contains a marker until all its rows have been read back and compared with the source. No server starts
//! on a database with the marker, and the command writes only to a database that has the marker or is empty. The
//! copying can therefore be killed at any time and repeated, and never changes a database in use.
//!
//! Only one batch is in memory, whatever the size of a table. The source is never changed.

mod endpoint;
mod table;

use table::{Cell, Table};

use crate::config;
use crate::db::{Store, StoreError, Tx};
use crate::params;
use crate::rng::Rng;

/// All tables except that of the refinery library. A table follows the tables to which its foreign keys refer.
pub const TABLES: [&str; 30] = [
    "accounts", "consents", "former_emails", "password_history", "devices", "sessions",
    "security_events", "credentials", "spent_challenges", "totp", "recovery_codes",
    "second_factor_resets", "pending_acts", "sign_in_challenges", "tokens", "legacy_accounts",
    "outbox", "deliveries", "kept_mail", "sent_mails", "support_roles", "support_audit", "limits",
    "names", "deleted_accounts", "oidc_keys", "app_sessions", "oidc_codes", "oidc_tokens",
    "secrets",
];

/// The name of the row in `secrets` that marks an unfinished copy. The row's value identifies the copy command.
const COPY_MARKER: &str = "unfinished_copy";

/// The number of rows that are read from the source and written to the target at once.
const ROWS_PER_BATCH: usize = 1000;

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(
        "a copy is possible from SQLite to PostgreSQL or back; within one kind use account store backup or pg_dump"
    )]
    SameKind,
    #[error("{0}: not a database of this program")]
    NoDatabase(String),
    #[error(
        "the source has schema {found}, this program has {own}: run account migrate on the source first"
    )]
    OtherSchema { found: String, own: String },
    #[error("the source is itself an unfinished copy")]
    UnfinishedSource,
    #[error("the target contains tables of another program; use a separate database")]
    ForeignTables,
    #[error(
        "the target has rows in {0} and is not an unfinished copy: nothing was changed; a copy needs an empty database"
    )]
    NotEmpty(&'static str),
    #[error("another copy to the same target has begun; this one ends")]
    TakenOver,
    #[error("{table} differs: {there} in the target, {here} in the source. {advice}")]
    Differs {
        table: &'static str,
        here: u64,
        there: u64,
        advice: &'static str,
    },
    #[error("{table}, the row with {key}: {error}")]
    RefusedRow {
        table: &'static str,
        key: String,
        error: StoreError,
    },
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl CopyError {
    /// Returns whether the error is a usage error (exit code 2). Otherwise the copying failed.
    pub fn is_usage_error(&self) -> bool {
        match self {
            CopyError::Store(error) => matches!(error, StoreError::InvalidSetting(_)),
            CopyError::TakenOver | CopyError::Differs { .. } | CopyError::RefusedRow { .. } => {
                false
            }
            _ => true,
        }
    }
}

/// The number of rows of a table, which is equal in the source and the target.
#[derive(Debug, PartialEq, Eq)]
pub struct TableCount {
    pub table: &'static str,
    pub rows: u64,
}

pub enum CopyOutcome {
    Copied(Vec<TableCount>),
    /// An earlier attempt has copied all rows, and the source has not changed since.
    AlreadyThere(Vec<TableCount>),
}

/// Copies all tables. `progress` receives a label of the step and the table, and the number of completed rows.
pub async fn run(
    from: &config::Database,
    to: &config::Database,
    rng: &Rng,
    mut progress: impl FnMut(&str, u64),
) -> Result<CopyOutcome, CopyError> {
    let is_sqlite = |settings: &config::Database| settings.url.sqlite_path().is_some();
    if is_sqlite(from) == is_sqlite(to) {
        return Err(CopyError::SameKind);
    }
    let source = endpoint::open_source(from).await?;
    let target = endpoint::open_target(to).await?;
    let tables = Table::read_all(&source, &target).await?;
    let run = rng.bytes::<32>();
    if let Some(table) = claim_target(&target, &run).await? {
        // The target may be a finished copy that an earlier attempt made.
        return match compare_all(&source, &target, &tables, &mut progress).await {
            Ok(counts) => Ok(CopyOutcome::AlreadyThere(counts)),
            Err(CopyError::Differs { .. }) => Err(CopyError::NotEmpty(table)),
            Err(error) => Err(error),
        };
    }
    let mut snapshot = endpoint::begin_snapshot(&source).await?;
    for table in &tables {
        copy_table(table, &mut snapshot, &target, &run, &mut progress).await?;
    }
    endpoint::end_snapshot(snapshot).await?;
    let counts = compare_all(&source, &target, &tables, &mut progress).await?;
    remove_marker(&target, &run).await?;
    Ok(CopyOutcome::Copied(counts))
}

/// Returns whether this database is an unfinished copy, which no server may use.
pub async fn is_unfinished(tx: &mut Tx) -> crate::db::Result<bool> {
    let sql = "SELECT 1 FROM secrets WHERE name = $1";
    Ok(tx.row(sql, params![COPY_MARKER]).await?.is_some())
}

/// Adds the marker to an empty target, or deletes the rows of an earlier attempt from a target with the marker. If the
/// target has no marker and is not empty, returns the name of a table that has rows.
async fn claim_target(target: &Store, run: &[u8; 32]) -> Result<Option<&'static str>, CopyError> {
    let mut tx = target.write().await?;
    if is_unfinished(&mut tx).await? {
        endpoint::delete_rows(&mut tx).await?;
    } else {
        for table in TABLES {
            let sql = format!("SELECT 1 FROM {table} LIMIT 1");
            if tx.row(&sql, &[]).await?.is_some() {
                return Ok(Some(table));
            }
        }
    }
    let sql = "INSERT INTO secrets (name, value) VALUES ($1, $2)";
    match tx.execute(sql, params![COPY_MARKER, run]).await {
        Err(StoreError::UniqueViolation(_)) => return Err(CopyError::TakenOver),
        other => other?,
    };
    tx.commit().await?;
    Ok(None)
}

/// Locks the marker until the transaction ends, so that two processes never copy to the same target.
async fn lock_marker(tx: &mut Tx, run: &[u8; 32]) -> Result<(), CopyError> {
    let sql = "SELECT 1 FROM secrets WHERE name = $1 AND value = $2 FOR UPDATE";
    let claim = tx.row(sql, params![COPY_MARKER, run]).await?;
    claim.map(|_| ()).ok_or(CopyError::TakenOver)
}

/// Copies the rows of one table in batches.
async fn copy_table(
    table: &Table,
    snapshot: &mut Tx,
    target: &Store,
    run: &[u8; 32],
    progress: &mut impl FnMut(&str, u64),
) -> Result<(), CopyError> {
    let (mut last, mut rows) = (None, 0);
    loop {
        let page = table.page(snapshot, last.as_ref(), ROWS_PER_BATCH).await?;
        if page.is_empty() {
            return Ok(());
        }
        let mut tx = target.write().await?;
        lock_marker(&mut tx, run).await?;
        if let Err(error) = table.insert(&mut tx, &page).await {
            drop(tx);
            return Err(find_refused_row(table, target, &page, error).await);
        }
        tx.commit().await?;
        rows += page.len() as u64;
        progress(&format!("copying {}", table.name), rows);
        last = page.into_iter().last();
    }
}

/// Returns the error of the batch with the row that the target refuses, such as a text with U+0000 on PostgreSQL.
/// Inserts each row in a transaction of its own, which is rolled back.
async fn find_refused_row(
    table: &Table,
    target: &Store,
    rows: &[Vec<Cell>],
    error: StoreError,
) -> CopyError {
    if !matches!(error, StoreError::Other(_) | StoreError::UniqueViolation(_)) {
        return error.into();
    }
    for row in rows {
        let mut tx = match target.write().await {
            Ok(tx) => tx,
            Err(error) => return error.into(),
        };
        if let Err(error) = table.insert(&mut tx, std::slice::from_ref(row)).await {
            let (table, key) = (table.name, table.describe_key(row));
            return CopyError::RefusedRow { table, key, error };
        }
    }
    error.into()
}

/// Reads and compares both databases again, so that a change of the source during the copying is found too.
async fn compare_all(
    source: &Store,
    target: &Store,
    tables: &[Table],
    progress: &mut impl FnMut(&str, u64),
) -> Result<Vec<TableCount>, CopyError> {
    let (mut here, mut there) = (
        endpoint::begin_snapshot(source).await?,
        endpoint::begin_snapshot(target).await?,
    );
    let mut counts = Vec::new();
    for table in tables {
        let label = format!("checking {}", table.name);
        let wanted = table
            .checksum(&mut here, ROWS_PER_BATCH, |rows| progress(&label, rows))
            .await?;
        let found = table.checksum(&mut there, ROWS_PER_BATCH, |_| {}).await?;
        if wanted != found {
            return Err(CopyError::Differs {
                table: table.name,
                here: wanted.rows,
                there: found.rows,
                advice: "Was the site still serving from the source? Stop it, and run this again",
            });
        }
        counts.push(TableCount {
            table: table.name,
            rows: wanted.rows,
        });
    }
    endpoint::end_snapshot(here).await?;
    endpoint::end_snapshot(there).await?;
    Ok(counts)
}

async fn remove_marker(target: &Store, run: &[u8; 32]) -> Result<(), CopyError> {
    let mut tx = target.write().await?;
    lock_marker(&mut tx, run).await?;
    tx.execute("DELETE FROM secrets WHERE name = $1", params![COPY_MARKER])
        .await?;
    Ok(tx.commit().await?)
}
