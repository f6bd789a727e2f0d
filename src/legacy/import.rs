//! The command `account legacy import` imports a file of accounts into the table `legacy_accounts`, where an account
//! stays until it migrates.
//!
//! One thread reads, parses and checks rows, and the caller writes them with one transaction per batch. A committed
//! batch survives a `kill -9`, and the next import of the same file finds its rows unchanged, so a repeated import
//! resumes. Memory does not grow with the file, because at most three batches are in progress, and the email addresses
//! and ids are stored on disk.

mod clean;
mod column;
mod counts;
mod csv;
mod decode;
mod format;
mod lines;
mod parse;
mod progress;
mod raw;
mod rejects;
mod rejects_file;
mod seen;
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

pub use counts::{RowCounts, UnknownHashes, ValueCounts};
pub use format::{ColumnNames, Delimiter, InputFormat, RowFormat, parse_encoding};
pub use progress::Progress;

use crate::clock::Clock;
use crate::db::{Store, StoreError};
use crate::rng::Rng;
use parse::{AcceptedRow, ParsedBatch, Parser};
use rejects::{RejectCode, RejectReason};
use rejects_file::RejectsFile;
use source::Source;
use write::{BatchWriter, RowConflict};

/// The options of an import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    pub file: PathBuf,
    pub format: InputFormat,
    /// The file for rejected rows. By default the file `FILE.rejects.jsonl` beside the input is used, or
    /// `import.rejects.jsonl` for a pipe without a name.
    pub rejects: Option<PathBuf>,
    /// Whether the import only reads and checks the file, and writes nothing to the database.
    pub dry_run: bool,
    /// The number of rows per transaction.
    pub batch: usize,
}

/// The result of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    pub counts: RowCounts,
    /// The number of unusable values by reason. The rows were imported without such values.
    pub omitted_values: ValueCounts,
    /// The number of unusual values by reason. The rows were imported with such values.
    pub kept_values: ValueCounts,
    pub unknown_hashes: UnknownHashes,
    /// The columns of a CSV file or keys of JSON objects that were ignored.
    pub unknown_columns: Vec<String>,
    pub rejects: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The command line or the format of the file is wrong, so the import did nothing.
    #[error("{0}")]
    Usage(String),
    #[error("{path} cannot be read after line {line}: {error}; the rows before it are imported")]
    Read {
        path: String,
        line: u64,
        error: std::io::Error,
    },
    #[error("cannot write {path}: {error}")]
    Rejects { path: String, error: std::io::Error },
    #[error("{0}; run the same command again to continue")]
    Store(#[from] StoreError),
    #[error(
        "the addresses and ids read so far cannot be stored in the system's temporary folder: {0}"
    )]
    Seen(#[from] rusqlite::Error),
    #[error("the reading thread panicked")]
    Panicked,
}

/// The number of parsed batches that may be queued for writing.
const CHANNEL_CAPACITY: usize = 1;

/// Imports a file, and updates `progress` after each batch.
pub async fn run(
    store: &Store,
    clock: &Clock,
    rng: &Rng,
    options: &ImportOptions,
    progress: &mut Progress,
) -> Result<ImportReport, ImportError> {
    let source = Source::open(&options.file, &options.format, &progress.bar)?;
    let rejects_file = options.rejects.clone();
    let rejects_file = rejects_file.unwrap_or_else(|| default_rejects(&options.file));
    let rejects = Arc::new(Mutex::new(RejectsFile::new(
        &rejects_file,
        source.reject_format(),
    )?));
    let store = store.for_bulk_writes()?;
    let parser = Parser::new(source, rejects.clone(), options.batch, clock)?;
    let (send, mut batches) = mpsc::channel::<ParsedBatch>(CHANNEL_CAPACITY);
    let parsing = std::thread::spawn(move || parser.run(&send));
    let writer = BatchWriter {
        store: &store,
        clock,
        rng,
        dry_run: options.dry_run,
    };
    let written = write_batches(&writer, &mut batches, &rejects, progress).await;
    // The reader thread stops at its next batch, because the channel is closed.
    drop(batches);
    let parsed = parsing.join().map_err(|_| ImportError::Panicked)?;
    let counts = written?;
    if !options.dry_run {
        store.sync_bulk_writes().await?;
    }
    let report = parsed?;
    lock_rejects(&rejects)?.finish()?;
    progress.bar.finish_and_clear();
    Ok(ImportReport {
        counts,
        rejects: rejects_file,
        ..report
    })
}

