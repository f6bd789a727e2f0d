//! `account legacy import`: reads a file of old accounts and puts them where they wait for their
//! people (contract 4).
//!
//! One thread reads, parses and judges rows; the caller writes them, a batch a transaction. What was
//! committed is there after a `kill -9`, and the next run over the same file finds it unchanged, so
//! that going on and starting again are the same thing. Memory does not grow with the file: at most
//! three batches are under way, and the addresses seen so far are kept on disk.

mod clean;
mod column;
mod counts;
mod csv;
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

use tokio::sync::mpsc;

pub use counts::{Counts, KeptOut};
pub use progress::Progress;

use crate::clock::Clock;
use crate::rng::Rng;
use crate::store::{Store, StoreError};
use parse::{Parsed, Parser};
use source::Source;

/// What to import, and how.
#[derive(Debug, Clone)]
pub struct Order {
    pub file: PathBuf,
    /// Where rejected rows go. Unset: beside the file, `FILE.rejects.jsonl`.
    pub rejects: Option<PathBuf>,
    /// Read and judge everything, write nothing into the database.
    pub dry_run: bool,
    /// Rows a transaction.
    pub batch: usize,
}

/// How it went.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub counts: Counts,
    /// Values that could not be used, by reason: their rows were imported without them.
    pub kept_out: KeptOut,
    /// Columns of a CSV file that nobody asked for.
    pub unknown_columns: Vec<String>,
    pub rejects: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The command line or the file's form is wrong; nothing was done.
    #[error("{0}")]
    WrongUse(String),
    #[error("{path} cannot be read after line {line}: {error}; what stands before is imported")]
    Read {
        path: String,
        line: u64,
        error: std::io::Error,
    },
    #[error("cannot write {path}: {error}")]
    Rejects { path: String, error: std::io::Error },
    #[error("{0}; run the same command again to go on")]
    Store(#[from] StoreError),
    #[error("the addresses seen so far cannot be kept in the system's temporary folder: {0}")]
    Seen(#[from] rusqlite::Error),
    #[error("the reading thread panicked")]
    Panicked,
}

/// Batches that may wait to be written.
const WAITING: usize = 1;

/// Imports a file. `progress` is told after each batch.
pub async fn run(
    store: &Store,
    clock: &Clock,
    rng: &Rng,
    order: &Order,
    progress: &mut Progress,
) -> Result<Outcome, ImportError> {
    let source = Source::open(&order.file)?;
    progress.start(source.size());
    let rejects = order.rejects.clone().unwrap_or_else(|| beside(&order.file));
    let store = store.bulk()?;
    let parser = Parser::new(source, &rejects, order.batch, clock)?;
    let (send, mut batches) = mpsc::channel::<Parsed>(WAITING);
    let parsing = std::thread::spawn(move || parser.run(&send));
    let mut counts = Counts::default();
    let writing = async {
        while let Some(batch) = batches.recv().await {
            let written = write::batch(&store, clock, rng, &batch.rows, order.dry_run).await?;
            counts.add(&written);
            counts.read = batch.read;
            counts.rejected = batch.rejected;
            progress.tell(counts.read, batch.bytes);
            if !order.dry_run {
                store.gap().await;
            }
        }
        Ok::<_, StoreError>(())
    };
    let written = writing.await;
    // The reader stops at the next batch when nobody takes it.
    drop(batches);
    let parsed = parsing.join().map_err(|_| ImportError::Panicked)?;
    written?;
    if !order.dry_run {
        store.write_back().await?;
    }
    let finished = parsed?;
    progress.finish();
    Ok(Outcome {
        counts,
        kept_out: finished.kept_out,
        unknown_columns: finished.unknown_columns,
        rejects,
    })
}

fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".rejects.jsonl");
    name.into()
}
