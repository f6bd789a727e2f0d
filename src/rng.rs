//! Randomness as a parameter: the operating system's, or a seeded one in tests that need repeats.

use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub enum Rng {
    System,
    Seeded(Arc<Mutex<[u8; 32]>>),
}

impl Rng {
    pub fn seeded(seed: &str) -> Rng {
        Rng::Seeded(Arc::new(Mutex::new(Sha256::digest(seed).into())))
    }

    #[expect(clippy::disallowed_methods, reason = "the one source of randomness")]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        match self {
            Rng::System => getrandom::fill(&mut out).expect("the operating system's randomness"),
            Rng::Seeded(state) => {
                let mut state = state.lock().expect("no panic while held");
                for chunk in out.chunks_mut(32) {
                    *state = Sha256::digest(*state).into();
                    chunk.copy_from_slice(&Sha256::digest(*state)[..chunk.len()]);
                }
            }
        }
        out
    }

    /// A UUIDv7 (RFC 9562): rows of one table lie in the order of their making.
    pub fn id(&self, now_millis: i64) -> Uuid {
        let random = self.bytes::<10>();
        uuid::Builder::from_unix_timestamp_millis(now_millis.max(0) as u64, &random).into_uuid()
    }
}
