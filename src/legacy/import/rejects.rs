//! The rejects file: one JSON object a rejected row, with its line and the reason.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ImportError;

pub struct Rejects {
    path: PathBuf,
    /// Made with the first reject.
    file: Option<BufWriter<File>>,
}

#[derive(Serialize)]
struct Reject<'a> {
    line: u64,
    reason: &'a str,
    row: serde_json::Value,
}

impl Rejects {
    /// What an earlier run left there is gone: it may speak of rows that are fine by now.
    pub fn new(path: &Path) -> Result<Rejects, ImportError> {
        let mut rejects = Rejects {
            path: path.to_owned(),
            file: None,
        };
        if path.exists() {
            rejects.open()?;
        }
        Ok(rejects)
    }

    pub fn write(
        &mut self,
        line: u64,
        reason: &str,
        row: serde_json::Value,
    ) -> Result<(), ImportError> {
        if self.file.is_none() {
            self.open()?;
        }
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let text = serde_json::to_string(&Reject { line, reason, row }).expect("plain data");
        writeln!(file, "{text}").map_err(|error| fault(&self.path, error))
    }

    pub fn finish(mut self) -> Result<(), ImportError> {
        match &mut self.file {
            Some(file) => file.flush().map_err(|error| fault(&self.path, error)),
            None => Ok(()),
        }
    }

    fn open(&mut self) -> Result<(), ImportError> {
        // Rows hold addresses and password hashes: for nobody else to read.
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&self.path)
            .map_err(|error| fault(&self.path, error))?;
        self.file = Some(BufWriter::new(file));
        Ok(())
    }
}

fn fault(path: &Path, error: std::io::Error) -> ImportError {
    ImportError::Rejects {
        path: path.display().to_string(),
        error,
    }
}
