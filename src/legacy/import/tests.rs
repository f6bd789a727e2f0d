//! Tests that the reader neither panics on a row nor skips one.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::ProgressBar;
use proptest::prelude::*;

use super::clean::{Warning, clean_row};
use super::column::Column;
use super::csv::CsvReader;
use super::default_rejects;
use super::format::{ColumnNames, InputFormat, RowFormat, UnknownNames};
use super::lines::LineReader;
use super::raw::RawRow;
use super::rejects::{RejectCode, RejectReason};
use super::source::Source;

fn now() -> jiff::Timestamp {
    "2026-11-21T00:00:00Z".parse().unwrap()
}

fn is_accepted(raw: RawRow) -> bool {
    clean_row(raw, now(), &mut |_| {}).is_ok()
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
    std::fs::write(&path, bytes).unwrap();
    record_lines_of(&path, None)
}

fn record_lines_of(path: &Path, rows: Option<RowFormat>) -> Vec<u64> {
    let format = InputFormat {
        rows,
        ..InputFormat::default()
    };
    let mut source = Source::open(path, &format, &ProgressBar::hidden()).unwrap();
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
    fn a_row_is_the_same_in_csv_and_json(
        cells in prop::collection::vec(any_cell(), Column::ALL.len())
    ) {
        let names: Vec<_> = Column::ALL.iter().map(|column| column.as_str()).collect();
        let (json, csv): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        let members = names.iter().zip(json).map(|(name, json)| format!("\"{name}\":{json}"));
        let line = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        let file = format!("{}\n{}\n", names.join(","), csv.join(","));
        prop_assert_eq!(csv_rows(&file), [parse_json_row(line.as_bytes())]);
    }
}

/// Generates a value, written in JSON and as a cell of a CSV file.
fn any_cell() -> impl Strategy<Value = (String, String)> {
    let quote = |text: String| {
        let json = serde_json::Value::from(&*text).to_string();
        (json, format!("\"{}\"", text.replace('"', "\"\"")))
    };
    let same = |text: String| (text.clone(), text);
    prop_oneof![
        "\\PC{0,40}|[^\\x00-\\x1f]{0,40}| ?-?[0-9]{0,3}\\.0{0,2}|NULL|null|true|a\\x00"
            .prop_map(quote),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,3})?|true|false".prop_map(same),
        Just(("null".to_owned(), "NULL".to_owned())),
        Just((r#""\\N""#.to_owned(), r"\N".to_owned())),
    ]
}

fn csv_rows(file: &str) -> Vec<Result<RawRow, RejectReason>> {
    let lines = LineReader::new(Box::new(std::io::Cursor::new(file.to_owned())));
    let mut csv = CsvReader::new(lines, None, &ColumnNames::default()).unwrap();
    let mut rows = Vec::new();
    while let Some(record) = csv.next().unwrap() {
        rows.push(record.row);
    }
    rows
}

