//! The reader thread, which parses the file into batches of clean rows and writes rejected rows to the rejects file.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use super::clean::{Warning, clean_row};
use super::csv::Record;
use super::rejects::{RejectCode, RejectReason};
use super::rejects_file::RejectsFile;
use super::seen::{EarlierRow, SeenValues, UniqueValue};
use super::source::Source;
use super::{ImportError, ImportReport};
use crate::clock::Clock;
use crate::store::legacy_import::ImportRow;

/// A batch of rows to write, with the counts of all rows up to the last row of the batch.
pub(super) struct ParsedBatch {
    pub rows: Vec<AcceptedRow>,
    pub read: u64,
    pub rejected: u64,
}

/// The line number and the text of a row in the imported file.
pub(super) struct RowOrigin {
    pub line: u64,
    pub text: Vec<u8>,
}

pub(super) struct Parser {
    source: Source,
    rejects: Arc<Mutex<RejectsFile>>,
    seen: SeenValues,
    report: ImportReport,
    batch: usize,
    now: Timestamp,
    accepted: Vec<AcceptedRow>,
    rejected_rows: Vec<RejectedRow>,
    /// The number of text bytes in the accepted and rejected rows of the batch.
    batch_bytes: usize,
    read: u64,
    rejected: u64,
}

/// A row that passed the checks that need no other row.
pub(super) struct AcceptedRow {
    pub row: ImportRow,
    /// The origin of the row in the file, in case the row is rejected later.
    pub origin: RowOrigin,
}

struct RejectedRow {
    reason: RejectReason,
    origin: RowOrigin,
}

/// The maximum number of text bytes in a batch. Lines may be long, so a limit on the number of rows is not enough.
const MAX_BATCH_BYTES: usize = 64 * 1024 * 1024;

impl Parser {
    pub(super) fn new(
        source: Source,
        rejects: Arc<Mutex<RejectsFile>>,
        batch: usize,
        clock: &Clock,
    ) -> Result<Parser, ImportError> {
        Ok(Parser {
            source,
            rejects,
            seen: SeenValues::new()?,
            report: ImportReport::default(),
            batch,
            now: clock.now(),
            accepted: Vec::with_capacity(batch),
            rejected_rows: Vec::new(),
            batch_bytes: 0,
            read: 0,
            rejected: 0,
        })
    }

    /// Reads to the end of the file, or until the receiver is dropped. Returns the report, in which the counts and the
    /// name of the rejects file are missing.
    pub(super) fn run(mut self, out: &Sender<ParsedBatch>) -> Result<ImportReport, ImportError> {
        let end_of_input = loop {
            match self.source.next() {
                Ok(Some(record)) => self.process_record(record),
                Ok(None) => break Ok(()),
                // The rows before a damaged end of the file are valid, so they are written first.
                Err(error) => break Err(error),
            }
            if self.is_batch_full() && !self.send_batch(out)? {
                break Ok(());
            }
        };
        self.send_batch(out)?;
        end_of_input?;
        self.report.unknown_columns = self.source.unknown_columns();
        Ok(self.report)
    }

    fn is_batch_full(&self) -> bool {
        self.accepted.len() + self.rejected_rows.len() >= self.batch
            || self.batch_bytes >= MAX_BATCH_BYTES
    }

    fn process_record(&mut self, record: Record) {
        let Record { line, text, row } = record;
        self.read += 1;
        self.batch_bytes += text.len();
        let cleaned = row.and_then(|raw| {
            clean_row(raw, self.now, &mut |warning| match warning {
                Warning::Omitted(reason) => self.report.omitted_values.count(reason, line),
                Warning::Kept(reason) => self.report.kept_values.count(reason, line),
                Warning::UnknownHash(form) => self.report.unknown_hashes.count(form),
            })
        });
        let origin = RowOrigin { line, text };
        match cleaned {
            Ok(row) => self.accepted.push(AcceptedRow { row, origin }),
            Err(reason) => self.rejected_rows.push(RejectedRow { reason, origin }),
        }
    }

    /// Sends the batch without duplicate rows to the writer. Returns false if the receiver was dropped. The rows are
    /// sorted like the index of email addresses, so that neighbouring index entries are written together.
    fn send_batch(&mut self, out: &Sender<ParsedBatch>) -> Result<bool, ImportError> {
        let mut rows = self.take_accepted()?;
        rows.sort_unstable_by(|a, b| a.row.email.key().cmp(b.row.email.key()));
        self.rejected_rows
            .sort_unstable_by_key(|faulty| faulty.origin.line);
        self.rejected += self.rejected_rows.len() as u64;
        if !self.rejected_rows.is_empty() {
            let mut rejects = self.rejects.lock().map_err(|_| ImportError::Panicked)?;
            for RejectedRow { reason, origin } in self.rejected_rows.drain(..) {
                rejects.write(origin.line, &reason, &origin.text)?;
            }
        }
        self.batch_bytes = 0;
        let parsed = ParsedBatch {
            rows,
            read: self.read,
            rejected: self.rejected,
        };
        Ok(out.blocking_send(parsed).is_ok())
    }

    /// Returns the clean rows, except those whose email address or id occurred earlier in the file.
    fn take_accepted(&mut self) -> Result<Vec<AcceptedRow>, ImportError> {
        let rows = std::mem::replace(&mut self.accepted, Vec::with_capacity(self.batch));
        let rows = self.reject_repeated(
            rows,
            |row| Some(UniqueValue::Email(&row.email)),
            duplicate_email,
        )?;
        self.reject_repeated(
            rows,
            |row| row.legacy_id.as_deref().map(UniqueValue::LegacyId),
            duplicate_id,
        )
    }

    /// Rejects the rows whose unique value occurred earlier in the file, and returns the remaining rows.
    fn reject_repeated(
        &mut self,
        rows: Vec<AcceptedRow>,
        value: impl Fn(&ImportRow) -> Option<UniqueValue<'_>>,
        reason: impl Fn(EarlierRow) -> RejectReason,
    ) -> Result<Vec<AcceptedRow>, ImportError> {
        let (places, values): (Vec<_>, Vec<_>) = rows
            .iter()
            .enumerate()
            .filter_map(|(at, clean)| Some((at, (value(&clean.row)?, clean.origin.line))))
            .unzip();
        let mut before = vec![None; rows.len()];
        for (at, found) in places.into_iter().zip(self.seen.insert_batch(&values)?) {
            before[at] = found;
        }
        let mut unique_rows = Vec::with_capacity(rows.len());
        for (clean, before) in rows.into_iter().zip(before) {
            match before {
                None => unique_rows.push(clean),
                Some(before) => self.rejected_rows.push(RejectedRow {
                    reason: reason(before),
                    origin: clean.origin,
                }),
            }
        }
        Ok(unique_rows)
    }
}

fn duplicate_email(before: EarlierRow) -> RejectReason {
    let line = before.line;
    let text = match before.is_same {
        true => format!("the address of line {line} again"),
        false => format!("the address of line {line} again, in other upper and lower case"),
    };
    RejectReason::new(RejectCode::DuplicateEmail, text)
}

fn duplicate_id(before: EarlierRow) -> RejectReason {
    let text = format!("the legacy_id of line {} again", before.line);
    RejectReason::new(RejectCode::LegacyIdConflict, text)
}
