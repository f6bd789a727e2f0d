//! Parses CSV by RFC 4180: a header line, commas or another delimiter, and doubled quotes inside of quotes. A quoted
//! value may contain line breaks. An unclosed quote invalidates only its own line.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;

use super::column::Column;
use super::format::{ColumnNames, Delimiter, printable_name};
use super::lines::{InputLine, LineReader, MAX_LINE_BYTES};
use super::raw::RawRow;
use super::rejects::{RejectCode, RejectReason};

const MAX_RECORD_LINES: usize = 32;

pub(super) struct CsvReader {
    lines: LineReader,
    /// The lines that were read in advance to find a closing quote.
    lookahead: VecDeque<InputLine>,
    header: Header,
    columns: Vec<Option<Column>>,
}

/// The column names and the delimiter, from the header line of a CSV file.
#[derive(Debug, Clone)]
pub(super) struct Header {
    names: Vec<String>,
    delimiter: char,
}

impl Header {
    /// Returns the record as an object for the rejects file. Returns `None` if the record cannot be split.
    pub(super) fn record_by_name(&self, text: &[u8]) -> Option<serde_json::Value> {
        let values = split_record(std::str::from_utf8(text).ok()?, self.delimiter).ok()?;
        if values.len() > self.names.len() {
            return None;
        }
        let pairs = self.names.iter().zip(values);
        let pairs = pairs.map(|(name, value)| (name.clone(), value.into_owned().into()));
        Some(serde_json::Value::Object(pairs.collect()))
    }
}

/// A CSV record with the number of its first line, and either its parsed row or the error.
pub(super) struct Record {
    pub line: u64,
    pub text: Vec<u8>,
    pub row: Result<RawRow, RejectReason>,
}

impl Record {
    pub(super) fn too_long(line: u64, text: Vec<u8>) -> Record {
        Record {
            line,
            text,
            row: Err(RejectReason::new(
                RejectCode::TooLong,
                format!("longer than {} KiB", MAX_LINE_BYTES / 1024),
            )),
        }
    }
}

/// Returns the error message for a file that cannot be opened or whose beginning cannot be read.
pub(super) fn unreadable_message(error: io::Error) -> String {
    format!("cannot be read: {error}")
}

impl CsvReader {
    /// Reads the header line. If no delimiter is given, a first line such as `sep=;` names it, otherwise it is a comma.
    pub(super) fn new(
        mut lines: LineReader,
        delimiter: Option<Delimiter>,
        names: &ColumnNames,
    ) -> Result<CsvReader, String> {
        let mut next_line = || lines.next().map_err(unreadable_message);
        let mut first = next_line()?;
        let separator = first.as_ref().and_then(|line| parse_separator(&line.text));
        if separator.is_some() {
            first = next_line()?;
        }
        let line = first.ok_or("has no header")?;
        let delimiter = delimiter.or(separator).unwrap_or(Delimiter::COMMA);
        let header = read_header(&line.text, delimiter)?;
        let columns: Vec<_> = header.names.iter().map(|name| names.column(name)).collect();
        for column in Column::ALL {
            if columns.iter().filter(|c| **c == Some(*column)).count() > 1 {
                return Err(format!("names the column {} twice", column.as_str()));
            }
        }
        if !columns.contains(&Some(Column::Email)) {
            return Err(missing_email_message(&line.text, &header, delimiter));
        }
        Ok(CsvReader {
            lines,
            lookahead: VecDeque::new(),
            header,
            columns,
        })
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn line_number(&self) -> u64 {
        self.lines.line_number()
    }

    pub(super) fn unknown_columns(&self) -> Vec<String> {
        let pairs = self.header.names.iter().zip(&self.columns);
        pairs
            .filter(|(_, column)| column.is_none())
            .map(|(name, _)| printable_name(name))
            .collect()
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        let Some(first) = self.take_line(0)? else {
            return Ok(None);
        };
        let mut text = first.text;
        if first.is_too_long {
            return Ok(Some(Record::too_long(first.number, text)));
        }
        let mut fault = None;
        for taken in 0..MAX_RECORD_LINES {
            match self.parse_row(&text) {
                Ok(row) => {
                    self.lookahead.drain(..taken);
                    return Ok(Some(Record {
                        line: first.number,
                        text,
                        row: Ok(row),
                    }));
                }
                Err(found) => {
                    fault.get_or_insert(found.reason);
                    if !found.may_continue {
                        break;
                    }
                }
            }
            match self.peek(taken)? {
                Some(next) if text.len() + next.text.len() < MAX_LINE_BYTES => {
                    text.push(b'\n');
                    text.extend_from_slice(&next.text);
                }
                _ => break,
            }
        }
        Ok(Some(Self::invalid_record(first.number, text, fault)))
    }

    /// Returns an invalid record with only the first line of `text`. Parsing resumes at the second line.
    fn invalid_record(line: u64, mut text: Vec<u8>, fault: Option<String>) -> Record {
        if let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            text.truncate(end);
        }
        let reason = fault.unwrap_or_else(|| "no CSV".into());
        Record {
            line,
            text,
            row: Err(RejectReason::not_readable(reason)),
        }
    }

