//! Converts the file encodings of legacy systems to UTF-8 while reading.

use std::io::{Cursor, Read, Result};

use super::format::Encoding;

const BYTES_PER_READ: usize = 64 * 1024;

/// The characters from 0x80 to 0x9f in Windows-1252 (encoding.spec.whatwg.org, index-windows-1252).
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];
/// The byte that replaces invalid UTF-16. The byte is invalid in UTF-8 too, so the import rejects the row.
const INVALID_BYTE: u8 = 0xff;

/// Reads `input` as UTF-8. If `encoding` is unset, a byte order mark of UTF-16 is detected.
pub(super) fn decode_to_utf8(
    input: Box<dyn Read + Send>,
    encoding: Option<Encoding>,
) -> Result<Box<dyn Read + Send>> {
    let (start, input) = peek(input)?;
    let encoding = encoding.unwrap_or(match start[..] {
        [0xff, 0xfe] => Encoding::Utf16Le,
        [0xfe, 0xff] => Encoding::Utf16Be,
        _ => Encoding::Utf8,
    });
    Ok(match encoding {
        Encoding::Utf8 => input,
        encoding => Box::new(Decoder {
            input,
            encoding,
            partial_unit: Vec::new(),
            high_surrogate: None,
            ready: Vec::new(),
            position: 0,
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

struct Decoder {
    input: Box<dyn Read + Send>,
    encoding: Encoding,
    /// The first byte of an incomplete UTF-16 code unit.
    partial_unit: Vec<u8>,
    /// The high half of an incomplete UTF-16 surrogate pair.
    high_surrogate: Option<u16>,
    ready: Vec<u8>,
    position: usize,
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.position == self.ready.len() {
            self.ready.clear();
            self.position = 0;
            if !self.fill_buffer()? {
                return Ok(0);
            }
        }
        let bytes = buffer.len().min(self.ready.len() - self.position);
        buffer[..bytes].copy_from_slice(&self.ready[self.position..self.position + bytes]);
        self.position += bytes;
        Ok(bytes)
    }
}

impl Decoder {
    /// Reads and decodes more bytes. Returns false at the end of the input.
    fn fill_buffer(&mut self) -> Result<bool> {
        let mut chunk = vec![0; BYTES_PER_READ];
        let bytes = self.input.read(&mut chunk)?;
        chunk.truncate(bytes);
        if bytes == 0 {
            // The input ends within a code unit or within a surrogate pair.
            let is_broken = !std::mem::take(&mut self.partial_unit).is_empty()
                || self.high_surrogate.take().is_some();
            if is_broken {
                self.ready.push(INVALID_BYTE);
            }
            return Ok(is_broken);
        }
        match self.encoding {
            Encoding::Utf8 => self.ready = chunk,
            Encoding::Latin1 => chunk.iter().for_each(|byte| self.push(char::from(*byte))),
            Encoding::Windows1252 => chunk.iter().for_each(|byte| {
                self.push(match *byte {
                    byte @ 0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                    byte => char::from(byte),
                });
            }),
            Encoding::Utf16Le => self.push_utf16(&chunk, u16::from_le_bytes),
            Encoding::Utf16Be => self.push_utf16(&chunk, u16::from_be_bytes),
        }
        Ok(true)
    }

    fn push(&mut self, character: char) {
        let mut bytes = [0; 4];
        let text = character.encode_utf8(&mut bytes);
        self.ready.extend_from_slice(text.as_bytes());
    }

    fn push_utf16(&mut self, chunk: &[u8], unit: fn([u8; 2]) -> u16) {
        let mut bytes = std::mem::take(&mut self.partial_unit);
        bytes.extend_from_slice(chunk);
        let (units, rest) = bytes.as_chunks::<2>();
        for pair in units {
            self.push_unit(unit(*pair));
        }
        self.partial_unit = rest.to_vec();
    }

    fn push_unit(&mut self, unit: u16) {
        if let Some(high) = self.high_surrogate.take() {
            match char::decode_utf16([high, unit]).next() {
                Some(Ok(character)) => return self.push(character),
                _ => self.ready.push(INVALID_BYTE),
            }
        }
        match char::decode_utf16([unit]).next() {
            Some(Ok(character)) => self.push(character),
            _ if (0xd800..0xdc00).contains(&unit) => self.high_surrogate = Some(unit),
            _ => self.ready.push(INVALID_BYTE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time, like a slow pipe.
    struct OneByteReader(std::vec::IntoIter<u8>);

    impl Read for OneByteReader {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let Some(byte) = self.0.next() else {
                return Ok(0);
            };
            buffer[0] = byte;
            Ok(1)
        }
    }

    fn decode_bytes(bytes: Vec<u8>, encoding: Option<Encoding>) -> Vec<u8> {
        let mut text = Vec::new();
        let input = Box::new(OneByteReader(bytes.into_iter()));
        decode_to_utf8(input, encoding)
            .unwrap()
            .read_to_end(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn every_encoding_becomes_utf_8() {
        let text = "email;Größe 😀";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(
            decode_bytes(le.clone(), Some(Encoding::Utf16Le)),
            text.as_bytes()
        );
        assert_eq!(
            decode_bytes(be.clone(), Some(Encoding::Utf16Be)),
            text.as_bytes()
        );
        let marked = |mark: [u8; 2], bytes: Vec<u8>| [mark.to_vec(), bytes].concat();
        let with_mark = format!("\u{feff}{text}");
        assert_eq!(
            decode_bytes(marked([0xff, 0xfe], le), None),
            with_mark.as_bytes()
        );
        assert_eq!(
            decode_bytes(marked([0xfe, 0xff], be), None),
            with_mark.as_bytes()
        );
        assert_eq!(decode_bytes(text.into(), None), text.as_bytes());
        let euro = decode_bytes(b"Gr\xf6\xdfe \x80".to_vec(), Some(Encoding::Windows1252));
        assert_eq!(euro, "Größe €".as_bytes());
        let latin = decode_bytes(b"Gr\xf6\xdfe".to_vec(), Some(Encoding::Latin1));
        assert_eq!(latin, "Größe".as_bytes());
    }

    #[test]
    fn broken_utf_16_becomes_invalid_utf_8() {
        for units in [vec![0xd83d], vec![0xd83d, 0x41], vec![0xde00, 0x41]] {
            let bytes: Vec<u8> = units
                .iter()
                .flat_map(|unit: &u16| unit.to_le_bytes())
                .collect();
            let text = decode_bytes(bytes, Some(Encoding::Utf16Le));
            assert!(std::str::from_utf8(&text).is_err(), "{units:?}");
        }
        assert!(std::str::from_utf8(&decode_bytes(vec![0x41], Some(Encoding::Utf16Le))).is_err());
    }
}
