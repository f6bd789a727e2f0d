//! Converts the file encodings of legacy systems to UTF-8 while reading.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Cursor, Read, Result};

use encoding_rs::{DecoderResult, Encoding, UTF_8};

const BYTES_PER_READ: usize = 8 * 1024;
/// The byte that replaces an invalid character. The byte is invalid in UTF-8 too, so the import rejects the row.
const INVALID_BYTE: u8 = 0xff;

/// Reads `input` as UTF-8. If `encoding` is unset, a byte order mark of UTF-16 is detected.
pub(super) fn decode_to_utf8(
    input: Box<dyn Read + Send>,
    encoding: Option<&'static Encoding>,
) -> Result<Box<dyn Read + Send>> {
    let (start, input) = peek(input)?;
    let marked = || Some(Encoding::for_bom(&start)?.0);
    let encoding = encoding.or_else(marked).unwrap_or(UTF_8);
    Ok(match encoding == UTF_8 {
        true => input,
        false => Box::new(Utf8Reader {
            input: BufReader::new(input),
            decoder: encoding.new_decoder_without_bom_handling(),
            ready: VecDeque::new(),
            is_finished: false,
        }),
    })
}

/// Returns the first two bytes of an input, and the whole input. A pipe cannot be rewound.
pub(super) fn peek(mut input: Box<dyn Read + Send>) -> Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut start = Vec::new();
    (&mut input).take(2).read_to_end(&mut start)?;
    let whole = Cursor::new(start.clone()).chain(input);
    Ok((start, Box::new(whole)))
}

struct Utf8Reader {
    input: BufReader<Box<dyn Read + Send>>,
    decoder: encoding_rs::Decoder,
    ready: VecDeque<u8>,
    is_finished: bool,
}

impl Read for Utf8Reader {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut text = [0; BYTES_PER_READ];
        while self.ready.is_empty() && !self.is_finished {
            let bytes = self.input.fill_buf()?;
            self.is_finished = bytes.is_empty();
            let (result, read, written) = self
                .decoder
                .decode_to_utf8_without_replacement(bytes, &mut text, self.is_finished);
            self.input.consume(read);
            self.ready.extend(&text[..written]);
            if let DecoderResult::Malformed(..) = result {
                self.ready.push_back(INVALID_BYTE);
            }
        }
        self.ready.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time, like a slow pipe.
    struct OneByteReader(VecDeque<u8>);

    impl Read for OneByteReader {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn decode(bytes: &[u8], encoding: &str) -> Vec<u8> {
        let mut text = Vec::new();
        let input = Box::new(OneByteReader(bytes.to_vec().into()));
        let encoding = Encoding::for_label(encoding.as_bytes());
        let mut decoded = decode_to_utf8(input, encoding).unwrap();
        decoded.read_to_end(&mut text).unwrap();
        text
    }

    #[test]
    fn every_encoding_becomes_utf_8() {
        let text = "\u{feff}email;Größe 😀";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, encoding, expected) in [
            (&le[..], "utf-16le", text),
            (&be, "utf-16be", text),
            // The byte order mark decides.
            (&le, "", text),
            (&be, "", text),
            (text.as_bytes(), "", text),
            (b"Gr\xf6\xdfe \x80", "windows-1252", "Größe €"),
            (b"Gr\xf6\xdfe \x80", "latin1", "Größe €"),
            (b"\xc0\xee\xec\xe0", "windows-1251", "Аома"),
            (b"\x93\x8c\x8b\x9e", "shift_jis", "東京"),
            (b"\x1b$BEl5~\x1b(B", "iso-2022-jp", "東京"),
        ] {
            assert_eq!(decode(bytes, encoding), expected.as_bytes(), "{encoding}");
        }
    }

    #[test]
    fn a_broken_character_spoils_one_line() {
        let wide = |units: &[u16]| -> Vec<u8> {
            let line_end = [u16::from(b'\n'), u16::from(b'a')];
            let units = units.iter().chain(&line_end);
            units.flat_map(|unit| unit.to_le_bytes()).collect()
        };
        for (bytes, encoding) in [
            (wide(&[0xd83d]), "utf-16le"),
            (wide(&[0xd83d, 0x41]), "utf-16le"),
            (wide(&[0xde00, 0x41]), "utf-16le"),
            (b"\x93\na".to_vec(), "shift_jis"),
            (b"\xff\na".to_vec(), "utf-8"),
        ] {
            let text = decode(&bytes, encoding);
            let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
            assert!(std::str::from_utf8(lines[0]).is_err(), "{bytes:?}");
            assert_eq!(lines[1], b"a", "{bytes:?}");
        }
        // The file ends within a character.
        assert!(std::str::from_utf8(&decode(&[0x41], "utf-16le")).is_err());
    }
}
