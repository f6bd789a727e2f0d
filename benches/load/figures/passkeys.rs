//! Sign-in with a passkey, including the request for its options, beside sign-in with a password. The server's CPU time
//! is compared, because the load core, which signs, may be the slower one.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{CONNECTIONS, DURATION, ROUNDS, cpu_micros, signing};
use crate::authenticator::Authenticator;
use crate::client::{Connection, Outcome, load_in_steps};
use crate::report::{Report, median};
use crate::server::{Database, Server};
use crate::site::{self, Person};

/// An origin that passkeys can belong to, unlike `127.0.0.1`.
const ORIGIN: &str = "http://localhost";
const GOAL: f64 = 20.0;

pub(super) async fn run(report: &mut Report) {
    let settings = [("ACCOUNT_SERVER__PUBLIC_URL", ORIGIN)];
    let server = Server::start(&Database::Sqlite, &settings).await;
    let people = site::register_people(server.address, CONNECTIONS).await;
    let passkeys = Rc::new(add_passkeys(&server, &people).await);
    let (mut with_password, mut with_passkey) = (Vec::new(), Vec::new());
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let before = server.cpu();
        let outcome = signing::load_sign_ins(&server, &people, CONNECTIONS).await;
        let outcome = outcome.expect_statuses(&[200]);
        with_password.push(cpu_micros(server.cpu() - before, &outcome));
        let before = server.cpu();
        let outcome = load_sign_ins(&server, &people, passkeys.clone()).await;
        let outcome = outcome.expect_statuses(&[200]);
        with_passkey.push(cpu_micros(server.cpu() - before, &outcome));
        rates.push(outcome.rate(200));
    }
    let (password, passkey) = (median(with_password), median(with_passkey));
    let (share, rate) = (password / passkey, median(rates));
    report.row(
        &format!("sign-in with a passkey, {CONNECTIONS} connections: server CPU"),
        &format!("{passkey:.0} µs ({rate:.0}/s), {share:.0} in the time of one"),
        &format!("with a password {:.1} ms", password / 1e3),
        &format!("≥ {GOAL} in the time of one"),
        share >= GOAL,
    );
}

/// Gives each person a synced passkey.
async fn add_passkeys(server: &Server, people: &[Person]) -> Vec<Authenticator> {
    let mut site = Connection::open(server.address).await.expect("the site");
    let mut passkeys = Vec::new();
    for person in people {
        let mut passkey = Authenticator::synced();
        ORIGIN.clone_into(&mut passkey.origin);
        let ask = site::post("/passkeys/options", &person.session, &json!({}));
        let options = parse_body(&site::send(&mut site, &ask).await.body);
        let add = site::post(
            "/passkeys",
            &person.session,
            &passkey.creation_response(&options),
        );
        let added = site::send(&mut site, &add).await;
        assert_eq!(added.status, 201, "a passkey");
        passkeys.push(passkey);
    }
    passkeys
}

async fn load_sign_ins(
    server: &Server,
    people: &[Person],
    passkeys: Rc<Vec<Authenticator>>,
) -> Outcome {
    let people: Rc<[Person]> = people.into();
    let step = async move |site: &mut Connection, connection: usize, _| {
        let (person, passkey) = (&people[connection], &passkeys[connection]);
        let ask = site::post("/passkeys/sign-in/options", person.device(), &json!({}));
        let options = parse_body(&site::send(site, &ask).await.body);
        let client = passkey.client_data("webauthn.get", &options);
        let answer =
            passkey.assertion_response_with(&options, &client, &passkey.authenticator_data(false));
        let sign_in = site::post("/passkeys/sign-in", person.device(), &answer);
        site::send(site, &sign_in).await.status
    };
    load_in_steps(server.address, CONNECTIONS, DURATION, Duration::ZERO, step).await
}

fn parse_body(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}
