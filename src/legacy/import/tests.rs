//! Tests that the reader neither panics on a row nor skips one.

use std::io::Write;

use indicatif::ProgressBar;
use proptest::prelude::*;

use super::clean::clean_row;
use super::column::Column;
use super::csv::CsvReader;
use super::format::{ColumnNames, Delimiter, InputFormat, UnknownNames};
use super::lines::LineReader;
use super::raw::RawRow;
use super::rejects::RejectReason;
use super::source::Source;

fn is_accepted(raw: RawRow) -> bool {
    let now = "2026-11-21T00:00:00Z".parse().unwrap();
    clean_row(raw, now, &mut |_| {}).is_ok()
}

fn parse_json_row(line: &[u8]) -> Result<RawRow, RejectReason> {
    RawRow::from_json(line, &ColumnNames::default(), &mut UnknownNames::default())
}

/// Generates JSON values of every kind, in which known columns are among the keys.
fn any_json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "\\PC*".prop_map(Into::into),
        "[\\x00-\\x7f]{0,20}".prop_map(Into::into),
        "[a-z]{1,8}@[a-z]{1,8}\\.org".prop_map(Into::into),
        "[:$][A-Za-z0-9:$=,./]{0,60}".prop_map(Into::into),
    ];
    let names = prop::sample::select(Column::ALL).prop_map(|column| column.as_str().to_owned());
    leaf.prop_recursive(3, 24, 8, move |inner| {
        let keys = prop_oneof![names.clone(), "\\PC{0,6}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((keys, inner), 0..14)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Returns the line numbers of all records in a file.
fn record_lines(name: &str, bytes: &[u8]) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(bytes).unwrap();
    let bar = ProgressBar::hidden();
    let mut source = Source::open(&path, &InputFormat::default(), &bar).unwrap();
    let mut lines = Vec::new();
    while let Some(record) = source.next().unwrap() {
        source.reject_format().row_as_json(&record.text);
        lines.push(record.line);
        let _ = record.row.map(is_accepted);
    }
    lines
}

proptest! {
    #[test]
    fn any_json_is_a_row_or_a_reason(value in any_json_value()) {
        let _ = parse_json_row(value.to_string().as_bytes()).map(is_accepted);
    }

    #[test]
    fn any_bytes_are_rows_or_reasons(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        // Carriage returns would change the number of lines. UTF-16 and gzip files have tests of their own.
        let bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != b'\r').collect();
        let other_formats = [[0xff, 0xfe], [0xfe, 0xff], [0x1f, 0x8b]];
        prop_assume!(!other_formats.iter().any(|start| bytes.starts_with(start)));
        let lines = record_lines("old.jsonl", &bytes);
        let blank = |line: &[u8]| line.trim_ascii().is_empty();
        let expected = bytes.split(|b| *b == b'\n').filter(|line| !blank(line)).count();
        // A line with only a byte order mark is blank, but not empty.
        prop_assert!(lines.len() == expected || bytes.starts_with(b"\xef\xbb\xbf"));
        prop_assert!(lines.is_sorted());
    }

    #[test]
    fn any_csv_is_rows_or_reasons(text in "[a,\"\n @.\\x00é]{0,300}") {
        let file = format!("email,first_name\n{text}");
        let lines = record_lines("old.csv", file.as_bytes());
        prop_assert!(lines.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_row_written_as_csv_reads_back(first in "[^\\x00-\\x1f]{1,40}", last in "\\PC{0,40}") {
        let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let file = format!(
            "email,first_name,last_name\na@example.org,{},{}\n",
            quote(&first),
            quote(&last)
        );
        let lines = LineReader::new(Box::new(std::io::Cursor::new(file.into_bytes())));
        let mut csv = CsvReader::new(lines, Some(Delimiter::COMMA), &ColumnNames::default())
            .unwrap();
        let mut expected = RawRow::default();
        expected.set(Column::Email, "a@example.org");
        expected.set(Column::FirstName, &first);
        expected.set(Column::LastName, &last);
        prop_assert_eq!(csv.next().unwrap().unwrap().row, Ok(expected));
        prop_assert!(csv.next().unwrap().is_none());
    }
}

#[test]
fn deep_nesting_is_rejected() {
    let deep = format!("{{\"email\":{}", "[".repeat(60_000));
    assert!(parse_json_row(deep.as_bytes()).is_err());
}
