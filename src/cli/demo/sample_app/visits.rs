//! The visits of browsers, in memory.

use std::collections::HashMap;
use std::sync::Mutex;

use super::openid::Pending;
use crate::domain::secret::{Secret, SecretHash};
use crate::rng::Rng;

/// The maximum number of visits. A program that calls the application in a loop must not fill the memory.
const MAX_VISITS: usize = 1000;

/// A person who has signed in.
#[derive(Clone)]
pub(super) struct Person {
    pub name: String,
    /// `sub`: never changes.
    pub id: String,
    /// The session at the provider.
    pub sid: String,
    /// The hint for the sign-out at the provider.
    pub id_token: String,
}

/// The state of one browser.
pub(super) enum Visit {
    /// The browser was redirected to the provider and has not returned.
    Pending(Pending),
    SignedIn(Person),
}

/// The visits by the hash of their cookie.
#[derive(Default)]
pub(super) struct Visits(Mutex<HashMap<SecretHash, Visit>>);

impl Visits {
    /// Returns the cookie of a new visit.
    pub(super) fn begin(&self, rng: &Rng, visit: Visit) -> Secret {
        let cookie = Secret::generate(rng);
        let mut visits = self.0.lock().expect("no panic while held");
        if visits.len() >= MAX_VISITS {
            visits.clear();
        }
        visits.insert(cookie.hash(), visit);
        cookie
    }

    /// Returns the person that is signed in with this cookie.
    pub(super) fn person(&self, cookie: &Secret) -> Option<Person> {
        let visits = self.0.lock().expect("no panic while held");
        match visits.get(&cookie.hash())? {
            Visit::SignedIn(person) => Some(person.clone()),
            Visit::Pending(_) => None,
        }
    }

    /// Ends a visit that is pending: a response of the provider counts once.
    pub(super) fn take_pending(&self, cookie: &Secret) -> Option<Pending> {
        let mut visits = self.0.lock().expect("no panic while held");
        match visits.remove(&cookie.hash())? {
            Visit::Pending(pending) => Some(pending),
            signed_in @ Visit::SignedIn(_) => {
                visits.insert(cookie.hash(), signed_in);
                None
            }
        }
    }

    /// Signs the person of a visit out.
    pub(super) fn end(&self, cookie: &Secret) -> Option<Person> {
        let person = self.person(cookie)?;
        let mut visits = self.0.lock().expect("no panic while held");
        visits.remove(&cookie.hash());
        Some(person)
    }

    /// Ends the visits that a session of the provider has signed in.
    pub(super) fn end_session(&self, sid: &str) {
        let mut visits = self.0.lock().expect("no panic while held");
        visits.retain(|_, visit| !matches!(visit, Visit::SignedIn(person) if person.sid == sid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(sid: &str) -> Person {
        Person {
            name: "ada".into(),
            id: "1".into(),
            sid: sid.into(),
            id_token: String::new(),
        }
    }

    #[test]
    fn a_logout_ends_the_visits_of_its_session_alone() {
        let visits = Visits::default();
        let begin = |sid: &str| visits.begin(&Rng::System, Visit::SignedIn(person(sid)));
        let (first, second, other) = (begin("a"), begin("a"), begin("b"));
        visits.end_session("a");
        assert!(visits.person(&first).is_none());
        assert!(visits.person(&second).is_none());
        assert!(visits.person(&other).is_some());
    }

    #[test]
    fn a_response_of_the_provider_signs_nobody_out() {
        let visits = Visits::default();
        let cookie = visits.begin(&Rng::System, Visit::SignedIn(person("a")));
        assert!(visits.take_pending(&cookie).is_none());
        assert!(visits.end(&cookie).is_some());
        assert!(visits.end(&cookie).is_none());
    }

    #[test]
    fn visits_in_a_loop_do_not_fill_the_memory() {
        let visits = Visits::default();
        for _ in 0..=MAX_VISITS {
            visits.begin(&Rng::System, Visit::SignedIn(person("a")));
        }
        assert!(visits.0.lock().unwrap().len() <= MAX_VISITS);
    }
}
