//! A row as in the file: unchecked texts by column.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::column::Column;
use super::format::ColumnNames;
use super::rejects::RejectReason;

/// One value. Numbers and booleans are converted to text, because CSV has only text, and exports differ in their
/// quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawValue {
    Text(String),
    /// A list or an object instead of a single value.
    Nested,
}

/// The values of one row, in the order of [`Column::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawRow([Option<RawValue>; Column::COUNT]);

impl RawRow {
    pub(super) fn take(&mut self, column: Column) -> Option<RawValue> {
        self.0[column as usize].take()
    }

    /// Empty texts count as absent.
    pub(super) fn set(&mut self, column: Column, text: &str) {
        if !text.is_empty() {
            self.0[column as usize] = Some(RawValue::Text(text.to_owned()));
        }
    }

    pub(super) fn from_json(line: &[u8], names: &ColumnNames) -> Result<RawRow, RejectReason> {
        let mut reader = serde_json::Deserializer::from_slice(line);
        let row = reader.deserialize_map(RowVisitor(names));
        let row = row.and_then(|row| reader.end().map(|()| row));
        row.map_err(|error: serde_json::Error| {
            let reason = error.to_string();
            // "line 1" in the message is not the line of the file.
            let reason = reason.split(" at line ").next().unwrap_or_default();
            RejectReason::not_readable(match error.column() {
                0 => format!("no JSON object of a row: {reason}"),
                column => format!("no JSON object of a row: {reason}, at column {column}"),
            })
        })
    }
}

struct RowVisitor<'a>(&'a ColumnNames);

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = RawRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawRow, A::Error> {
        let mut raw = RawRow::default();
        let mut seen = [false; Column::COUNT];
        while let Some(column) = map.next_key_seed(ColumnKey(self.0))? {
            let Some(column) = column else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if std::mem::replace(&mut seen[column as usize], true) {
                let name = column.name();
                return Err(serde::de::Error::custom(format!("{name} occurs twice")));
            }
            let Cell(value) = map.next_value()?;
            raw.0[column as usize] = value;
        }
        Ok(raw)
    }
}

/// A key: a known column, or any other.
struct ColumnKey<'a>(&'a ColumnNames);

impl<'de> DeserializeSeed<'de> for ColumnKey<'_> {
    type Value = Option<Column>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for ColumnKey<'_> {
    type Value = Option<Column>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.column(name))
    }
}

struct Cell(Option<RawValue>);

impl Cell {
    fn text(text: String) -> Cell {
        Cell((!text.is_empty()).then_some(RawValue::Text(text)))
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_str<E>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::text(text.to_owned()))
    }
    fn visit_string<E>(self, text: String) -> Result<Cell, E> {
        Ok(Cell::text(text))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Cell, E> {
        Ok(Cell::text(number.to_string()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Cell, E> {
        Ok(Cell::text(number.to_string()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Cell, E> {
        Ok(Cell::text(number.to_string()))
    }
    fn visit_bool<E>(self, truth: bool) -> Result<Cell, E> {
        Ok(Cell::text(truth.to_string()))
    }
    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell(None))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell(Some(RawValue::Nested)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell(Some(RawValue::Nested)))
    }
}
