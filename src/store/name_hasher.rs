//! Keyed hashes of names, for names that a table must not reveal.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::secrets;
use crate::db::{Result, Tx};
use crate::rng::Rng;

/// Makes keyed hashes of former email addresses and of the usernames of deleted accounts. The tables store only the
/// hashes, so that they reveal neither.
#[derive(Clone)]
pub struct NameHasher {
    key: Vec<u8>,
}

impl NameHasher {
    /// Reads the hash key of this installation, or creates the key if there is none.
    pub(crate) async fn load(tx: &mut Tx, rng: &Rng) -> Result<NameHasher> {
        let key = secrets::get_or_create(tx, "usernames", rng).await?;
        Ok(NameHasher { key })
    }

    /// Returns the HMAC-SHA-256 of the lookup key of an email address, which contains an @, or of a username without @.
    pub(crate) fn hash(&self, key: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(key.as_bytes());
        mac.finalize().into_bytes().into()
    }
}
