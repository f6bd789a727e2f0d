//! Argon2id (RFC 9106, version 19) by two implementations that must agree.
//!
//! `argon2-rust` computes hashes with the widest vector instructions of the processor. RustCrypto's `argon2` reads and
//! writes PHC strings, and computes hashes whose parameters `argon2-rust` does not support. The results of both
//! implementations are compared on this processor before the first hash (docs/decisions/argon2.md).

use std::sync::OnceLock;

use argon2::password_hash::phc::{Output, ParamsString, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Params, PasswordHash, PasswordVerifier, Version};
use argon2_rust::params::{Memory, TagLen};
use zeroize::Zeroizing;

use crate::domain::password::Password;
use crate::rng::Rng;

pub(super) struct Engine {
    params: Params,
    /// Whether the fast implementation agrees with the portable implementation, which the first hashing thread checks.
    fast: OnceLock<bool>,
}

/// The reason why a hash could not be computed, which is usually a failed allocation of memory.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("Argon2id with vector instructions")]
    Fast(#[from] argon2_rust::Error),
    #[error("Argon2id")]
    Portable(#[from] argon2::Error),
    #[error("a PHC string of Argon2id")]
    Phc(#[from] argon2::password_hash::phc::Error),
    #[error("a stored hash of another Argon2")]
    Other(#[from] argon2::password_hash::Error),
}

impl Engine {
    pub(super) fn new(params: Params) -> Engine {
        Engine {
            params,
            fast: OnceLock::new(),
        }
    }

    /// Returns whether the fast implementation may be used. The first call compares the two implementations, and
    /// concurrent calls wait for the result.
    pub(super) fn is_fast(&self) -> bool {
        *self.fast.get_or_init(|| {
            let agree = implementations_agree(&self.params);
            if agree {
                tracing::debug!(kernel = %argon2_rust::detected_backend(), "password hashing");
            } else {
                tracing::error!(
                    "the fast Argon2id is wrong on this processor: the portable one is used"
                );
            }
            agree
        })
    }

    /// Returns the working memory of a hashing thread, which is allocated when the thread computes a hash.
    pub(super) fn arena(&self) -> Arena {
        Arena {
            hasher: fast_argon2(argon2_rust::Params::DEFAULT).hasher(),
            keep_kib: self.params.m_cost() as usize,
        }
    }

    pub(super) fn hash(
        &self,
        arena: &mut Arena,
        password: &Password,
        salt: &[u8],
    ) -> Result<String, EngineError> {
        let mut out = Zeroizing::new([0; Params::DEFAULT_OUTPUT_LEN]);
        self.compute_hash(
            arena,
            &self.params,
            password.as_bytes(),
            salt,
            out.as_mut_slice(),
        )?;
        let hash = PasswordHash {
            algorithm: ARGON2ID_IDENT,
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&self.params)?,
            salt: Some(Salt::new(salt)?),
            hash: Some(Output::new(out.as_slice())?),
        };
        Ok(hash.to_string())
    }

    pub(super) fn verify(
        &self,
        arena: &mut Arena,
        password: &Password,
        hash: &str,
    ) -> Result<bool, EngineError> {
        let parsed = match PasswordHash::new(hash) {
            Ok(parsed) => parsed,
            Err(error) => {
                tracing::error!(%error, "a stored password hash cannot be read");
                return Ok(false);
            }
        };
        let is_ours =
            parsed.algorithm == ARGON2ID_IDENT && parsed.version == Some(Version::V0x13.into());
        let (true, Some(salt), Some(expected)) = (is_ours, parsed.salt, parsed.hash) else {
            return match Argon2::default().verify_password(password.as_bytes(), &parsed) {
                Ok(()) => Ok(true),
                Err(argon2::password_hash::Error::PasswordInvalid) => Ok(false),
                Err(error) => Err(error.into()),
            };
        };
        let mut out = Zeroizing::new(vec![0; expected.len()]);
        let params = Params::try_from(&parsed)?;
        self.compute_hash(arena, &params, password.as_bytes(), &salt, &mut out)?;
        // The type `Output` compares hashes in constant time.
        Ok(Output::new(&out)? == expected)
    }

    /// Writes the raw hash to `out`. The fast implementation computes the hash if it supports the parameters, otherwise
    /// the portable implementation.
    fn compute_hash(
        &self,
        arena: &mut Arena,
        params: &Params,
        password: &[u8],
        salt: &[u8],
        out: &mut [u8],
    ) -> Result<(), EngineError> {
        if let Some(fast) = self.fast_params(params, out.len()) {
            return Ok(arena.compute_hash(fast, password, salt, out)?);
        }
        let portable = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        Ok(portable.hash_password_into(password, salt, out)?)
    }

    /// Returns the parameters for the fast implementation, or `None` if only the portable implementation supports them.
    fn fast_params(&self, params: &Params, tag_bytes: usize) -> Option<argon2_rust::Params> {
        if !self.is_fast() || !params.keyid().is_empty() || !params.data().is_empty() {
            return None;
        }
        argon2_rust::Params::builder()
            .memory(Memory::kib(params.m_cost().into()))
            .passes(params.t_cost())
            .lanes(params.p_cost())
            .tag_len(TagLen::bytes(tag_bytes as u64))
            .build()
            .ok()
    }

    pub(super) fn is_outdated(&self, hash: &str) -> bool {
        let today = &self.params;
        let parsed = PasswordHash::new(hash).ok();
        let params = parsed.as_ref().and_then(|hash| Params::try_from(hash).ok());
        params.is_none_or(|old| {
            (old.m_cost(), old.t_cost(), old.p_cost())
                != (today.m_cost(), today.t_cost(), today.p_cost())
        })
    }

    /// Returns a random PHC string with the configured parameters, which no password matches.
    pub(super) fn decoy_hash(&self, rng: &Rng) -> String {
        use base64::Engine as _;
        let p = &self.params;
        let b64 = base64::engine::general_purpose::STANDARD_NO_PAD;
        let (salt, output) = (b64.encode(rng.bytes::<16>()), b64.encode(rng.bytes::<32>()));
        let (m, t, l) = (p.m_cost(), p.t_cost(), p.p_cost());
        format!("$argon2id$v=19$m={m},t={t},p={l}${salt}${output}")
    }
}

/// The working memory of one hashing thread. The memory is mapped once, in huge pages if the system has some, and wiped
/// after each hash.
pub(super) struct Arena {
    hasher: argon2_rust::Hasher,
    keep_kib: usize,
}

impl Arena {
    fn compute_hash(
        &mut self,
        params: argon2_rust::Params,
        password: &[u8],
        salt: &[u8],
        out: &mut [u8],
    ) -> Result<(), argon2_rust::Error> {
        self.hasher.set_argon2(fast_argon2(params));
        let result = self.hasher.hash_into(password, salt, out);
        // A stored hash can need more memory than the configured parameters. Surplus memory is freed after the hash.
        if self.hasher.reserved_blocks() > self.keep_kib {
            self.hasher.clear();
        }
        result
    }
}

fn fast_argon2(params: argon2_rust::Params) -> argon2_rust::Argon2 {
    argon2_rust::Argon2::new(
        argon2_rust::Algorithm::Argon2id,
        argon2_rust::Version::V0x13,
        params,
    )
}

/// The memory for each lane when the implementations are compared. The implementations treat all blocks of memory
/// alike, so a comparison with more memory would find no further error. The configured memory would delay every start
/// by two full hashes.
const COMPARED_KIB_PER_LANE: u32 = 64;

/// Returns whether both implementations compute the same hash with the configured passes and lanes. The processor in
/// production can differ from that of the tests, and a wrong stored hash would lock people out of their accounts.
fn implementations_agree(configured: &Params) -> bool {
    let lanes = configured.p_cost();
    let memory_kib = configured.m_cost().min(COMPARED_KIB_PER_LANE * lanes);
    let params = &Params::new(memory_kib, configured.t_cost(), lanes, None)
        .expect("at least the memory that the lanes need");
    let (password, salt) = (
        b"a start of the server".as_slice(),
        b"sixteen bytes 16".as_slice(),
    );
    let fast_engine = Engine {
        params: params.clone(),
        fast: OnceLock::from(true),
    };
    let portable_engine = Engine {
        params: params.clone(),
        fast: OnceLock::from(false),
    };
    let tag = |engine: &Engine| {
        let mut out = [0; Params::DEFAULT_OUTPUT_LEN];
        engine
            .compute_hash(&mut engine.arena(), params, password, salt, &mut out)
            .map(|()| out)
    };
    matches!(
        (tag(&fast_engine), tag(&portable_engine)),
        (Ok(fast), Ok(portable)) if fast == portable
    )
}

#[cfg(test)]
mod tests;