    fn take_line(&mut self, at: usize) -> io::Result<Option<InputLine>> {
        match self.lookahead.remove(at) {
            Some(line) => Ok(Some(line)),
            None => self.lines.next(),
        }
    }

    fn peek(&mut self, at: usize) -> io::Result<Option<&InputLine>> {
        while self.lookahead.len() <= at {
            match self.lines.next()? {
                Some(line) => self.lookahead.push_back(line),
                None => return Ok(None),
            }
        }
        Ok(self.lookahead.get(at))
    }

    fn parse_row(&self, text: &[u8]) -> Result<RawRow, CsvError> {
        let text = std::str::from_utf8(text).map_err(|_| CsvError::malformed_row("no UTF-8"))?;
        let values = split_record(text, self.header.delimiter)?;
        let (found, wanted) = (values.len(), self.columns.len());
        // Excel omits empty cells at the end. In a record of several lines, a quote that is not closed may hide cells.
        let is_short = found < wanted && !text.contains('\n');
        if found != wanted && !is_short {
            return Err(CsvError::malformed_row(&format!(
                "{found} columns where the header has {wanted}"
            )));
        }
        let mut raw = RawRow::default();
        for (column, value) in self.columns.iter().zip(&values) {
            // Many programs write NULL for a missing value. `split_record` returns a quoted NULL as an owned value.
            let is_null = matches!(value, Cow::Borrowed("NULL"));
            if let (Some(column), false) = (column, is_null) {
                raw.set(*column, value);
            }
        }
        raw.is_short = is_short;
        Ok(raw)
    }
}

/// Parses a line such as `sep=;`, which names the delimiter for Excel.
fn parse_separator(line: &[u8]) -> Option<Delimiter> {
    let line = std::str::from_utf8(line).ok()?;
    let line = line
        .strip_prefix('"')
        .and_then(|l| l.strip_suffix('"'))
        .unwrap_or(line);
    let (name, separator) = line.split_at_checked("sep=".len())?;
    name.eq_ignore_ascii_case("sep=")
        .then(|| separator.parse().ok())?
}

fn read_header(text: &[u8], delimiter: Delimiter) -> Result<Header, String> {
    let delimiter = delimiter.character();
    let text = std::str::from_utf8(text).map_err(|_| {
        "has a first line that is not UTF-8: set its encoding by --encoding, for instance windows-1252"
    })?;
    let Ok(names) = split_record(text, delimiter) else {
        return Err("has a first line that is not CSV".into());
    };
    let names = names.iter().map(|name| name.trim().to_lowercase());
    Ok(Header {
        names: names.collect(),
        delimiter,
    })
}

/// The maximum number of column names in an error message.
const MAX_COLUMN_NAMES_IN_ERROR: usize = 20;

