//! The reading thread: from the file to batches of clean rows, with rejects put aside.

use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use tokio::sync::mpsc::Sender;

use super::ImportError;
use super::clean::clean;
use super::counts::KeptOut;
use super::csv::Record;
use super::rejects::Rejects;
use super::seen::{Before, Seen};
use super::source::Source;
use crate::clock::Clock;
use crate::store::legacy_import::Row;

/// Rows to be written, and the counts up to them.
pub struct Parsed {
    pub rows: Vec<Row>,
    pub read: u64,
    pub rejected: u64,
    /// Bytes of the file that have been read.
    pub bytes: u64,
}

/// What is known once the whole file was read.
pub struct Finished {
    pub kept_out: KeptOut,
    pub unknown_columns: Vec<String>,
}

pub struct Parser {
    source: Source,
    rejects: Rejects,
    seen: Seen,
    kept_out: KeptOut,
    batch: usize,
    today: Date,
    read: u64,
    rejected: u64,
}

impl Parser {
    pub fn new(
        source: Source,
        rejects: &Path,
        batch: usize,
        clock: &Clock,
    ) -> Result<Parser, ImportError> {
        Ok(Parser {
            source,
            rejects: Rejects::new(rejects)?,
            seen: Seen::new()?,
            kept_out: KeptOut::default(),
            batch,
            today: clock.now().to_zoned(TimeZone::UTC).date(),
            read: 0,
            rejected: 0,
        })
    }

    /// Reads to the end, or until nobody takes the batches any more.
    pub fn run(mut self, out: &Sender<Parsed>) -> Result<Finished, ImportError> {
        let mut rows = Vec::with_capacity(self.batch);
        let ended = loop {
            match self.source.next() {
                Ok(Some(record)) => rows.extend(self.judge(record)?),
                Ok(None) => break Ok(()),
                // What was read before a damaged end is good: it is written first.
                Err(error) => break Err(error),
            }
            if rows.len() >= self.batch {
                let full = std::mem::replace(&mut rows, Vec::with_capacity(self.batch));
                if !self.send(out, full) {
                    break Ok(());
                }
            }
        };
        self.send(out, rows);
        self.rejects.finish()?;
        ended?;
        Ok(Finished {
            kept_out: self.kept_out,
            unknown_columns: self.source.unknown_columns(),
        })
    }

    /// False when the writer has given up. In the order of the address index, so that neighbours are
    /// written together; which row of a file comes first decides nothing any more.
    fn send(&self, out: &Sender<Parsed>, mut rows: Vec<Row>) -> bool {
        rows.sort_unstable_by(|a, b| a.email.key().cmp(b.email.key()));
        let parsed = Parsed {
            rows,
            read: self.read,
            rejected: self.rejected,
            bytes: self.source.passed(),
        };
        out.blocking_send(parsed).is_ok()
    }

    fn judge(&mut self, record: Record) -> Result<Option<Row>, ImportError> {
        self.read += 1;
        let line = record.line;
        let cleaned = record.row.and_then(|raw| {
            let kept_out = &mut self.kept_out;
            clean(raw, self.today, &mut |reason| kept_out.note(reason, line))
        });
        let reason = match cleaned {
            Ok(row) => match self.seen.note(&row.email, line)? {
                None => return Ok(Some(row)),
                Some(before) => twice(before),
            },
            Err(reason) => reason,
        };
        self.rejected += 1;
        let shown = self.source.shown(&record.text);
        self.rejects.write(line, &reason, shown)?;
        Ok(None)
    }
}

fn twice(before: Before) -> String {
    let line = before.line;
    match before.is_same {
        true => format!("the address of line {line} again"),
        false => format!("the address of line {line} again, in other upper and lower case"),
    }
}
