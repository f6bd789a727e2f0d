//! The input file of an import, which returns its rows in order.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use indicatif::ProgressBar;

use super::ImportError;
use super::csv::{self, CsvReader, Record};
use super::decode;
use super::format::{ColumnNames, InputFormat, RowFormat, UnknownNames};
use super::lines::{InputLine, LineReader};
use super::raw::RawRow;
use super::rejects_file::RejectFormat;

/// The first two bytes of a gzip file (RFC 1952 section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) struct Source {
    path: PathBuf,
    rows: RowReader,
    names: ColumnNames,
    /// The keys of JSON objects that are no column names.
    unknown_keys: UnknownNames,
}

enum RowReader {
    JsonLines(LineReader),
    Csv(CsvReader),
}

impl Source {
    /// Opens the file or pipe. If no format is given, the file name distinguishes `.jsonl` and `.csv`, each also with
    /// `.gz`. The beginning of the file shows whether it is compressed. `bar` counts the bytes that are read from the file.
    pub(super) fn open(
        path: &Path,
        format: &InputFormat,
        bar: &ProgressBar,
    ) -> Result<Source, ImportError> {
        let shown = path.display();
        let wrong = |problem: String| ImportError::Usage(format!("{shown}: {problem}"));
        let name = path.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let named = || RowFormat::from_name(name.rsplit_once('.')?.1);
        let Some(rows) = format.rows.or_else(named) else {
            let names = ".jsonl, .jsonl.gz, .csv or .csv.gz";
            let problem = format!("the name must end in {names}, or use --format");
            return Err(wrong(problem));
        };
        if format.delimiter.is_some() && rows != RowFormat::Csv {
            return Err(wrong("--delimiter is for CSV files".into()));
        }
        let unreadable = |error| wrong(csv::unreadable_message(error));
        let input = open_input(path, bar).map_err(unreadable)?;
        let input = decode::decode_to_utf8(input, format.encoding).map_err(unreadable)?;
        let lines = LineReader::new(input);
        let rows = match rows {
            RowFormat::JsonLines => RowReader::JsonLines(lines),
            RowFormat::Csv => {
                let csv = CsvReader::new(lines, format.delimiter, &format.names);
                RowReader::Csv(csv.map_err(wrong)?)
            }
        };
        Ok(Source {
            path: path.to_owned(),
            rows,
            names: format.names.clone(),
            unknown_keys: UnknownNames::default(),
        })
    }

    /// Returns the field names in the file that are not the name of a known column.
    pub(super) fn unknown_columns(&self) -> Vec<String> {
        match &self.rows {
            RowReader::JsonLines(_) => self.unknown_keys.clone().into_names(),
            RowReader::Csv(csv) => csv.unknown_columns(),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Record>, ImportError> {
        let (names, unknown) = (&self.names, &mut self.unknown_keys);
        let next = match &mut self.rows {
            RowReader::JsonLines(lines) => lines
                .next()
                .map(|line| line.map(|line| parse_json_line(line, names, unknown))),
            RowReader::Csv(csv) => csv.next(),
        };
        next.map_err(|error| ImportError::Read {
            path: self.path.display().to_string(),
            line: match &self.rows {
                RowReader::JsonLines(lines) => lines.line_number(),
                RowReader::Csv(csv) => csv.line_number(),
            },
            error,
        })
    }

    pub(super) fn reject_format(&self) -> RejectFormat {
        match &self.rows {
            RowReader::JsonLines(_) => RejectFormat::JsonLines,
            RowReader::Csv(csv) => RejectFormat::Csv(csv.header().clone()),
        }
    }
}

fn parse_json_line(line: InputLine, names: &ColumnNames, unknown: &mut UnknownNames) -> Record {
    if line.is_too_long {
        return Record::too_long(line.number, line.text);
    }
    Record {
        line: line.number,
        row: RawRow::from_json(&line.text, names, unknown),
        text: line.text,
    }
}

fn open_input(path: &Path, bar: &ProgressBar) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // The length of a pipe is unknown.
    if metadata.is_file() {
        bar.set_length(metadata.len());
    }
    let (start, input) = decode::peek(Box::new(bar.wrap_read(file)))?;
    Ok(match start == GZIP_MAGIC {
        true => Box::new(MultiGzDecoder::new(io::BufReader::new(input))),
        false => input,
    })
}
