//! Packs files into a ZIP.

use std::io::{Cursor, Write};

use zip::result::ZipResult;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Returns a ZIP of these files. Its entries have no time, so that equal files make equal archives.
pub(super) fn zip(files: &[(&str, Vec<u8>)]) -> ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default())?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}
