//! Randomness as a parameter: that of the operating system, or seeded randomness for repeatable tests.

#[cfg(test)]
use std::sync::{Arc, Mutex};

#[cfg(test)]
use sha2::{Digest, Sha256};
use uuid::Uuid;

#[derive(Debug, Clone)]
pub enum Rng {
    System,
    #[cfg(test)]
    Seeded(Arc<Mutex<[u8; 32]>>),
}

impl Rng {
    #[cfg(test)]
    pub(crate) fn seeded(seed: &str) -> Rng {
        Rng::Seeded(Arc::new(Mutex::new(Sha256::digest(seed).into())))
    }

    #[expect(clippy::disallowed_methods, reason = "the one source of randomness")]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        match self {
            Rng::System => getrandom::fill(&mut out).expect("the operating system's randomness"),
            #[cfg(test)]
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

    /// Returns a UUIDv7 (RFC 9562), so that the rows of a table are ordered by their creation.
    pub fn id(&self, now_millis: i64) -> Uuid {
        let random = self.bytes::<10>();
        uuid::Builder::from_unix_timestamp_millis(now_millis.max(0) as u64, &random).into_uuid()
    }
    /// Returns ascending ids of one millisecond (RFC 9562 section 6.2, method 2), so that rows that are written
    /// together are adjacent in the index.
    pub fn ids(&self, now_millis: i64, count: usize) -> impl Iterator<Item = Uuid> {
        // The ids count up in the 62 random bits after the UUID's variant bits. The highest random bit is 0 at first,
        // so that the count cannot overflow.
        let first = self.id(now_millis).as_u128() & !(1 << 61);
        (0..count as u128).map(move |n| Uuid::from_u128(first + n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_millisecond_ascend_and_are_version_seven() {
        let ids: Vec<_> = Rng::seeded("ids").ids(1_795_262_400_000, 1000).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.is_sorted_by(|a, b| a < b));
        for id in ids {
            assert_eq!(id.get_version_num(), 7);
            assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
        }
    }
}
