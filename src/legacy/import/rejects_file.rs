//! Writes the rejects file: one JSON object per rejected row, with its line, a reject code and a readable reason.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue as RawJson;

use super::ImportError;
use super::csv::Header;
use super::rejects::RejectReason;

pub(super) struct RejectsFile {
    path: PathBuf,
    shape: RejectFormat,
    /// The rejects file, which is created with the earliest rejected row.
    file: Option<BufWriter<File>>,
}

#[derive(Serialize)]
struct RejectLine<'a> {
    line: u64,
    code: &'static str,
    reason: &'a str,
    row: Box<RawJson>,
}

impl RejectsFile {
    /// Empties the rejects file of an earlier import, because its rows may be valid now.
    pub(super) fn new(path: &Path, shape: RejectFormat) -> Result<RejectsFile, ImportError> {
        let mut rejects = RejectsFile {
            path: path.to_owned(),
            shape,
            file: None,
        };
        if path.exists() {
            rejects.create_file()?;
        }
        Ok(rejects)
    }

    /// Writes a rejected row to the rejects file. `text` is the row as in the imported file.
    pub(super) fn write(
        &mut self,
        line: u64,
        reason: &RejectReason,
        text: &[u8],
    ) -> Result<(), ImportError> {
        if self.file.is_none() {
            self.create_file()?;
        }
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let reject = RejectLine {
            line,
            code: reason.code.as_str(),
            reason: &reason.text,
            row: self.shape.row_as_json(text),
        };
        let json = serde_json::to_string(&reject).expect("plain data");
        writeln!(file, "{json}").map_err(|error| rejects_error(&self.path, error))
    }

    pub(super) fn finish(&mut self) -> Result<(), ImportError> {
        match &mut self.file {
            Some(file) => file
                .flush()
                .map_err(|error| rejects_error(&self.path, error)),
            None => Ok(()),
        }
    }

    fn create_file(&mut self) -> Result<(), ImportError> {
        // Only its owner may read the rejects file, because rows contain email addresses and password hashes.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&self.path)
            .map_err(|error| rejects_error(&self.path, error))?;
        self.file = Some(BufWriter::new(file));
        Ok(())
    }
}

fn rejects_error(path: &Path, error: std::io::Error) -> ImportError {
    ImportError::Rejects {
        path: path.display().to_string(),
        error,
    }
}

/// The format of the file, which is needed to parse a rejected row again.
pub(super) enum RejectFormat {
    JsonLines,
    Csv(Header),
}

impl RejectFormat {
    /// Returns a row for the rejects file: an object if the row can be parsed, otherwise its text. JSON stays
    /// unchanged, so that long numbers keep their digits.
    pub(super) fn row_as_json(&self, text: &[u8]) -> Box<RawJson> {
        let object = match self {
            RejectFormat::JsonLines => json_on_one_line(text),
            RejectFormat::Csv(header) => header.record_by_name(text).map(|object| to_json(&object)),
        };
        object.unwrap_or_else(|| to_json(&String::from_utf8_lossy(text)))
    }
}

fn to_json(value: &(impl Serialize + ?Sized)) -> Box<RawJson> {
    serde_json::value::to_raw_value(value).expect("plain data")
}

/// Returns JSON without line feeds between its tokens, which a line of an old Mac may contain.
fn json_on_one_line(text: &[u8]) -> Option<Box<RawJson>> {
    let text = std::str::from_utf8(text).ok()?.replace('\n', " ");
    serde_json::from_str(&text).ok()
}
