//! The format of the imported file: its delimiter, its encoding, and alternative names of its columns.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use encoding_rs::Encoding;

use super::column::Column;
use crate::named_enum::named_enum;

/// The format of the imported file. Unset options are derived from the file's name and its beginning.
#[derive(Debug, Clone, Default)]
pub struct InputFormat {
    pub rows: Option<RowFormat>,
    /// The delimiter between the values of a CSV file, which is a comma by default.
    pub delimiter: Option<Delimiter>,
    /// The encoding of the file. By default a byte order mark decides between UTF-16 and UTF-8.
    pub encoding: Option<&'static Encoding>,
    pub names: ColumnNames,
}

named_enum! {
    /// How a row is written, by the ending of the file's name.
    pub enum RowFormat {
        Csv = "csv";
        JsonLines = "jsonl";
    }
}

impl FromStr for RowFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<RowFormat, &'static str> {
        RowFormat::from_name(text).ok_or("must be csv or jsonl")
    }
}

/// An ASCII character that separates the values of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(char);

impl Delimiter {
    pub const COMMA: Delimiter = Delimiter(',');
    /// The common delimiters with their names on the command line.
    pub const COMMON: [(Delimiter, &str); 4] = [
        (Delimiter::COMMA, "comma"),
        (Delimiter(';'), "semicolon"),
        (Delimiter('\t'), "tab"),
        (Delimiter('|'), "pipe"),
    ];

    pub fn character(self) -> char {
        self.0
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Delimiter, String> {
        if let Some((found, _)) = Delimiter::COMMON.iter().find(|(_, name)| *name == text) {
            return Ok(*found);
        }
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some('\\'), Some('t')) if text.len() == 2 => Ok(Delimiter('\t')),
            (Some(one), None) if is_separator(one) => Ok(Delimiter(one)),
            _ => Err("must be comma, semicolon, tab, pipe, or one other ASCII character".into()),
        }
    }
}

fn is_separator(character: char) -> bool {
    character == '\t' || (character.is_ascii_punctuation() && character != '"')
}

/// Returns the encoding with this label of the web (encoding.spec.whatwg.org). Latin-1 is read as Windows-1252, which
/// differs from it only in control characters.
pub fn parse_encoding(label: &str) -> Result<&'static Encoding, &'static str> {
    let found = Encoding::for_label_no_replacement(label.as_bytes());
    found.ok_or(
        "must be an encoding of the web, for instance utf-8, utf-16le, windows-1252 or latin1",
    )
}

/// The columns of the import by the names that the file uses for them.
#[derive(Debug, Clone, Default)]
pub struct ColumnNames(BTreeMap<String, Column>);

impl ColumnNames {
    /// Parses pairs `FROM=TO` of the option `--map`.
    pub fn parse(pairs: &[String]) -> Result<ColumnNames, String> {
        let mut names = BTreeMap::new();
        for pair in pairs {
            let (from, to) = pair
                .split_once('=')
                .ok_or_else(|| format!("--map {pair}: must look like their_name=our_name"))?;
            let column = Column::from_name(to.trim()).ok_or_else(|| {
                let known: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
                format!("--map {pair}: {to} is none of {}", known.join(", "))
            })?;
            names.insert(normalise_name(from), column);
        }
        Ok(ColumnNames(names))
    }

    /// Returns the column with this name, which `--map` or `Column` defines.
    pub fn column(&self, name: &str) -> Option<Column> {
        match self.0.is_empty() {
            true => Column::from_name(name),
            false => {
                let mapped = self.0.get(&normalise_name(name)).copied();
                mapped.or_else(|| Column::from_name(name))
            }
        }
    }
}

/// Column names in the file that the import does not know, without control characters.
#[derive(Debug, Clone, Default)]
pub(super) struct UnknownNames(BTreeSet<String>);

impl UnknownNames {
    /// The maximum number of names that are kept, so that a file cannot fill the memory.
    const MAX_NAMES: usize = 100;

    pub(super) fn add(&mut self, name: &str) {
        if self.0.len() < Self::MAX_NAMES && !self.0.contains(name) {
            self.0.insert(printable_name(name));
        }
    }

    /// Returns the names of the unknown columns in alphabetical order.
    pub(super) fn into_names(self) -> Vec<String> {
        self.0.into_iter().collect()
    }
}

/// Returns the beginning of a column name without control characters.
pub(super) fn printable_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}

fn normalise_name(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_people_write_them() {
        for (text, character) in [("tab", '\t'), ("\\t", '\t'), (";", ';'), ("pipe", '|')] {
            assert_eq!(text.parse::<Delimiter>().unwrap().character(), character);
        }
        for wrong in ["", "\"", "ab", "a", "\n", "ß"] {
            assert!(wrong.parse::<Delimiter>().is_err(), "{wrong:?}");
        }
        for label in [
            "UTF-8", "utf-16be", "cp1252", "latin1", "windows-1250", "koi8-r", "big5",
        ] {
            assert!(parse_encoding(label).is_ok(), "{label}");
        }
        assert!(parse_encoding("ebcdic").is_err());
    }

    #[test]
    fn a_mapped_name_wins_and_unknown_targets_are_named() {
        let names = ColumnNames::parse(&["E-Mail=email".into(), "ort=zipcode".into()]).unwrap();
        assert_eq!(names.column("e-mail"), Some(Column::Email));
        assert_eq!(names.column("email"), Some(Column::Email));
        assert_eq!(names.column("karma"), None);
        let wrong = ColumnNames::parse(&["a=mail".into()]).unwrap_err();
        assert!(wrong.contains("mail is none of email, username"), "{wrong}");
        assert!(ColumnNames::parse(&["a".into()]).is_err());
    }
}
