//! Every route that takes an address, and the accounts whose addresses it gets.

use super::measure::{Class, registration};
use super::people::People;
use crate::support::prelude::*;

pub struct Route<'a> {
    pub path: &'static str,
    pub classes: Vec<Class<'a>>,
    /// Whether the request needs a session.
    pub signed_in: bool,
}

/// A class with a constant address.
fn known_class<'a>(name: &'static str, email: &'a str) -> Class<'a> {
    (name, Box::new(move |_| json!({ "email": email })))
}

/// An unknown address, a new one in each round.
fn unknown_address(round: u32) -> String {
    format!("n{round:06}@example.org")
}

fn unknown_class<'a>() -> Class<'a> {
    (
        "X",
        Box::new(|round| json!({"email": unknown_address(round)})),
    )
}

/// A sign-in with a wrong password.
pub fn sign_in(people: &People) -> Route<'_> {
    let wrong = |email: String| json!({"email": email, "password": "Wrong-Horse-7", "app": "wiki"});
    let known = move |name, email: &str| -> Class<'_> {
        let body = wrong(email.to_owned());
        (name, Box::new(move |_| body.clone()))
    };
    Route {
        path: "/login",
        classes: vec![
            known("V", &people.v.email),
            known("U", &people.u.email),
            known("L", &people.l),
            known("L with a hash", &people.l_hash),
            ("X", Box::new(move |round| wrong(unknown_address(round)))),
        ],
        signed_in: false,
    }
}

/// The routes whose responses are the same for every address: all in profile `strict`, some in `spec`.
pub fn uniform_routes<'a>(people: &'a People) -> Vec<Route<'a>> {
    let route = |path, classes| Route {
        path,
        classes,
        signed_in: path == "/change-email",
    };
    let of_addresses = |path, known: [(&'static str, &'a str); 2]| {
        let mut classes = Vec::from(known.map(|(name, email)| known_class(name, email)));
        classes.push(unknown_class());
        route(path, classes)
    };
    let (v, v2) = (&*people.v.email, &*people.v2.email);
    let (u, l) = (&*people.u.email, &*people.l);
    let register_as =
        |name: &'static str, email: Option<&'static str>, letter: char| -> Class<'_> {
            let body = move |round| {
                let email =
                    email.map_or_else(|| format!("{letter}{round:06}@example.org"), str::to_owned);
                registration(&email, &format!("{letter}{round:06}"))
            };
            (name, Box::new(body))
        };
    vec![
        route(
            "/register",
            vec![
                register_as("V", Some("member0@example.org"), 'a'),
                register_as("L", Some("waiting@example.org"), 'b'),
                register_as("X", None, 'c'),
            ],
        ),
        of_addresses("/reset-password", [("V", v), ("L", l)]),
        of_addresses("/migration", [("V", v), ("L", l)]),
        of_addresses("/resend-verification", [("U", u), ("V", v)]),
        of_addresses("/change-email", [("V2", v2), ("L", l)]),
    ]
}
