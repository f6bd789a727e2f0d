//! The proofs of identity in a session.

use crate::domain::auth_method::{Aal, AuthMethod, AuthMethods};

/// A proof of identity. Its methods and its time cannot be separated, so that nothing states the level of one proof
/// with the time of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proof {
    methods: AuthMethods,
    /// The time of the proof, in milliseconds since 1970 UTC.
    at: i64,
}

impl Proof {
    pub(crate) fn new(methods: AuthMethods, at: i64) -> Proof {
        Proof { methods, at }
    }

    pub(crate) fn methods(&self) -> &AuthMethods {
        &self.methods
    }

    pub(crate) fn at(&self) -> i64 {
        self.at
    }

    pub(crate) fn level(&self) -> Aal {
        self.methods.aal()
    }
}

/// The last proof of identity in a session, and the last proof at authentication level 2, which a later proof by
/// password alone does not replace. Nothing reads a method or a time without its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authentication {
    latest: Proof,
    level_two: Option<Proof>,
}

/// The columns of the table `sessions` that store an [`Authentication`].
pub(super) struct Columns {
    pub authenticated_at: i64,
    pub methods: AuthMethods,
    pub level_two_at: Option<i64>,
    /// `None` beside a time in rows of version 1.0, whose column `methods` contains the methods of both proofs.
    pub level_two_methods: Option<AuthMethods>,
}

impl Authentication {
    /// Returns the authentication of a session that begins with this proof.
    pub(crate) fn begin(proof: Proof) -> Authentication {
        Authentication {
            level_two: (proof.level() >= Aal::Two).then(|| proof.clone()),
            latest: proof,
        }
    }

    /// Returns this authentication after another proof of identity.
    pub(crate) fn with_proof(&self, proof: Proof) -> Authentication {
        let begun = Authentication::begin(proof);
        Authentication {
            level_two: begun.level_two.or_else(|| self.level_two.clone()),
            latest: begun.latest,
        }
    }

    /// Returns this authentication after a strong factor was added. If the account had none, the proof that permitted
    /// the addition gets the method, but keeps its time.
    pub(crate) fn with_strong_factor(&self, method: AuthMethod) -> Authentication {
        match self.level_two {
            Some(_) => self.clone(),
            None => Authentication::begin(Proof {
                methods: self.latest.methods.with(method),
                at: self.latest.at,
            }),
        }
    }

    pub(crate) fn strongest(&self) -> &Proof {
        self.level_two.as_ref().unwrap_or(&self.latest)
    }

    /// Returns the strongest proof that has at least the level `wanted` and is not older than `since`, in milliseconds
    /// since 1970 UTC.
    pub(crate) fn answering(&self, wanted: Aal, since: Option<i64>) -> Option<&Proof> {
        let answers =
            |proof: &&Proof| proof.level() >= wanted && since.is_none_or(|since| proof.at >= since);
        let proofs = [self.strongest(), &self.latest];
        proofs.into_iter().find(answers)
    }

    /// Reads the stored proofs. A last proof without a proof at level 2 at the same time has only the password, also in
    /// rows whose methods are those of both proofs, and in sessions of an account that lost its last strong factor.
    pub(super) fn from_columns(columns: Columns) -> Authentication {
        let at = columns.authenticated_at;
        let level_two = columns.level_two_at.map(|at| Proof {
            methods: columns
                .level_two_methods
                .unwrap_or_else(|| columns.methods.clone()),
            at,
        });
        match level_two {
            Some(proof) if proof.at == at => Authentication::begin(proof),
            level_two => Authentication {
                latest: Proof {
                    methods: columns.methods.at_level_one(),
                    at,
                },
                level_two,
            },
        }
    }

    pub(super) fn columns(&self) -> Columns {
        let level_two = self.level_two.as_ref();
        Columns {
            authenticated_at: self.latest.at,
            methods: self.latest.methods.clone(),
            level_two_at: level_two.map(|proof| proof.at),
            level_two_methods: level_two.map(|proof| proof.methods.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROOFS: [&[AuthMethod]; 4] = [
        &[AuthMethod::Password],
        &[AuthMethod::SyncedPasskey],
        &[AuthMethod::Password, AuthMethod::Totp],
        &[AuthMethod::Password, AuthMethod::RecoveryCode],
    ];
    const TIMES: [i64; 3] = [100, 200, 300];

    /// Every sequence of up to three proofs, oldest first.
    fn histories() -> Vec<Vec<Proof>> {
        let mut all: Vec<Vec<Proof>> = vec![Vec::new()];
        for at in TIMES {
            let longer: Vec<_> = all
                .iter()
                .flat_map(|earlier| {
                    PROOFS.map(|methods| {
                        let proof = Proof::new(AuthMethods::of(methods), at);
                        [earlier.as_slice(), &[proof]].concat()
                    })
                })
                .collect();
            all.extend(longer);
        }
        all.retain(|history| !history.is_empty());
        all
    }

    fn after(history: &[Proof]) -> Authentication {
        let begun = Authentication::begin(history[0].clone());
        let later = history[1..].iter().cloned();
        later.fold(begun, |before, proof| before.with_proof(proof))
    }

    #[test]
    fn the_answer_is_the_strongest_proof_that_is_strong_and_recent_enough() {
        for history in histories() {
            let authentication = after(&history);
            for wanted in Aal::ALL.iter().copied() {
                for since in [None, Some(0), Some(100), Some(101), Some(300), Some(301)] {
                    let answers = history.iter().filter(|proof| {
                        proof.level() >= wanted && since.is_none_or(|since| proof.at >= since)
                    });
                    let best = answers.max_by_key(|proof| (proof.level(), proof.at));
                    let found = authentication.answering(wanted, since);
                    assert_eq!(found, best, "{history:?} {wanted:?} {since:?}");
                }
            }
        }
    }

    #[test]
    fn the_stored_columns_give_the_same_proofs() {
        for history in histories() {
            let authentication = after(&history);
            let read = Authentication::from_columns(authentication.columns());
            assert_eq!(read, authentication, "{history:?}");
        }
    }

    #[test]
    fn a_row_of_version_1_0_has_the_password_as_its_later_proof() {
        let row = |authenticated_at, level_two_at| Columns {
            authenticated_at,
            methods: AuthMethods::parse("password,passkey_synced"),
            level_two_at,
            level_two_methods: None,
        };
        let both = AuthMethods::parse("password,passkey_synced");
        let password = AuthMethods::parse("password");
        let read = Authentication::from_columns(row(300, Some(100)));
        let strong = Proof::new(both.clone(), 100);
        assert_eq!(read.answering(Aal::One, None), Some(&strong));
        let weak = Proof::new(password, 300);
        assert_eq!(read.answering(Aal::One, Some(200)), Some(&weak));
        assert_eq!(read.answering(Aal::Two, Some(200)), None);
        let read = Authentication::from_columns(row(300, Some(300)));
        assert_eq!(read, Authentication::begin(Proof::new(both, 300)));
        // The account has lost its last strong factor.
        assert_eq!(
            Authentication::from_columns(row(300, None)),
            Authentication::begin(weak)
        );
    }

    #[test]
    fn the_first_strong_factor_joins_the_proof_that_permitted_it() {
        let password = Authentication::begin(Proof::new(AuthMethods::parse("password"), 100));
        let raised = password.with_strong_factor(AuthMethod::Totp);
        let joined = Proof::new(AuthMethods::parse("password,totp"), 100);
        assert_eq!(raised, Authentication::begin(joined));
        let unchanged = raised.with_strong_factor(AuthMethod::Passkey);
        assert_eq!(unchanged, raised);
    }
}
