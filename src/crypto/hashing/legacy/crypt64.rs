//! The base64 variant of crypt(3), which has its own alphabet, is little endian and has no padding.

const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the value of one base64 character, which is from 0 to 63.
pub(super) fn digit_value(character: u8) -> Option<u8> {
    let index = ALPHABET.iter().position(|known| *known == character)?;
    u8::try_from(index).ok()
}

/// Returns whether `text` consists of `length` characters of the alphabet of crypt(3).
pub(super) fn is_digest(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| digit_value(byte).is_some())
}

/// Encodes each group of three bytes as four characters. If two bytes remain, they become three characters, and a
/// single byte becomes two.
pub(super) fn encode(bytes: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut text = Vec::new();
    let mut bits = 0_u32;
    let mut buffered = 0;
    for byte in bytes {
        bits |= u32::from(byte) << buffered;
        buffered += 8;
        while buffered >= 6 {
            text.push(encode_digit(bits));
            bits >>= 6;
            buffered -= 6;
        }
    }
    if buffered > 0 {
        text.push(encode_digit(bits));
    }
    text
}

fn encode_digit(bits: u32) -> u8 {
    ALPHABET[(bits & 63) as usize]
}
