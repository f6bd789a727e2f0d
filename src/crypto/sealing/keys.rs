//! The keys of the encryption key file. The file has a line `<id> <base64>` for each key, the newest key first.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::rng::Rng;

/// The id of an encryption key, which consists of the first bytes of the key's SHA-256 digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; 4]);

impl KeyId {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<KeyId> {
        bytes.try_into().ok().map(KeyId)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

#[derive(Clone)]
pub struct Key {
    id: KeyId,
    bytes: Zeroizing<[u8; 32]>,
}

impl Key {
    fn new(bytes: Zeroizing<[u8; 32]>) -> Key {
        let hash = Sha256::digest(*bytes);
        let id = KeyId([hash[0], hash[1], hash[2], hash[3]]);
        Key { id, bytes }
    }

    pub fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    fn parse(line: &str) -> Option<Key> {
        let (id, encoded) = line.split_once(' ')?;
        let decoded = Zeroizing::new(STANDARD.decode(encoded.trim()).ok()?);
        let key = Key::new(Zeroizing::new(decoded.as_slice().try_into().ok()?));
        (key.id.to_string() == id).then_some(key)
    }
}

/// One or more keys, the newest first.
#[derive(Clone)]
pub struct Keys(Vec<Key>);

impl Keys {
    pub(crate) fn new(rng: &Rng) -> Keys {
        Keys(vec![Key::new(Zeroizing::new(rng.bytes()))])
    }

    /// Parses the content of a key file. The error is the number of the first invalid line.
    pub(super) fn parse(text: &str) -> Result<Keys, usize> {
        let lines = text.lines().enumerate();
        let keys = lines.map(|(at, line)| Key::parse(line).ok_or(at + 1));
        let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
        match keys.is_empty() {
            true => Err(1),
            false => Ok(Keys(keys)),
        }
    }

    pub(super) fn to_text(&self) -> Zeroizing<String> {
        let lines = self.all().map(|key| {
            let encoded = Zeroizing::new(STANDARD.encode(key.bytes()));
            format!("{} {}\n", key.id, *encoded)
        });
        Zeroizing::new(lines.collect())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Key> {
        self.0.iter()
    }

    pub fn newest(&self) -> &Key {
        &self.0[0]
    }

    pub fn find(&self, id: KeyId) -> Option<&Key> {
        self.all().find(|key| key.id == id)
    }

    /// Returns whether there are several keys, which means that a key rotation has begun and is not finished.
    pub(super) fn is_rotating(&self) -> bool {
        self.0.len() > 1
    }

    pub(super) fn with_new_key(&self, rng: &Rng) -> Keys {
        Keys([Keys::new(rng).0, self.0.clone()].concat())
    }

    pub(super) fn only_newest(&self) -> Keys {
        Keys(vec![self.newest().clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_keys_is_read_back_with_the_newest_first() {
        let rng = Rng::seeded("keys");
        let one = Keys::new(&rng);
        let two = one.with_new_key(&rng);
        let read = Keys::parse(&two.to_text()).ok().unwrap();
        assert_eq!(read.newest().id(), two.newest().id());
        assert!(read.find(one.newest().id()).is_some() && read.is_rotating());
        assert!(!read.only_newest().is_rotating());
    }

    #[test]
    fn a_wrong_line_is_named_by_its_number() {
        let text = Keys::new(&Rng::seeded("keys")).to_text();
        assert_eq!(Keys::parse("").err(), Some(1));
        assert_eq!(Keys::parse(&format!("{}x\n", *text)).err(), Some(2));
        let other_id = format!("00000000 {}", text.split_once(' ').unwrap().1);
        assert_eq!(Keys::parse(&other_id).err(), Some(1));
    }
}