/// Returns the rejects file beside the imported file. Beside an open pipe, such as `/dev/fd/63`, is no room for a file.
fn default_rejects(file: &Path) -> PathBuf {
    let is_pipe = ["/dev/fd", "/dev/stdin"]
        .iter()
        .any(|pipe| file.starts_with(pipe));
    let name = if is_pipe { Path::new("import") } else { file };
    name.with_added_extension("rejects.jsonl")
}

/// Writes all batches, and then writes the deferred rows again, which contradicted the stored accounts.
async fn write_batches(
    writer: &BatchWriter<'_>,
    batches: &mut mpsc::Receiver<ParsedBatch>,
    rejects: &Mutex<RejectsFile>,
    progress: &mut Progress,
) -> Result<RowCounts, ImportError> {
    let mut counts = RowCounts::default();
    let (mut deferred, mut conflicts) = (Vec::new(), 0);
    while let Some(batch) = batches.recv().await {
        let written = writer.write(&batch.rows).await?;
        counts.add(&written.counts);
        counts.read = batch.read;
        counts.rejected = batch.rejected;
        progress.report(counts.read);
        deferred.extend(conflicting_rows(batch.rows, written.conflicts));
        let surplus = deferred.split_off(deferred.len().min(MAX_DEFERRED_ROWS));
        conflicts += reject_conflicts(rejects, surplus)?;
        if !writer.dry_run {
            writer.store.yield_to_writers().await;
        }
    }
    for _ in 0..MAX_DEFERRED_ROUNDS {
        let rows: Vec<_> = deferred.drain(..).map(|waiting| waiting.accepted).collect();
        let written = writer.write(&rows).await?;
        let is_stuck = written.conflicts.len() == rows.len();
        counts.add(&written.counts);
        deferred.extend(conflicting_rows(rows, written.conflicts));
        if is_stuck {
            break;
        }
    }
    counts.rejected += conflicts + reject_conflicts(rejects, deferred)?;
    Ok(counts)
}

fn lock_rejects(
    rejects: &Mutex<RejectsFile>,
) -> Result<std::sync::MutexGuard<'_, RejectsFile>, ImportError> {
    rejects.lock().map_err(|_| ImportError::Panicked)
}

/// A row that contradicts the stored accounts. The import writes this row again after all further rows of the file,
/// because a further row may give another email address to the account that has this row's address.
struct DeferredRow {
    accepted: AcceptedRow,
    conflict: RowConflict,
}

/// The maximum number of deferred rows. Further rows that contradict the stored accounts are rejected at once.
const MAX_DEFERRED_ROWS: usize = 20_000;
/// The maximum number of times that deferred rows are written again. Each time frees one more email address in a
/// sequence of accounts, each of which takes over the address of the next account.
const MAX_DEFERRED_ROUNDS: usize = 10;

/// Returns the rows of a batch that were not written. `conflicts` contains their positions in ascending order.
fn conflicting_rows(
    rows: Vec<AcceptedRow>,
    conflicts: Vec<(usize, RowConflict)>,
) -> impl Iterator<Item = DeferredRow> {
    let mut conflicts = conflicts.into_iter().peekable();
    let rows = rows.into_iter().enumerate();
    rows.filter_map(move |(at, accepted)| {
        let (_, conflict) = conflicts.next_if(|(position, _)| *position == at)?;
        Some(DeferredRow { accepted, conflict })
    })
}

/// Writes the conflicting rows to the rejects file, and returns their number.
fn reject_conflicts(
    rejects: &Mutex<RejectsFile>,
    mut rows: Vec<DeferredRow>,
) -> Result<u64, ImportError> {
    rows.sort_unstable_by_key(|deferred| deferred.accepted.origin.line);
    let mut rejects = lock_rejects(rejects)?;
    for DeferredRow { accepted, conflict } in &rows {
        let origin = &accepted.origin;
        let reason = RejectReason::new(RejectCode::LegacyIdConflict, conflict.reason());
        rejects.write(origin.line, &reason, &origin.text)?;
    }
    Ok(rows.len() as u64)
}
