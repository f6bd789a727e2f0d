//! The states of signing keys: next, signing, retired, known, withdrawn. A state is computed from the times in the
//! rows, so all nodes agree without communication.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use super::oidc_keys::{self, StoredKey};
use super::sealed::SealingError;
use super::sealer::Sealer;
use crate::clock::{Clock, DAY};
use crate::config::{Config, KEY_PREPUBLISH_MILLIS, SigningAlgorithm};
use crate::crypto::signing::{self, NewKey, PublicKey, Signer};
use crate::db::{Cause, Store, StoreError, Tx};
use crate::named_enum::named_enum;
use crate::rng::Rng;

/// The time for which ID tokens of a retired signing key are accepted in `id_token_hint`, in milliseconds.
const RETIRED_KEY_RETENTION: i64 = 30 * DAY;
/// The allowance for the clocks of clients, in milliseconds: a retired signing key stays published for that long after
/// its last token has expired.
const MAX_CLOCK_SKEW: i64 = 5 * 60_000;

named_enum! {
    /// The state of a signing key.
    pub(crate) enum KeyState(
        is_published: bool,
        /// Whether tokens of the key are accepted in `id_token_hint`.
        is_accepted: bool
    ) {
        /// The key does not sign yet, except on a node whose clock is ahead.
        Next = "next", true, true;
        Signing = "signing", true, true;
        /// The key does not sign, but stays published until its last token has expired.
        Retired = "retired", true, true;
        AcceptedOnly = "known", false, true;
        /// The key is compromised.
        Withdrawn = "withdrawn", false, false;
    }
}

/// A signing key with its state.
pub(crate) struct ListedKey {
    pub stored: StoredKey,
    pub state: KeyState,
    /// The time when the key stops or stopped signing, if that is known.
    retired_at: Option<i64>,
}

impl ListedKey {
    fn public_key(&self) -> Result<PublicKey, StoreError> {
        let damaged = || StoreError::Other("a public key is damaged".into());
        PublicKey::parse(&self.stored.jwk).ok_or_else(damaged)
    }
}

/// Signs tokens with the current signing key, and generates and rotates signing keys.
pub(crate) struct SigningKeys {
    clock: Clock,
    rng: Rng,
    sealing: Arc<Sealer>,
    /// The signing keys that were decrypted so far.
    memory: Mutex<HashMap<Uuid, Arc<Signer>>>,
}

/// The time at which the next signing key begins to sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// The next signing key is published now, and signs after a day.
    Scheduled,
    /// After a compromise the next signing key signs immediately, and all earlier keys are withdrawn.
    Now,
}

impl SigningKeys {
    pub(crate) fn new(clock: &Clock, rng: &Rng, sealing: &Arc<Sealer>) -> SigningKeys {
        SigningKeys {
            clock: clock.clone(),
            rng: rng.clone(),
            sealing: sealing.clone(),
            memory: Mutex::default(),
        }
    }

    /// Generates a signing key for each algorithm that has no key or whose rotation is due. Returns the number of new
    /// keys. If several nodes do this at once, only one of them adds the key.
    pub(crate) async fn add_due_keys(
        &self,
        store: &Store,
        config: &Config,
    ) -> Result<u64, SealingError> {
        let mut added = 0;
        for algorithm in config.signing_algorithms() {
            let newest = find_newest(store, algorithm).await?;
            let now = self.clock.millis();
            let (number, active_at) = match newest {
                None => (1, now),
                Some(key) => {
                    let ends_at = key
                        .active_at
                        .saturating_add(config.oidc.key_lifetime.millis());
                    let earliest = now.saturating_add(KEY_PREPUBLISH_MILLIS);
                    if key.withdrawn_at.is_none() && ends_at > earliest {
                        continue;
                    }
                    (key.number + 1, ends_at.max(earliest))
                }
            };
            let is_ours = self
                .add(store, algorithm, number, active_at, Rotation::Scheduled)
                .await?;
            added += u64::from(is_ours);
        }
        Ok(added)
    }

