//! Oracles of several requests: in profile `strict` the responses to a whole sequence are equal for a free address (X)
//! and a taken one (V, L).

use std::ops::Range;
use std::time::Instant;

use super::measure::{Times, assert_even, observable_response, registration};
use super::people::People;
use super::timing::strict;
use crate::support::database::Kind;
use crate::support::prelude::*;

/// The requests of one class in one round.
type Sequence = Vec<(&'static str, Value)>;

const ROUNDS: u32 = 120;
/// The password of the stranger's registration, which is not that of the address's owner.
const STRANGER_PASSWORD: &str = "Stranger-Lamp-3";

struct Oracle {
    name: &'static str,
    sequence: fn(email: &str, round: u32, class: char) -> Sequence,
}

/// Registers, then signs in with the same password.
const SIGN_IN: Oracle = Oracle {
    name: "register, sign in",
    sequence: |email, round, class| {
        let mut form = registration(email, &format!("s{class}{round:06}"));
        form["password"] = STRANGER_PASSWORD.into();
        let login = |password: &str| ("/login", json!({"email": email, "password": password}));
        vec![
            ("/register", form),
            login(STRANGER_PASSWORD),
            login("Wrong-Horse-7"),
        ]
    },
};

/// Registers, then registers another address with the same username.
const USERNAME: Oracle = Oracle {
    name: "register, register the name again",
    sequence: |email, round, class| {
        let name = format!("u{class}{round:06}");
        let other = format!("z{class}{round:05}@example.org");
        vec![
            ("/register", registration(email, &name)),
            ("/register", registration(&other, &name)),
        ]
    },
};

/// Requests a change to the address twice.
const CHANGE: Oracle = Oracle {
    name: "change email twice",
    sequence: |email, _, _| {
        let body = json!({ "email": email });
        vec![("/change-email", body.clone()), ("/change-email", body)]
    },
};

/// Runs the sequence of each class once per round. Asserts that the observable part of each step is the same for all
/// classes, and returns the durations of whole sequences.
async fn measure_interleaved(
    live: &LiveSite,
    people: &People,
    oracle: &Oracle,
    rounds: Range<u32>,
) -> Times {
    let mut client = live.client().await;
    if oracle.name == CHANGE.name {
        let session = people.v2.browser.cookie("session").unwrap();
        client.headers += &format!("Cookie: session={session}\r\n");
    }
    let mut times = Times::new();
    let mut expected: Vec<Option<String>> = vec![None; 8];
    for round in rounds {
        // All addresses have the same length, so the responses have too.
        let free = format!("{}{round:06}@example.org", &oracle.name[..1]);
        let mut classes = [
            ("V", 'v', "member0@example.org".to_owned()),
            ("L", 'l', "waiting@example.org".to_owned()),
            ("X", 'x', free),
        ];
        // Each class is first, second and last equally often.
        classes.rotate_left(round as usize % 3);
        for (name, letter, email) in classes {
            let started = Instant::now();
            for (at, (path, body)) in (oracle.sequence)(&email, round, letter).iter().enumerate() {
                let response = client.post(path, body).await;
                let seen = observable_response(&response, body);
                let expected = expected[at].get_or_insert_with(|| seen.clone());
                assert_eq!(&seen, expected, "{}: step {at} for {name}", oracle.name);
            }
            let took = started.elapsed().as_secs_f64() * 1e3;
            times.entry(name).or_default().push(took);
        }
    }
    times
}

on_both_databases!(no_sequence_of_requests_distinguishes_taken_from_free_addresses);
// security: EN-4, EN-5
async fn no_sequence_of_requests_distinguishes_taken_from_free_addresses(db: Database) {
    let (live, people) = strict(&db, true).await;
    let v2 = &people.v2;
    assert_ok!(v2.try_sign_in(&v2.browser));
    let oracles = [&SIGN_IN, &USERNAME, &CHANGE];
    match db.kind() {
        Kind::Sqlite => {
            let even = oracles.map(|oracle| {
                assert_even(oracle.name, ROUNDS, async |rounds| {
                    measure_interleaved(&live, &people, oracle, rounds).await
                })
            });
            join_all(even).await;
        }
        // Only the contents: the code that gives all classes the same duration does not depend on the database.
        Kind::Postgres => {
            join_all(oracles.map(|oracle| measure_interleaved(&live, &people, oracle, 0..6))).await;
        }
    }
}
