//! The addresses of this file so far. On disk, in a private temporary database that goes with the
//! process: a set in memory would grow with the file.

use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use crate::domain::email::Email;

pub struct Seen(Connection);

/// Where an address stood before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    pub line: u64,
    /// In the very same letters; else it differs in upper and lower case.
    pub is_same: bool,
}

impl Seen {
    pub fn new() -> rusqlite::Result<Seen> {
        // An empty name is a temporary file that SQLite has already unlinked.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
             PRAGMA locking_mode = EXCLUSIVE;
             CREATE TABLE seen (key INTEGER PRIMARY KEY, written INTEGER NOT NULL, line INTEGER NOT NULL);
             BEGIN",
        )?;
        Ok(Seen(connection))
    }

    /// Notes an address, or says where it stood before. Addresses go by 64 bits of their hash: that
    /// two of ten million meet by chance happens once in 400,000 imports, and is reported.
    pub fn note(&mut self, email: &Email, line: u64) -> rusqlite::Result<Option<Before>> {
        let (key, written) = (digest(email.key()), digest(email.written()));
        let line = i64::try_from(line).unwrap_or(i64::MAX);
        let mut insert = self.0.prepare_cached(
            "INSERT INTO seen (key, written, line) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?;
        if insert.execute((key, written, line))? == 1 {
            return Ok(None);
        }
        let mut find = self
            .0
            .prepare_cached("SELECT line, written FROM seen WHERE key = ?1")?;
        let found: Option<(i64, i64)> = find
            .query_row((key,), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(found.map(|(line, before)| Before {
            line: line.unsigned_abs(),
            is_same: before == written,
        }))
    }
}

fn digest(text: &str) -> i64 {
    let hash = Sha256::digest(text);
    i64::from_be_bytes(hash[..8].try_into().expect("eight of 32 bytes"))
}