    /// Rotates the signing keys of all algorithms in use. Returns the number of new keys. A scheduled rotation skips an
    /// algorithm whose next key is already published; an immediate rotation adds a key of each algorithm.
    pub(crate) async fn rotate(
        &self,
        store: &Store,
        config: &Config,
        rotation: Rotation,
    ) -> Result<u64, SealingError> {
        let mut added = 0;
        for algorithm in config.signing_algorithms() {
            loop {
                let newest = find_newest(store, algorithm).await?;
                let now = self.clock.millis();
                let active_at = match rotation {
                    Rotation::Now => now,
                    Rotation::Scheduled
                        if newest.as_ref().is_some_and(|key| key.active_at > now) =>
                    {
                        break;
                    }
                    Rotation::Scheduled => now.saturating_add(KEY_PREPUBLISH_MILLIS),
                };
                let number = newest.map_or(1, |key| key.number + 1);
                let is_ours = self
                    .add(store, algorithm, number, active_at, rotation)
                    .await?;
                added += u64::from(is_ours);
                // After a compromise the loop repeats, so that a key that another node has just added is withdrawn too.
                if is_ours || rotation == Rotation::Scheduled {
                    break;
                }
            }
        }
        Ok(added)
    }

    /// Adds a signing key. Returns false if another node has added a key with this number.
    async fn add(
        &self,
        store: &Store,
        algorithm: SigningAlgorithm,
        number: i64,
        active_at: i64,
        rotation: Rotation,
    ) -> Result<bool, SealingError> {
        let rng = self.rng.clone();
        let generated = tokio::task::spawn_blocking(move || NewKey::generate(algorithm, &rng));
        let new = generated.await.map_err(|error| {
            let text = format!("a signing key could not be made: {error}");
            StoreError::Other(Cause::new(text, error))
        })?;
        let now = self.clock.millis();
        let key = StoredKey {
            id: self.rng.id(now),
            algorithm: algorithm.as_str().to_owned(),
            number,
            kid: new.public_key.kid(),
            jwk: new.public_key.to_text(),
            created_at: now,
            active_at,
            withdrawn_at: None,
        };
        let mut tx = store.write().await?;
        let place = oidc_keys::secret_location(key.id);
        let sealed = self.sealing.seal(&mut tx, place, &new.private_key).await?;
        match oidc_keys::insert(&mut tx, &key, &sealed).await {
            Err(StoreError::UniqueViolation(_)) => return Ok(false),
            done => done?,
        }
        if rotation == Rotation::Now {
            oidc_keys::withdraw_keys_below(&mut tx, &key.algorithm, number, now).await?;
        }
        tx.commit().await?;
        tracing::info!(
            kid = key.kid,
            algorithm = key.algorithm,
            "a signing key was generated"
        );
        Ok(true)
    }

    pub(crate) async fn list(
        &self,
        tx: &mut Tx,
        config: &Config,
    ) -> Result<Vec<ListedKey>, StoreError> {
        let now = self.clock.millis();
        let published_for = config.oidc.id_token.millis().saturating_add(MAX_CLOCK_SKEW);
        Ok(with_states(oidc_keys::list(tx).await?, now, published_for))
    }

    /// Returns the key set (RFC 7517 section 5): the keys that will sign, that sign, and that signed a token which may
    /// still be valid.
    pub(crate) async fn list_published(
        &self,
        tx: &mut Tx,
        config: &Config,
    ) -> Result<Vec<PublicKey>, StoreError> {
        let keys = self.list(tx, config).await?;
        let published = keys.iter().filter(|key| key.state.is_published());
        published.map(ListedKey::public_key).collect()
    }

    /// Returns the public key with this id, if its tokens are still accepted in `id_token_hint`.
    pub(crate) async fn find_public_key(
        &self,
        tx: &mut Tx,
        config: &Config,
        kid: &str,
    ) -> Result<Option<PublicKey>, StoreError> {
        let keys = self.list(tx, config).await?;
        let mut keys = keys.iter();
        let found = keys.find(|key| key.stored.kid == kid && key.state.is_accepted());
        found.map(ListedKey::public_key).transpose()
    }

    /// Signs a token of the type `kind` with the current signing key of the algorithm.
    pub(crate) async fn sign(
        &self,
        tx: &mut Tx,
        algorithm: SigningAlgorithm,
        kind: &str,
        claims: &serde_json::Value,
    ) -> Result<String, SealingError> {
        let now = self.clock.millis();
        let found = oidc_keys::find_signing_key(tx, algorithm.as_str(), now).await?;
        let missing =
            || StoreError::Other(format!("there is no {} key", algorithm.as_str()).into());
        let (id, kid) = found.ok_or_else(missing)?;
        let signer = match self.cached_signer(id) {
            Some(signer) => signer,
            None => self.open_signer(tx, algorithm, id).await?,
        };
        Ok(signing::sign_token(&signer, &kid, kind, claims))
    }

