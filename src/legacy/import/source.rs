//! The input file: its format, and its rows one after the other.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::ImportError;
use super::csv::{Csv, Header, Record};
use super::decode;
use super::format::{ColumnNames, Delimiter, InputFormat};
use super::lines::{ByteCounter, InputLine, LineReader};
use super::raw::RawRow;

/// RFC 1952 section 2.3.1.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) struct Source {
    path: PathBuf,
    rows: RowReader,
    names: ColumnNames,
    size: u64,
    bytes_read: Arc<AtomicU64>,
}

enum RowReader {
    JsonLines(LineReader),
    Csv(Csv),
}

impl Source {
    /// Opens the file. The name distinguishes `.jsonl` and `.csv`, each also with `.gz`; the first bytes show whether
    /// it is compressed.
    pub(super) fn open(path: &Path, format: &InputFormat) -> Result<Source, ImportError> {
        let shown = path.display();
        let wrong = |problem: String| ImportError::WrongUse(format!("{shown}: {problem}"));
        let name = path.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let is_csv = name.ends_with(".csv");
        if !is_csv && !name.ends_with(".jsonl") {
            return Err(wrong(
                "the name must end in .jsonl, .jsonl.gz, .csv or .csv.gz".into(),
            ));
        }
        if format.delimiter.is_some() && !is_csv {
            return Err(wrong("--delimiter is for CSV files".into()));
        }
        let unreadable = |error: io::Error| wrong(format!("cannot be read: {error}"));
        let (input, size, passed) = open_input(path).map_err(unreadable)?;
        let input = decode::decode_to_utf8(input, format.encoding).map_err(unreadable)?;
        let lines = LineReader::new(input);
        let rows = if is_csv {
            let delimiter = format.delimiter.unwrap_or(Delimiter::COMMA);
            let csv = Csv::new(lines, delimiter, &format.names);
            RowReader::Csv(csv.map_err(unreadable)?.map_err(wrong)?)
        } else {
            RowReader::JsonLines(lines)
        };
        Ok(Source {
            path: path.to_owned(),
            rows,
            names: format.names.clone(),
            size,
            bytes_read: passed,
        })
    }

    /// Returns the size on disk in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the bytes of the file that have been read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    pub(super) fn unknown_columns(&self) -> Vec<String> {
        match &self.rows {
            RowReader::JsonLines(_) => Vec::new(),
            RowReader::Csv(csv) => csv.unknown_columns(),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Record>, ImportError> {
        let names = &self.names;
        let next = match &mut self.rows {
            RowReader::JsonLines(lines) => {
                lines.next().map(|line| line.map(|line| json(line, names)))
            }
            RowReader::Csv(csv) => csv.next(),
        };
        next.map_err(|error| ImportError::Read {
            path: self.path.display().to_string(),
            line: match &self.rows {
                RowReader::JsonLines(lines) => lines.number(),
                RowReader::Csv(csv) => csv.number(),
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

/// The way to parse a row of this file again.
pub(super) enum RejectFormat {
    JsonLines,
    Csv(Header),
}

impl RejectFormat {
    /// Returns a row for the rejects file: an object if it can be parsed, otherwise its text.
    pub(super) fn row_as_json(&self, text: &[u8]) -> serde_json::Value {
        let object = match self {
            RejectFormat::JsonLines => serde_json::from_slice(text).ok(),
            RejectFormat::Csv(header) => header.by_name(text),
        };
        object.unwrap_or_else(|| String::from_utf8_lossy(text).into())
    }
}

fn json(line: InputLine, names: &ColumnNames) -> Record {
    if line.is_too_long {
        return Record::too_long(line.number, line.text);
    }
    Record {
        line: line.number,
        row: RawRow::from_json(&line.text, names),
        text: line.text,
    }
}

type Input = (Box<dyn Read + Send>, u64, Arc<AtomicU64>);

fn open_input(path: &Path) -> io::Result<Input> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut magic = [0; 2];
    let is_gzip = match file.read_exact(&mut magic) {
        Ok(()) => magic == GZIP_MAGIC,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(error),
    };
    file.rewind()?;
    let passed = Arc::new(AtomicU64::new(0));
    let counted = ByteCounter::new(file, passed.clone());
    let input: Box<dyn Read + Send> = match is_gzip {
        true => Box::new(MultiGzDecoder::new(io::BufReader::new(counted))),
        false => Box::new(counted),
    };
    Ok((input, size, passed))
}
