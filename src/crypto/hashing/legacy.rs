//! Password hashes of legacy systems, which are parsed, checked against cost limits and verified.
//!
//! [`Scheme`] lists the supported formats. `LegacyHash::parse` refuses an unknown, damaged or too expensive hash (see
//! [`cost`]), so a [`LegacyHash`] can be verified without further checks. This program never writes such hashes,
//! because a migrated account gets an Argon2id hash.

mod argon2;
mod bcrypt;
mod cost;
mod crypt64;
mod md5_crypt;
mod mediawiki;
mod pbkdf2;
mod phc;
mod phpass;
mod scheme;
mod scrypt;
mod sha_crypt;
mod ssha;
#[cfg(test)]
mod tests;
mod typed;
mod unknown;

use std::fmt;

pub(crate) use scheme::Scheme;
use typed::Transform;
pub(crate) use unknown::name_format;

/// The maximum length of an accepted hash. The longest real hash (PBKDF2-SHA512 with a long salt) has less than 300
/// bytes.
const MAX_HASH_BYTES: usize = 1024;

/// A function that returns whether a password matches the parsed hash, which the function has captured.
type Verifier = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

type HashResult<T = Verifier> = Result<T, HashRefused>;

/// A password hash of a legacy system whose parameters are within the cost limits.
///
/// One computation takes at most about a second of one core and 129 MiB of memory ([`cost`]). [`LegacyHash::verify`]
/// makes at most two computations.
pub struct LegacyHash {
    scheme: Scheme,
    transform: Transform,
    matches: Verifier,
}

/// The reason why a text is refused as a legacy password hash. The error never repeats the text, which is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashRefused {
    /// The format of the hash is unknown. The account can migrate only by a mailed link.
    #[error("the format of the password hash is unknown")]
    UnknownFormat,
    /// The format of the hash is known, but its parameters would let one sign-in exhaust the machine.
    #[error("the password hash needs more time or memory than one sign-in may use")]
    TooCostly,
    /// The format is known, but the hash is truncated, damaged or weaker than the hashes of any real system.
    #[error("the password hash is damaged")]
    Malformed,
}

impl LegacyHash {
    /// Parses a hash exactly as the legacy system stored it. White space around the hash is an error.
    ///
    /// # Errors
    /// See [`HashRefused`].
    pub fn parse(text: &str) -> HashResult<LegacyHash> {
        let (scheme, rest) = Scheme::parse_prefix(text)?;
        if text.len() > MAX_HASH_BYTES {
            return Err(HashRefused::Malformed);
        }
        Ok(LegacyHash {
            scheme,
            transform: Transform::of(scheme, text),
            matches: scheme.parser()(rest)?,
        })
    }

    /// Returns whether the typed password matches this hash. The hashes are compared in constant time.
    ///
    /// Tries the password as typed (UTF-8). If the legacy system may have changed passwords before hashing, also tries
    /// the changed password, because the hash does not show which of them was hashed. Callers run this function on a
    /// hashing thread, because it blocks as long as the legacy system's own check.
    #[must_use]
    pub fn verify(&self, typed: &str) -> bool {
        (self.matches)(typed.as_bytes())
            || self
                .transform
                .apply(typed)
                .is_some_and(|changed| (self.matches)(changed.as_bytes()))
    }

    /// Returns the format of the hash, for statistics by format.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }
}

/// Formats only the name of the scheme, so that the hash does not reach a log.
impl fmt::Debug for LegacyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LegacyHash")
            .field(&self.scheme.as_str())
            .finish()
    }
}

/// Returns whether the password contains a NUL. crypt(3) and bcrypt end a password at the first NUL, so they would
/// accept "secret\0anything" for "secret". The systems with such hashes never accepted a password with a NUL, so no
/// user has such a password.
fn has_nul(password: &[u8]) -> bool {
    password.contains(&0)
}
