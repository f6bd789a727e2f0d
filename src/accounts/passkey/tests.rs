//! Verifies the test vectors in `testdata/passkeys/vectors.json`: authenticator responses with at most one mistake.
//! `e2e/passkeys/vectors.test.mjs` verifies the same test vectors with a reference library.

use serde::Deserialize;
use serde_json::Value;

use crate::accounts::passkey::encoding::parse_strict;
use crate::accounts::passkey::public_key::PublicKey;
use crate::accounts::passkey::{Assertion, Base64UrlBytes, Challenge, NewCredential, Passkey};
use crate::config::RelyingParty;

#[derive(Deserialize)]
struct VectorFile {
    challenge: Base64UrlBytes,
    rp_id: String,
    origin: String,
    vectors: Vec<TestVector>,
}

#[derive(Deserialize)]
struct TestVector {
    name: String,
    credential: Value,
    /// The stored passkey, if the response is an assertion.
    stored: Option<StoredVector>,
    /// Whether the verification of this crate accepts the response.
    ours: bool,
}

#[derive(Deserialize)]
struct StoredVector {
    key: Base64UrlBytes,
    counter: u32,
    backup_eligible: bool,
}

impl StoredVector {
    fn passkey(&self) -> Passkey {
        Passkey {
            key: PublicKey::parse(&parse_strict(&self.key.0).unwrap().0).unwrap(),
            counter: crate::accounts::passkey::relevant_counter(self.counter, self.backup_eligible),
            backup_eligible: self.backup_eligible,
            backed_up: self.backup_eligible,
        }
    }
}

impl TestVector {
    fn is_accepted(&self, party: &RelyingParty, challenge: &Challenge) -> bool {
        let credential = self.credential.clone();
        match &self.stored {
            None => serde_json::from_value::<NewCredential>(credential)
                .is_ok_and(|new| new.verify(party, challenge).is_ok()),
            Some(stored) => serde_json::from_value::<Assertion>(credential)
                .is_ok_and(|answer| answer.verify(party, challenge, &stored.passkey()).is_ok()),
        }
    }
}

#[test]
fn every_answer_with_a_mistake_is_refused() {
    let file = include_str!("../../../testdata/passkeys/vectors.json");
    let file: VectorFile = serde_json::from_str(file).unwrap();
    let party = RelyingParty {
        id: file.rp_id,
        origins: vec![file.origin],
    };
    let challenge = Challenge(file.challenge);
    for vector in &file.vectors {
        let accepted = vector.is_accepted(&party, &challenge);
        assert_eq!(accepted, vector.ours, "{}", vector.name);
    }
}