/// Returns the error message for a header without the column `email`, which is required.
fn missing_email_message(text: &[u8], header: &Header, delimiter: Delimiter) -> String {
    let text = String::from_utf8_lossy(text);
    let number = |delimiter: Delimiter| {
        split_record(&text, delimiter.character()).map_or(0, |values| values.len())
    };
    let best = Delimiter::COMMON
        .iter()
        .max_by_key(|(delimiter, _)| number(*delimiter));
    if let Some((better, name)) = best
        && number(*better) > number(delimiter)
    {
        return format!(
            "has no column email in its first line, which a {name} separates: use --delimiter {name}"
        );
    }
    let mut names = header
        .names
        .iter()
        .take(MAX_COLUMN_NAMES_IN_ERROR)
        .map(|name| format!("\"{}\"", printable_name(name)));
    let first = names.next().unwrap_or_default();
    let names = names.fold(first, |all, name| format!("{all}, {name}"));
    format!("has no column email in its first line, which has {names}: name it by --map NAME=email")
}

#[derive(Debug)]
struct CsvError {
    reason: String,
    /// Whether the record could become complete with further lines.
    may_continue: bool,
}

impl CsvError {
    fn malformed_row(reason: &str) -> CsvError {
        CsvError {
            reason: reason.to_owned(),
            may_continue: false,
        }
    }
}

fn split_record(text: &str, delimiter: char) -> Result<Vec<Cow<'_, str>>, CsvError> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        let (value, after) = match rest.strip_prefix('"') {
            Some(inner) => parse_quoted(inner, delimiter)?,
            None => {
                let end = rest.find(delimiter).unwrap_or(rest.len());
                (Cow::Borrowed(&rest[..end]), &rest[end..])
            }
        };
        values.push(value);
        match after.strip_prefix(delimiter) {
            Some(next) => rest = next,
            None => return Ok(values),
        }
    }
}

/// Parses a value after its opening quote. Returns the value and the rest, which is empty or begins with a delimiter.
fn parse_quoted(text: &str, delimiter: char) -> Result<(Cow<'_, str>, &str), CsvError> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let Some((inside, after)) = rest.split_once('"') else {
            return Err(CsvError {
                reason: "a quote that is not closed".into(),
                may_continue: true,
            });
        };
        value.push_str(inside);
        match after.strip_prefix('"') {
            Some(next) => {
                value.push('"');
                rest = next;
            }
            None if after.is_empty() || after.starts_with(delimiter) => {
                return Ok((Cow::Owned(value), after));
            }
            None => {
                return Err(CsvError::malformed_row(
                    "a quote in the middle of a quoted value",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_commas_are_read_as_the_rfc_says() {
        let values = |text| split_record(text, ',').unwrap();
        assert_eq!(values("a,b,"), ["a", "b", ""]);
        assert_eq!(
            values(r#""a,b","say ""hi""",c"#),
            ["a,b", "say \"hi\"", "c"]
        );
        assert_eq!(values("\"two\nlines\",x"), ["two\nlines", "x"]);
        assert_eq!(values(r#"5" disk,x"#), ["5\" disk", "x"]);
        assert!(split_record(r#"a,"open"#, ',').is_err_and(|fault| fault.may_continue));
        assert!(split_record(r#"a,"b"c"#, ',').is_err_and(|fault| !fault.may_continue));
    }

    #[test]
    fn an_unclosed_quote_spoils_one_line() {
        let file = "email,first_name\na@b.cd,\"An\nn\"\nx@b.cd,\"open\ny@b.cd,Y\nz@b.cd,\"Z\"\n";
        let lines = LineReader::new(Box::new(file.as_bytes()));
        let mut csv =
            CsvReader::new(lines, Some(Delimiter::COMMA), &ColumnNames::default()).unwrap();
        let mut found = Vec::new();
        while let Some(record) = csv.next().unwrap() {
            found.push((record.line, record.row.is_ok()));
        }
        assert_eq!(found, [(2, true), (4, false), (5, true), (6, true)]);
    }
}
