//! Reads the lines of a file, each of limited length, and counts them.

use std::io::{BufRead, BufReader, Read, Result};

/// The maximum length of a line. A longer line cannot be a row, because an account has a few hundred bytes.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024;
/// The number of bytes of an overlong line that the rejects file shows.
const SHOWN_LINE_BYTES: usize = 1024;
const BUFFER_BYTES: usize = 256 * 1024;
/// The UTF-8 byte order mark, which some programs write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InputLine {
    /// The number of the line, counted from one.
    pub number: u64,
    /// The text of the line without its line ending. If `is_too_long`, the text is only the beginning of the line.
    pub text: Vec<u8>,
    pub is_too_long: bool,
}

pub(super) struct LineReader {
    input: BufReader<Box<dyn Read + Send>>,
    number: u64,
    /// The byte that ends each line, or `None` until the byte is detected.
    line_end: Option<u8>,
}

impl LineReader {
    pub(super) fn new(input: Box<dyn Read + Send>) -> LineReader {
        LineReader {
            input: BufReader::with_capacity(BUFFER_BYTES, input),
            number: 0,
            line_end: None,
        }
    }

    /// Detects the line ending: LF, also after CR, or CR alone if the first line ends so, as on old Macs.
    fn detect_line_end(&mut self) -> Result<u8> {
        if let Some(end) = self.line_end {
            return Ok(end);
        }
        // A single call of `read` may return only a few bytes.
        let mut start = Vec::new();
        let end = loop {
            let first = start.iter().position(|byte| b"\r\n".contains(byte));
            match first.map(|at| (start[at], start.get(at + 1))) {
                Some((b'\r', Some(b'\n')) | (b'\n', _)) => break b'\n',
                Some((b'\r', Some(_))) => break b'\r',
                _ if start.len() > MAX_LINE_BYTES => break b'\n',
                _ => {}
            }
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                break b'\n';
            }
            start.extend_from_slice(buffer);
            let read = buffer.len();
            self.input.consume(read);
        };
        let empty: Box<dyn Read + Send> = Box::new(std::io::empty());
        let rest = std::mem::replace(&mut self.input, BufReader::new(empty));
        let all: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(start).chain(rest));
        self.input = BufReader::with_capacity(BUFFER_BYTES, all);
        self.line_end = Some(end);
        Ok(end)
    }

    /// Returns the number of the last line read.
    pub(super) fn line_number(&self) -> u64 {
        self.number
    }

    /// Returns the next line that is not blank.
    pub(super) fn next(&mut self) -> Result<Option<InputLine>> {
        while let Some(line) = self.next_including_blank()? {
            if !line.text.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    fn next_including_blank(&mut self) -> Result<Option<InputLine>> {
        let end = self.detect_line_end()?;
        let mut text = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        if (&mut self.input).take(most).read_until(end, &mut text)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_too_long = text.len() > MAX_LINE_BYTES && !text.ends_with(&[end]);
        if is_too_long {
            self.skip_line(end)?;
            text.truncate(SHOWN_LINE_BYTES);
        }
        if text.ends_with(b"\n") {
            text.pop();
        }
        if text.ends_with(b"\r") {
            text.pop();
        }
        if self.number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(InputLine {
            number: self.number,
            text,
            is_too_long,
        }))
    }

    fn skip_line(&mut self, end: u8) -> Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            match buffer.iter().position(|byte| *byte == end) {
                Some(at) => {
                    self.input.consume(at + 1);
                    return Ok(());
                }
                None => {
                    let all = buffer.len();
                    self.input.consume(all);
                }
            }
        }
    }
}