/// Members of a JSON object, a part of the row that they give, and the warning.
const VALUES: &[(&str, &str, &str)] = &[
    // A number is read in one way in every column, and keeps its digits.
    (r#""legacy_id":17.0"#, r#"legacy_id: Some("17")"#, ""),
    (r#""legacy_id":" 17.00 ""#, r#"legacy_id: Some("17")"#, ""),
    (r#""legacy_id":"1.1.0""#, r#"legacy_id: Some("1.1.0")"#, ""),
    (r#""legacy_id":"17.""#, r#"legacy_id: Some("17.")"#, ""),
    (
        r#""legacy_id":106871676498477390001"#,
        r#"legacy_id: Some("106871676498477390001")"#,
        "",
    ),
    (
        r#""legacy_id":0.1000000000000000055511151231257827"#,
        r#"legacy_id: Some("0.1000000000000000055511151231257827")"#,
        "",
    ),
    (
        r#""birthday_day":"5.0","birthday_month":4.0,"birthday_year":1990"#,
        "birthday_day: Some(5), birthday_month: Some(4), birthday_year: Some(1990)",
        "",
    ),
    (r#""zipcode":10115.0"#, r#"zipcode: Some("10115")"#, ""),
    (
        r#""marketing_consent":1.0"#, "marketing_consent: Some(true)", "",
    ),
    // A text that cannot be read does not reject its row.
    (
        r#""first_name":"Ann \ud83d""#, "first_name: None", "first_name: not usable",
    ),
    (
        r#""first_name":["Ann"]"#, "first_name: None", "first_name: not usable",
    ),
    (
        r#""first_name":"A","first_name":"B""#,
        "first_name: None",
        "first_name: not usable",
    ),
    (
        r#""first_\ud83d":"A","size":"\ud83d""#,
        "first_name: None",
        "",
    ),
    (r#""first_name":"\\N""#, "first_name: None", ""),
    (r#""first_name":"NULL""#, r#"first_name: Some("NULL")"#, ""),
    // Texts of fixed length are padded.
    (
        r#""first_name":"Ann  \u0000\u0000""#,
        r#"first_name: Some("Ann")"#,
        "",
    ),
    (
        r#""password_hash":":A:371dc46a865f443621aa907b169c992c    ""#,
        r#"password_hash: Some(":A:371dc46a865f443621aa907b169c992c")"#,
        "",
    ),
    (r#""password_hash":"    ""#, "password_hash: None", ""),
    // PHP escapes five characters, and some systems store the escaped text.
    (
        r#""username":"O&#039;Brien""#, r#"username: Some("O'Brien")"#, "",
    ),
    (
        r#""first_name":"&lt;&gt;&quot;&#39;&amp;""#,
        r#"first_name: Some("<>\"'&")"#,
        "",
    ),
    (
        r#""last_name":"&amp;lt;""#, r#"last_name: Some("&lt;")"#, "a name with an HTML entity",
    ),
    (
        r#""last_name":"M&uuml;ller""#,
        r#"last_name: Some("M&uuml;ller")"#,
        "a name with an HTML entity",
    ),
    (
        r#""last_name":"A & B; C""#, r#"last_name: Some("A & B; C")"#, "",
    ),
    (
        r#""legacy_id":"a&amp;b""#, r#"legacy_id: Some("a&amp;b")"#, "",
    ),
    // A number is no time if it was probably meant otherwise.
    (
        r#""created_at":20120501100000"#,
        "created_at: Some(1335866400000)",
        "",
    ),
    (
        r#""created_at":"1990-01-01""#, "created_at: Some(631152000000)", "",
    ),
    (
        r#""created_at":"1989-12-31""#, "created_at: None", "created_at: no point in time",
    ),
    (
        r#""created_at":2012"#, "created_at: None", "created_at: no point in time",
    ),
    (
        r#""created_at":41030.5"#, "created_at: None", "created_at: no point in time",
    ),
    // Microseconds are no unit of the import.
    (
        r#""created_at":1335866400000000"#,
        "created_at: None",
        "created_at: no point in time",
    ),
    (
        r#""created_at":1795219201"#, "created_at: None", "created_at: in the future",
    ),
    (
        r#""created_at":26070806000000"#, "created_at: None", "created_at: in the future",
    ),
];

#[test]
fn a_value_is_read_or_left_out_with_a_warning() {
    for (members, expected, warning) in VALUES {
        let line = format!(r#"{{"email":"ann@example.org",{members}}}"#);
        let raw = parse_json_row(line.as_bytes()).unwrap();
        let mut warnings = Vec::new();
        let row = clean_row(raw, now(), &mut |found| match found {
            Warning::Omitted(text) | Warning::Kept(text) => warnings.push(text),
            Warning::UnknownHash(_) => {}
        });
        let row = format!("{:?}", row.unwrap());
        assert!(row.contains(expected), "{members}: {row}");
        assert_eq!(warnings.join(","), *warning, "{members}");
    }
}

#[test]
fn only_an_address_rejects_its_row() {
    for (members, expected) in [
        (
            r#""email":"o'brien@example.org""#,
            Ok("o'brien@example.org"),
        ),
        (
            r#""email":"o&#039;brien@example.org""#,
            Ok("o'brien@example.org"),
        ),
        (r#""email":"a&b@example.org""#, Ok("a&b@example.org")),
        (
            r#""email":"a@example.org","email":"a@example.org""#,
            Err(RejectCode::EmailInvalid),
        ),
        (
            r#""email":"\ud83d@example.org""#,
            Err(RejectCode::EmailInvalid),
        ),
        (
            r#""email":"a&uuml;@example.org""#,
            Err(RejectCode::EmailInvalid),
        ),
        (
            r#""email":["a@example.org"]"#,
            Err(RejectCode::EmailInvalid),
        ),
        (r#""email":"\\N""#, Err(RejectCode::EmailMissing)),
        (r#""username":"ann""#, Err(RejectCode::EmailMissing)),
    ] {
        let raw = parse_json_row(format!("{{{members}}}").as_bytes()).unwrap();
        let row = clean_row(raw, now(), &mut |_| {});
        let found = row.map(|row| row.email.as_entered().to_owned());
        let found = found.as_deref().map_err(|reason| reason.code);
        assert_eq!(found, expected, "{members}");
    }
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"email\na@example.org\nb@example.org\n")
        .unwrap();
    let bytes = gzip.finish().unwrap();
    let writing = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, bytes)
    });
    assert_eq!(record_lines_of(&pipe, Some(RowFormat::Csv)), [2, 3]);
    writing.join().unwrap().unwrap();
}

#[test]
fn rejects_are_beside_the_file_unless_it_is_an_open_pipe() {
    for (file, rejects) in [
        ("old.csv", "old.csv.rejects.jsonl"),
        ("/dev/shm/old.csv", "/dev/shm/old.csv.rejects.jsonl"),
        ("/dev/fd/63", "import.rejects.jsonl"),
        ("/dev/stdin", "import.rejects.jsonl"),
    ] {
        assert_eq!(default_rejects(Path::new(file)), Path::new(rejects));
    }
}

#[test]
fn cells_may_be_missing_at_the_end_of_a_line() {
    let header = "email,first_name,last_name";
    for (rows, expected) in [
        ("a@b.cd,A", &[Some(true)][..]),
        ("a@b.cd", &[Some(true)]),
        ("a@b.cd,A,", &[Some(false)]),
        ("a@b.cd,\"A\nB\",C", &[Some(false)]),
        ("a@b.cd,A,B,", &[None]),
        // The quote that is not closed must not hide the second row.
        ("a@b.cd,\"A\nb@b.cd,B\"", &[None, Some(true)]),
    ] {
        let rows = csv_rows(&format!("{header}\n{rows}\n"));
        let found: Vec<_> = rows
            .into_iter()
            .map(|row| row.ok().map(|row| row.is_short))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn deep_nesting_is_rejected() {
    let deep = format!("{{\"email\":{}", "[".repeat(60_000));
    assert!(parse_json_row(deep.as_bytes()).is_err());
}
