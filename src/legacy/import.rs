//! `account legacy import`: imports a file of accounts into `legacy_accounts`, where they stay until they migrate
//! (contract 4).
//!
//! One thread reads, parses and checks rows; the caller writes them, one transaction per batch. A committed batch
//! survives a `kill -9`, and the next run over the same file finds its rows unchanged, so a repeated run resumes the
//! import. Memory does not grow with the file: at most three batches are in progress, and the addresses read so far are
//! stored on disk.

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
mod seen;
mod source;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

pub use counts::{OmittedValues, RowCounts, UnknownHashes};
pub use format::{ColumnNames, Delimiter, Encoding, InputFormat};
pub use progress::Progress;

use crate::clock::Clock;
use crate::db::{Store, StoreError};
use crate::rng::Rng;
use parse::{ParsedBatch, Parser};
use rejects::{RejectCode, RejectReason, Rejects};
use source::Source;

/// The options of an import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    pub file: PathBuf,
    pub format: InputFormat,
    /// The file for rejected rows. Unset: `FILE.rejects.jsonl` beside the input.
    pub rejects: Option<PathBuf>,
    /// Reads and checks everything, writes nothing to the database.
    pub dry_run: bool,
    /// Rows per transaction.
    pub batch: usize,
}

/// The result of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportReport {
    pub counts: RowCounts,
    /// Unusable values by reason; their rows were imported without these values.
    pub omitted_values: OmittedValues,
    pub unknown_hashes: UnknownHashes,
    /// Columns of a CSV file that were ignored.
    pub unknown_columns: Vec<String>,
    pub rejects: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The command line or the format of the file is wrong; nothing was done.
    #[error("{0}")]
    WrongUse(String),
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
    #[error("the addresses read so far cannot be stored in the system's temporary folder: {0}")]
    Seen(#[from] rusqlite::Error),
    #[error("the reading thread panicked")]
    Panicked,
}

/// The number of parsed batches that may be queued for writing.
const CHANNEL_CAPACITY: usize = 1;

/// Imports a file. Updates `progress` after each batch.
pub async fn run(
    store: &Store,
    clock: &Clock,
    rng: &Rng,
    options: &ImportOptions,
    progress: &mut Progress,
) -> Result<ImportReport, ImportError> {
    let source = Source::open(&options.file, &options.format)?;
    progress.start(source.size());
    let rejects_file = options
        .rejects
        .clone()
        .unwrap_or_else(|| default_rejects_path(&options.file));
    let rejects = Arc::new(Mutex::new(Rejects::new(
        &rejects_file,
        source.reject_format(),
    )?));
    let store = store.for_bulk_writes()?;
    let parser = Parser::new(source, rejects.clone(), options.batch, clock)?;
    let (send, mut batches) = mpsc::channel::<ParsedBatch>(CHANNEL_CAPACITY);
    let parsing = std::thread::spawn(move || parser.run(&send));
    let mut counts = RowCounts::default();
    let mut conflicts = 0;
    let writing = async {
        while let Some(batch) = batches.recv().await {
            let written =
                write::write_batch(&store, clock, rng, &batch.rows, options.dry_run).await?;
            reject_conflicts(&rejects, &batch, &written.conflicts)?;
            conflicts += written.counts.rejected;
            counts.add(&written.counts);
            counts.read = batch.read;
            counts.rejected = batch.rejected + conflicts;
            progress.report(counts.read, batch.bytes);
            if !options.dry_run {
                store.yield_to_writers().await;
            }
        }
        Ok::<_, ImportError>(())
    };
    let written = writing.await;
    // The reader stops at the next batch, because the channel is closed.
    drop(batches);
    let parsed = parsing.join().map_err(|_| ImportError::Panicked)?;
    written?;
    if !options.dry_run {
        store.flush().await?;
    }
    let finished = parsed?;
    lock_rejects(&rejects)?.finish()?;
    progress.finish();
    Ok(ImportReport {
        counts,
        omitted_values: finished.omitted_values,
        unknown_hashes: finished.unknown_hashes,
        unknown_columns: finished.unknown_columns,
        rejects: rejects_file,
    })
}

fn lock_rejects(
    rejects: &Mutex<Rejects>,
) -> Result<std::sync::MutexGuard<'_, Rejects>, ImportError> {
    rejects.lock().map_err(|_| ImportError::Panicked)
}

/// Rejects rows that would replace another person's account.
fn reject_conflicts(
    rejects: &Mutex<Rejects>,
    batch: &ParsedBatch,
    conflicts: &[usize],
) -> Result<(), ImportError> {
    if conflicts.is_empty() {
        return Ok(());
    }
    let reason = RejectReason::new(
        RejectCode::LegacyIdConflict,
        "the address belongs to an account with another legacy_id",
    );
    let mut origins: Vec<_> = conflicts.iter().map(|at| &batch.origins[*at]).collect();
    origins.sort_unstable_by_key(|origin| origin.line);
    let mut rejects = lock_rejects(rejects)?;
    for origin in origins {
        rejects.write(origin.line, &reason, &origin.text)?;
    }
    Ok(())
}

fn default_rejects_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".rejects.jsonl");
    name.into()
}