    fn cached_signer(&self, id: Uuid) -> Option<Arc<Signer>> {
        let memory = self.memory.lock().expect("no panic while held");
        memory.get(&id).cloned()
    }

    async fn open_signer(
        &self,
        tx: &mut Tx,
        algorithm: SigningAlgorithm,
        id: Uuid,
    ) -> Result<Arc<Signer>, SealingError> {
        let damaged = || StoreError::Other("a signing key is damaged".into());
        let sealed = oidc_keys::private_key(tx, id).await?.ok_or_else(damaged)?;
        let plain = self.sealing.open(oidc_keys::secret_location(id), &sealed)?;
        let signer = Arc::new(Signer::parse(algorithm, &plain).ok_or_else(damaged)?);
        let mut memory = self.memory.lock().expect("no panic while held");
        memory.insert(id, signer.clone());
        Ok(signer)
    }

    /// Removes the signing keys that are no longer accepted in `id_token_hint`. Returns the number of removed keys.
    pub(crate) async fn delete_expired(
        &self,
        tx: &mut Tx,
        config: &Config,
    ) -> Result<u64, StoreError> {
        let now = self.clock.millis();
        let mut removed = 0;
        for key in self.list(tx, config).await? {
            let ended_at = key.stored.withdrawn_at.or(key.retired_at);
            if ended_at.is_some_and(|at| at.saturating_add(RETIRED_KEY_RETENTION) <= now) {
                oidc_keys::remove(tx, key.stored.id).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// Returns the algorithm's signing key with the highest number.
async fn find_newest(
    store: &Store,
    algorithm: SigningAlgorithm,
) -> Result<Option<StoredKey>, StoreError> {
    let keys = oidc_keys::list(&mut store.read().await?).await?.into_iter();
    let own = keys.filter(|key| key.algorithm == algorithm.as_str());
    Ok(own.max_by_key(|key| key.number))
}

/// Returns the states of signing keys that are ordered by algorithm and number.
fn with_states(keys: Vec<StoredKey>, now: i64, published_for: i64) -> Vec<ListedKey> {
    let retired_at = |key: &StoredKey| {
        let later = keys.iter().filter(|other| {
            other.algorithm == key.algorithm
                && other.number > key.number
                && other.withdrawn_at.is_none()
        });
        later.map(|other| other.active_at).min()
    };
    let of = |key: &StoredKey| match (key.withdrawn_at, retired_at(key)) {
        (Some(_), _) => KeyState::Withdrawn,
        (None, Some(at)) if at.saturating_add(published_for) <= now => KeyState::AcceptedOnly,
        (None, Some(at)) if at <= now => KeyState::Retired,
        _ if key.active_at > now => KeyState::Next,
        _ => KeyState::Signing,
    };
    let with_state = |key: &StoredKey| ListedKey {
        state: of(key),
        retired_at: retired_at(key),
        stored: key.clone(),
    };
    keys.iter().map(with_state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: i64, active_at: i64, withdrawn_at: Option<i64>) -> StoredKey {
        StoredKey {
            id: Uuid::from_u128(number as u128),
            algorithm: "ES256".to_owned(),
            number,
            kid: number.to_string(),
            jwk: String::new(),
            created_at: 0,
            active_at,
            withdrawn_at,
        }
    }

    // security: OP-12
    #[test]
    fn a_key_is_published_before_it_signs_and_until_its_last_token_has_expired() {
        use KeyState::{AcceptedOnly, Next, Retired, Signing, Withdrawn};
        let two = vec![key(1, 0, None), key(2, 100, None)];
        for (now, expected) in [
            (50, [Signing, Next]),
            (99, [Signing, Next]),
            (100, [Retired, Signing]),
            (109, [Retired, Signing]),
            (110, [AcceptedOnly, Signing]),
        ] {
            let found = with_states(two.clone(), now, 10);
            let found: Vec<_> = found.iter().map(|key| key.state).collect();
            assert_eq!(found, expected, "at {now}");
        }
        let compromised = vec![key(1, 0, Some(50)), key(2, 100, Some(50)), key(3, 50, None)];
        let found: Vec<_> = with_states(compromised, 50, 10)
            .iter()
            .map(|key| key.state)
            .collect();
        assert_eq!(found, [Withdrawn, Withdrawn, Signing]);
    }
}
