//! The statistics of an import.

use std::collections::BTreeMap;

use serde::Serialize;

/// The number of rows by result. `read` is the sum of all results. `without_hash` counts those rows of `new`,
/// `unchanged` and `updated` that have no usable password hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    pub read: u64,
    pub new: u64,
    pub unchanged: u64,
    pub updated: u64,
    pub rejected: u64,
    /// The number of ignored rows, whose email address already belongs to an account of this site.
    pub already_migrated: u64,
    pub without_hash: u64,
}

impl RowCounts {
    pub fn add(&mut self, other: &RowCounts) {
        self.read += other.read;
        self.new += other.new;
        self.unchanged += other.unchanged;
        self.updated += other.updated;
        self.rejected += other.rejected;
        self.already_migrated += other.already_migrated;
        self.without_hash += other.without_hash;
    }
}

/// The unusual values by reason, with their number and the earliest line that contains such a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueCounts(BTreeMap<&'static str, (u64, u64)>);

/// The number of password hashes of each unknown format, by the name of the format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct UnknownHashes(BTreeMap<String, u64>);

impl UnknownHashes {
    /// The maximum number of formats that are counted by name, so that a file cannot fill the memory.
    const MAX_FORMATS: usize = 50;
    const OTHER_FORMATS: &str = "others";

    pub fn count(&mut self, form: String) {
        let is_room = self.0.len() < Self::MAX_FORMATS || self.0.contains_key(&form);
        let form = if is_room {
            form
        } else {
            Self::OTHER_FORMATS.to_owned()
        };
        *self.0.entry(form).or_default() += 1;
    }

    /// Returns the name of each format with its number of hashes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(form, times)| (form.as_str(), *times))
    }
}

impl ValueCounts {
    pub fn count(&mut self, reason: &'static str, line: u64) {
        let (times, _) = self.0.entry(reason).or_insert((0, line));
        *times += 1;
    }

    /// Returns the reason, the number of values and the earliest line of each kind.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        self.0
            .iter()
            .map(|(reason, (times, line))| (*reason, *times, *line))
    }
}
