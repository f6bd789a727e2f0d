//! Writes the rejects file: one JSON object per rejected row, with its line, a reject code and a readable reason.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ImportError;
use super::source::RejectFormat;
use crate::named_enum::named_enum;

named_enum! {
    /// The code of a reason for rejecting a row. Reject codes are never renamed (docs/migrating.md).
    pub(super) enum RejectCode {
        TooLong = "too_long";
        NotReadable = "not_readable";
        EmailMissing = "email_missing";
        EmailInvalid = "email_invalid";
        DuplicateEmail = "duplicate_email";
        LegacyIdConflict = "legacy_id_conflict";
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RejectReason {
    pub code: RejectCode,
    pub text: String,
}

impl RejectReason {
    pub(super) fn new(code: RejectCode, text: impl Into<String>) -> RejectReason {
        let text = text.into();
        RejectReason { code, text }
    }

    pub(super) fn not_readable(text: impl Into<String>) -> RejectReason {
        RejectReason::new(RejectCode::NotReadable, text)
    }
}

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
    row: Box<serde_json::value::RawValue>,
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
