//! Encryption at rest: values that the program must read again are sealed with AES-256-GCM (NIST SP 800-38D) under a
//! key of `security.encryption_key_file`. A sealed value is bound to its table, column and row, so it cannot be opened
//! in another row.
//!
//! A sealed value consists of version (1 byte), key id (4 bytes), nonce (12 bytes), ciphertext, and tag (16 bytes).

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::named_enum::named_enum;
use crate::rng::Rng;

pub(crate) mod key_file;
mod keys;

pub use keys::Keys;
pub(crate) use keys::{Key, KeyId};

const FORMAT_VERSION: u8 = 1;
/// The number of bytes of the version and the key id before the nonce.
const HEADER_BYTES: usize = 1 + size_of::<KeyId>();

#[derive(Debug, thiserror::Error)]
pub enum SealError {
    #[error(
        "a value is encrypted under the key {0}, which security.encryption_key_file does not contain"
    )]
    UnknownKey(KeyId),
    #[error("an encrypted value is damaged, or belongs to another row")]
    Damaged,
}

named_enum! {
    /// The columns that contain sealed values. A rotation of the encryption keys re-encrypts all of these columns.
    pub enum SealedColumn(
        table: &'static str,
        /// The column that identifies a row of the table.
        row_id: &'static str
    ) {
        TotpSecret = "secret", "totp", "account_id";
        SigningKey = "private_key", "oidc_keys", "id";
    }
}

/// The column and row in which a sealed value is stored.
#[derive(Debug, Clone, Copy)]
pub struct FieldLocation {
    pub column: SealedColumn,
    pub row: Uuid,
}

impl FieldLocation {
    fn associated_data(&self) -> Vec<u8> {
        let (table, name) = (self.column.table(), self.column.as_str());
        let mut data = format!("{table}\0{name}\0").into_bytes();
        data.extend_from_slice(self.row.as_bytes());
        data
    }
}

/// Encrypts a value for the column and row where it will be stored.
pub fn seal(key: &Key, location: FieldLocation, plain: &[u8], rng: &Rng) -> Vec<u8> {
    let nonce = rng.bytes::<NONCE_LEN>();
    let mut text = plain.to_vec();
    aead(key)
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(location.associated_data()),
            &mut text,
        )
        .expect("a value is far shorter than the 64 GiB of one nonce");
    let id = key.id();
    let head = [&[FORMAT_VERSION][..], id.as_bytes(), &nonce];
    [head.concat(), text].concat()
}

/// Returns the id of the encryption key that sealed a value.
pub(crate) fn key_id(sealed: &[u8]) -> Result<KeyId, SealError> {
    match sealed.split_at_checked(HEADER_BYTES) {
        Some(([FORMAT_VERSION, id @ ..], _)) => KeyId::from_bytes(id).ok_or(SealError::Damaged),
        _ => Err(SealError::Damaged),
    }
}

/// Decrypts a value with the encryption key whose id the value contains.
pub fn open(
    keys: &Keys,
    place: FieldLocation,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let id = key_id(sealed)?;
    let key = keys.find(id).ok_or(SealError::UnknownKey(id))?;
    open_with(key, place, sealed)
}

/// Decrypts a value with the encryption key whose id `key_id` returned.
pub(crate) fn open_with(
    key: &Key,
    place: FieldLocation,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let (nonce, text) = sealed[HEADER_BYTES..]
        .split_at_checked(NONCE_LEN)
        .ok_or(SealError::Damaged)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError::Damaged)?;
    let mut text = Zeroizing::new(text.to_vec());
    let length = aead(key)
        .open_in_place(nonce, Aad::from(place.associated_data()), &mut text)
        .map_err(|_| SealError::Damaged)?
        .len();
    text.truncate(length);
    Ok(text)
}

fn aead(key: &Key) -> LessSafeKey {
    let key = UnboundKey::new(&AES_256_GCM, key.bytes()).expect("a key has 32 bytes");
    LessSafeKey::new(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(row: u128) -> FieldLocation {
        FieldLocation {
            column: SealedColumn::TotpSecret,
            row: Uuid::from_u128(row),
        }
    }

    // security: TF-5
    #[test]
    fn a_sealed_value_opens_only_with_its_key_at_its_place_and_unchanged() {
        let rng = Rng::seeded("sealing");
        let keys = Keys::new(&rng);
        let sealed = seal(keys.newest(), field(1), b"secret", &rng);
        assert_eq!(*open(&keys, field(1), &sealed).unwrap(), b"secret");
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        let others = [
            field(2),
            FieldLocation {
                column: SealedColumn::SigningKey,
                ..field(1)
            },
        ];
        for other in others {
            assert!(open(&keys, other, &sealed).is_err(), "{other:?}");
        }
        assert!(open(&Keys::new(&rng), field(1), &sealed).is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&keys, field(1), &changed).is_err(), "byte {at}");
            assert!(open(&keys, field(1), &sealed[..at]).is_err(), "length {at}");
        }
    }

    #[test]
    fn a_value_sealed_twice_differs() {
        let rng = Rng::seeded("sealing");
        let keys = Keys::new(&rng);
        let one = seal(keys.newest(), field(1), b"secret", &rng);
        assert_ne!(one, seal(keys.newest(), field(1), b"secret", &rng));
    }
}
