//! Seals (encrypts) and opens (decrypts) values while the program runs. After a key rotation the program needs no
//! restart, because it reads the key file again when a value names an encryption key that is not in memory.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use zeroize::Zeroizing;

use super::sealed::{self, SealingError};
use crate::clock::Clock;
use crate::crypto::sealing::{self, FieldLocation, Key, KeyId, Keys, key_file};
use crate::db::Tx;
use crate::rng::Rng;

/// The shortest time between two reads of the key file for the same missing encryption key.
const KEY_FILE_READ_INTERVAL_MILLIS: i64 = 1000;

/// Encrypts and decrypts values with the keys of `security.encryption_key_file`.
pub struct Sealer {
    path: PathBuf,
    clock: Clock,
    rng: Rng,
    cache: Mutex<KeyCache>,
}

#[derive(Default)]
struct KeyCache {
    /// All encryption keys that were read so far. A value that was loaded before a key rotation needs the old key.
    keys: Vec<Key>,
    /// The last encryption key that the key file did not contain, and the time at which the file was read.
    missing: Option<(KeyId, i64)>,
}

impl Sealer {
    pub(crate) fn new(path: &Path, clock: &Clock, rng: &Rng) -> Sealer {
        Sealer {
            path: path.to_owned(),
            clock: clock.clone(),
            rng: rng.clone(),
            cache: Mutex::default(),
        }
    }

    /// Encrypts a value for its column and row, which `tx` writes. A key rotation waits until `tx` ends and then
    /// re-encrypts the value. The key's row is locked after the rows of account, session, token and rate limit.
    pub async fn seal(
        &self,
        tx: &mut Tx,
        place: FieldLocation,
        plain: &[u8],
    ) -> Result<Vec<u8>, SealingError> {
        let current = sealed::lock_current_key_id(tx).await?;
        let id = current.ok_or_else(|| SealingError::NoKey(self.path.display().to_string()))?;
        Ok(sealing::seal(&self.find_key(id)?, place, plain, &self.rng))
    }

    /// Decrypts a value of this column and row.
    pub fn open(
        &self,
        place: FieldLocation,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, SealingError> {
        let key = self.find_key(sealing::key_id(sealed)?)?;
        Ok(sealing::open_with(&key, place, sealed)?)
    }

    fn find_key(&self, id: KeyId) -> Result<Key, SealingError> {
        let unknown = || SealingError::WrongKey(self.path.display().to_string(), id.to_string());
        let mut cache = self.cache.lock().expect("no panic while held");
        if let Some(key) = cache.find(id) {
            return Ok(key);
        }
        let now = self.clock.millis();
        if cache.is_known_missing(id, now) {
            return Err(unknown());
        }
        cache.add(key_file::read(&self.path)?);
        let found = cache.find(id);
        cache.missing = found.is_none().then_some((id, now));
        found.ok_or_else(unknown)
    }
}

impl KeyCache {
    fn find(&self, id: KeyId) -> Option<Key> {
        self.keys.iter().find(|key| key.id() == id).cloned()
    }

    fn add(&mut self, read: Option<Keys>) {
        for key in read.iter().flat_map(Keys::all) {
            if self.find(key.id()).is_none() {
                self.keys.push(key.clone());
            }
        }
    }

    fn is_known_missing(&self, id: KeyId, now: i64) -> bool {
        self.missing.is_some_and(|(missing, at)| {
            missing == id && (0..KEY_FILE_READ_INTERVAL_MILLIS).contains(&now.saturating_sub(at))
        })
    }
}
