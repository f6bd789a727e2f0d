//! Stores the email addresses and ids that were read so far in a private temporary database. A set in memory would grow
//! with the file.

use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use crate::domain::email::Email;

pub(super) struct SeenValues(Connection);

/// A value that must be unique in a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum UniqueValue<'a> {
    Email(&'a Email),
    LegacyId(&'a str),
}

/// An earlier occurrence of a unique value in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EarlierRow {
    pub line: u64,
    /// Whether the earlier row spells the email address in the same way, also in upper and lower case.
    pub is_same: bool,
}

impl SeenValues {
    pub(super) fn new() -> rusqlite::Result<SeenValues> {
        // An empty file name makes SQLite use a temporary file that is already unlinked.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
             PRAGMA locking_mode = EXCLUSIVE;
             CREATE TABLE seen (key INTEGER PRIMARY KEY, written INTEGER NOT NULL, line INTEGER NOT NULL);
             BEGIN",
        )?;
        Ok(SeenValues(connection))
    }

    /// Adds values with their lines, and returns for each value its earlier occurrence, also in the same batch. The
    /// lookup key is a 64-bit hash. Among ten million rows one import in 100,000 has a collision, a false duplicate.
    /// The insertions follow the order of the index, because in random order each insertion would load another page.
    pub(super) fn insert_batch(
        &mut self,
        batch: &[(UniqueValue<'_>, u64)],
    ) -> rusqlite::Result<Vec<Option<EarlierRow>>> {
        let mut sorted: Vec<_> = batch
            .iter()
            .enumerate()
            .map(|(at, (value, line))| {
                let line = i64::try_from(*line).unwrap_or(i64::MAX);
                let (key, written) = match value {
                    UniqueValue::Email(email) => {
                        (key_of("email", email.key()), key_of("", email.as_entered()))
                    }
                    UniqueValue::LegacyId(id) => (key_of("legacy_id", id), 0),
                };
                (key, line, written, at)
            })
            .collect();
        sorted.sort_unstable();
        let mut insert = self.0.prepare_cached(
            "INSERT INTO seen (key, written, line) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?;
        let mut find = self
            .0
            .prepare_cached("SELECT line, written FROM seen WHERE key = ?1")?;
        let mut before = vec![None; batch.len()];
        for (key, line, written, at) in sorted {
            if insert.execute((key, written, line))? == 1 {
                continue;
            }
            let found: Option<(i64, i64)> = find
                .query_row((key,), |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            before[at] = found.map(|(line, first)| EarlierRow {
                line: line.unsigned_abs(),
                is_same: first == written,
            });
        }
        Ok(before)
    }
}

fn key_of(kind: &str, text: &str) -> i64 {
    let hash = Sha256::new()
        .chain_update(kind)
        .chain_update([0])
        .chain_update(text)
        .finalize();
    i64::from_be_bytes(hash[..8].try_into().expect("eight of 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_from_its_first_line_on() {
        let mut seen = SeenValues::new().unwrap();
        let mut note = |batch: &[(&str, u64)]| -> Vec<_> {
            let emails = batch.iter().map(|(text, _)| Email::parse(text).unwrap());
            let emails: Vec<_> = emails.collect();
            let lines = batch.iter().map(|(_, line)| *line);
            let batch: Vec<_> = emails.iter().map(UniqueValue::Email).zip(lines).collect();
            let before = seen.insert_batch(&batch).unwrap();
            before
                .iter()
                .map(|b| b.map(|b| (b.line, b.is_same)))
                .collect()
        };
        // The line, not the order in the batch, decides which of two equal email addresses came first.
        let batch = [("a@b.cd", 3), ("A@b.cd", 1), ("x@b.cd", 2)];
        assert_eq!(note(&batch), [Some((1, false)), None, None]);
        let batch = [("A@b.cd", 4), ("a@b.cd", 5), ("y@b.cd", 6)];
        assert_eq!(note(&batch), [Some((1, true)), Some((1, false)), None]);
    }
}
