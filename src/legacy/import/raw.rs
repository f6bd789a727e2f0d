//! A row as in the imported file, with an unchecked text for each column.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue as RawJson;

use super::column::Column;
use super::format::{ColumnNames, UnknownNames};
use super::rejects::RejectReason;

/// The text that means NULL in the text files of MySQL and PostgreSQL.
const NULL_MARKER: &str = "\\N";

/// One unchecked value of a row. Numbers and booleans are converted to text, because CSV has only text, and exports
/// differ in their quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawValue {
    Text(String),
    /// The value is a list, an object or no Unicode text, or its column occurs twice.
    Unreadable,
}

impl RawValue {
    /// Returns the value of a text, or `None` if the text means a missing value.
    fn from_text(text: &str) -> Option<RawValue> {
        // Databases pad binary values of a fixed length with NUL.
        let text = without_zero_fraction(text.trim_end_matches('\0'));
        let is_absent = text.is_empty() || text == NULL_MARKER;
        (!is_absent).then(|| RawValue::Text(text.to_owned()))
    }

    /// Returns the value of a JSON text. Numbers keep their digits, because floats would make long ids equal.
    fn from_json(json: &str) -> Option<RawValue> {
        match json.as_bytes() {
            [b'n', ..] => None,
            [b'[' | b'{', ..] => Some(RawValue::Unreadable),
            [b'"', ..] => match parse_json_text(json) {
                Some(text) => RawValue::from_text(&text),
                None => Some(RawValue::Unreadable),
            },
            _ => RawValue::from_text(json),
        }
    }
}

/// A JSON string. If the string has no escapes, its text is borrowed.
#[derive(serde::Deserialize)]
struct JsonText<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the text of a JSON string, or `None` if an escape such as `\ud83d` is half a character.
fn parse_json_text(json: &str) -> Option<Cow<'_, str>> {
    Some(serde_json::from_str::<JsonText<'_>>(json).ok()?.0)
}

/// Removes the fraction `.0`, because some programs write integers as floats if a column has missing values.
fn without_zero_fraction(text: &str) -> &str {
    let is_integer = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    match text.trim().split_once('.') {
        Some((integer, fraction))
            if is_integer(integer)
                && !fraction.is_empty()
                && fraction.bytes().all(|digit| digit == b'0') =>
        {
            integer
        }
        _ => text,
    }
}

/// The values of one row, in the order of [`Column::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawRow {
    values: [Option<RawValue>; Column::ALL.len()],
    /// Whether cells are missing at the end of the row.
    pub is_short: bool,
}

impl RawRow {
    pub(super) fn take(&mut self, column: Column) -> Option<RawValue> {
        self.values[column as usize].take()
    }

    pub(super) fn set(&mut self, column: Column, text: &str) {
        self.values[column as usize] = RawValue::from_text(text);
    }

    /// Parses a row from a JSON object. Adds the keys that are no column names to `unknown`.
    pub(super) fn from_json(
        line: &[u8],
        names: &ColumnNames,
        unknown: &mut UnknownNames,
    ) -> Result<RawRow, RejectReason> {
        let mut reader = serde_json::Deserializer::from_slice(line);
        let row = reader.deserialize_map(RowVisitor { names, unknown });
        let row = row.and_then(|row| reader.end().map(|()| row));
        row.map_err(|error: serde_json::Error| {
            let reason = error.to_string();
            // The words "line 1" in the error message do not mean the line of the file.
            let reason = reason.split(" at line ").next().unwrap_or_default();
            RejectReason::not_readable(match error.column() {
                0 => format!("no JSON object of a row: {reason}"),
                column => format!("no JSON object of a row: {reason}, at column {column}"),
            })
        })
    }
}

struct RowVisitor<'a> {
    names: &'a ColumnNames,
    unknown: &'a mut UnknownNames,
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = RawRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawRow, A::Error> {
        let RowVisitor { names, unknown } = self;
        let mut raw = RawRow::default();
        let mut seen = [false; Column::ALL.len()];
        while let Some(key) = map.next_key::<&RawJson>()? {
            let key = parse_json_text(key.get()).unwrap_or(Cow::Borrowed(key.get()));
            let Some(column) = names.column(&key) else {
                unknown.add(&key);
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = RawValue::from_json(map.next_value::<&RawJson>()?.get());
            let is_repeated = std::mem::replace(&mut seen[column as usize], true);
            raw.values[column as usize] = match is_repeated {
                true => Some(RawValue::Unreadable),
                false => value,
            };
        }
        Ok(raw)
    }
}
