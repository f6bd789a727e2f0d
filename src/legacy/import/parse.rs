//! The reader thread: converts the file to batches of clean rows, and writes the rejects.

use std::sync::{Arc, Mutex};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use tokio::sync::mpsc::Sender;

use super::ImportError;
use super::clean::{LeftOut, clean};
use super::counts::{KeptOut, UnknownHashes};
use super::csv::Record;
use super::rejects::{Reason, RejectCode, Rejects};
use super::seen::{Before, Seen};
use super::source::Source;
use crate::clock::Clock;
use crate::store::legacy_import::ImportRow;

/// Rows to write, with the counts up to them.
pub(super) struct Parsed {
    pub rows: Vec<ImportRow>,
    /// One for each row.
    pub origins: Vec<Origin>,
    pub read: u64,
    pub rejected: u64,
    /// The bytes of the file that have been read.
    pub bytes: u64,
}

/// The line of a row, and its text.
pub(super) struct Origin {
    pub line: u64,
    pub text: Vec<u8>,
}

/// The results that are known after the whole file was read.
pub(super) struct Finished {
    pub kept_out: KeptOut,
    pub unknown_hashes: UnknownHashes,
    pub unknown_columns: Vec<String>,
}

pub(super) struct Parser {
    source: Source,
    rejects: Arc<Mutex<Rejects>>,
    seen: Seen,
    kept_out: KeptOut,
    unknown_hashes: UnknownHashes,
    batch: usize,
    today: Date,
    clean: Vec<Clean>,
    faulty: Vec<Faulty>,
    /// The bytes of the texts in both.
    held: usize,
    read: u64,
    rejected: u64,
}

/// A row that passed its own checks.
struct Clean {
    row: ImportRow,
    /// Needed if the row is rejected later.
    origin: Origin,
}

/// A row that is rejected.
struct Faulty {
    reason: Reason,
    origin: Origin,
}

/// The most bytes of text in a batch, in addition to the limit on its rows: lines may be long.
const HELD_BYTES: usize = 64 * 1024 * 1024;

impl Parser {
    pub(super) fn new(
        source: Source,
        rejects: Arc<Mutex<Rejects>>,
        batch: usize,
        clock: &Clock,
    ) -> Result<Parser, ImportError> {
        Ok(Parser {
            source,
            rejects,
            seen: Seen::new()?,
            kept_out: KeptOut::default(),
            unknown_hashes: UnknownHashes::default(),
            batch,
            today: clock.now().to_zoned(TimeZone::UTC).date(),
            clean: Vec::with_capacity(batch),
            faulty: Vec::new(),
            held: 0,
            read: 0,
            rejected: 0,
        })
    }

    /// Reads to the end, or until the receiver is dropped.
    pub(super) fn run(mut self, out: &Sender<Parsed>) -> Result<Finished, ImportError> {
        let ended = loop {
            match self.source.next() {
                Ok(Some(record)) => self.judge(record),
                Ok(None) => break Ok(()),
                // Rows before a damaged end are valid, and are written first.
                Err(error) => break Err(error),
            }
            if self.is_full() && !self.send(out)? {
                break Ok(());
            }
        };
        self.send(out)?;
        ended?;
        Ok(Finished {
            kept_out: self.kept_out,
            unknown_hashes: self.unknown_hashes,
            unknown_columns: self.source.unknown_columns(),
        })
    }

    fn is_full(&self) -> bool {
        self.clean.len() + self.faulty.len() >= self.batch || self.held >= HELD_BYTES
    }

    fn judge(&mut self, record: Record) {
        let Record { line, text, row } = record;
        self.read += 1;
        self.held += text.len();
        let cleaned = row.and_then(|raw| {
            let (kept_out, unknown) = (&mut self.kept_out, &mut self.unknown_hashes);
            clean(raw, self.today, &mut |left_out| match left_out {
                LeftOut::Value(reason) => kept_out.note(reason, line),
                LeftOut::UnknownHash(form) => unknown.note(form),
            })
        });
        let origin = Origin { line, text };
        match cleaned {
            Ok(row) => self.clean.push(Clean { row, origin }),
            Err(reason) => self.faulty.push(Faulty { reason, origin }),
        }
    }

    /// Sends the batch. Returns false if the receiver was dropped. The rows are in the order of the address index, so
    /// that neighbours are written together; duplicates were removed before.
    fn send(&mut self, out: &Sender<Parsed>) -> Result<bool, ImportError> {
        let mut clean = self.without_duplicates()?;
        clean.sort_unstable_by(|a, b| a.row.email.key().cmp(b.row.email.key()));
        self.faulty
            .sort_unstable_by_key(|faulty| faulty.origin.line);
        self.rejected += self.faulty.len() as u64;
        if !self.faulty.is_empty() {
            let mut rejects = self.rejects.lock().map_err(|_| ImportError::Panicked)?;
            for Faulty { reason, origin } in self.faulty.drain(..) {
                rejects.write(origin.line, &reason, &origin.text)?;
            }
        }
        let (rows, origins) = clean.into_iter().map(|c| (c.row, c.origin)).unzip();
        self.held = 0;
        let parsed = Parsed {
            rows,
            origins,
            read: self.read,
            rejected: self.rejected,
            bytes: self.source.passed(),
        };
        Ok(out.blocking_send(parsed).is_ok())
    }

    /// Returns the clean rows without those whose address occurred earlier in the file.
    fn without_duplicates(&mut self) -> Result<Vec<Clean>, ImportError> {
        let clean = std::mem::replace(&mut self.clean, Vec::with_capacity(self.batch));
        let addresses: Vec<_> = clean
            .iter()
            .map(|c| (&c.row.email, c.origin.line))
            .collect();
        let before = self.seen.note(&addresses)?;
        let mut rows = Vec::with_capacity(clean.len());
        for (clean, before) in clean.into_iter().zip(before) {
            match before {
                None => rows.push(clean),
                Some(before) => self.faulty.push(Faulty {
                    reason: twice(before),
                    origin: clean.origin,
                }),
            }
        }
        Ok(rows)
    }
}

fn twice(before: Before) -> Reason {
    let line = before.line;
    let text = match before.is_same {
        true => format!("the address of line {line} again"),
        false => format!("the address of line {line} again, in other upper and lower case"),
    };
    Reason::new(RejectCode::DuplicateEmail, text)
}
