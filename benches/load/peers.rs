//! The program beside two other account programs (`benches/peers`), measured in turns.

use std::net::SocketAddr;

use super::client::{Connection, load};
use super::figures::{DURATION, ROUNDS, cpu_micros, repeat_request};
use super::machine;
use super::peer::{Calls, EMAIL, Peer};
use super::report::{Report, command_output, median};
use super::server::{Database, Server};
use super::site;

/// Few connections, because the requests with a slow hash also run for three seconds only.
const SIGN_IN_CONNECTIONS: usize = 4;

const BETTER_AUTH: Calls = Calls {
    sign_up: "/api/auth/sign-up/email",
    sign_in: "/api/auth/sign-in/email",
    session: "/api/auth/get-session",
    forgery_token: None,
};
const BETTER_AUTH_PINS: &str = include_str!("../peers/better-auth/package.json");

const DJANGO_ALLAUTH: Calls = Calls {
    sign_up: "/_allauth/browser/v1/auth/signup",
    sign_in: "/_allauth/browser/v1/auth/login",
    session: "/_allauth/browser/v1/auth/session",
    forgery_token: Some(("/_allauth/browser/v1/config", "x-csrftoken")),
};
const DJANGO_ALLAUTH_PINS: &str = include_str!("../peers/django-allauth/requirements.txt");
const PYTHON: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/target/peers/django-allauth/bin/python"
);

/// One server with its requests and its results.
struct Side {
    name: &'static str,
    versions: String,
    hash: &'static str,
    process: u32,
    address: SocketAddr,
    check: Vec<u8>,
    sign_in: Vec<u8>,
    check_micros: Vec<f64>,
    check_rates: Vec<f64>,
    sign_in_millis: Vec<f64>,
}

pub(crate) async fn run(mut report: Report) {
    report.section("peers");
    let server = Server::start(&Database::Sqlite, &[]).await;
    let person = site::register_people(server.address, 1).await.remove(0);
    let better_auth = Peer::start("better-auth", &BETTER_AUTH).await;
    let allauth = Peer::start("django-allauth", &DJANGO_ALLAUTH).await;
    let mut sides = [
        Side::new(
            "account",
            env!("CARGO_PKG_VERSION").to_owned(),
            "Argon2id, 19 MiB, 2 passes",
            (server.process(), server.address),
            (person.me(), person.sign_in()),
        ),
        Side::of_peer(
            "better-auth",
            versions(BETTER_AUTH_PINS, &["better-auth", "better-sqlite3"], "node"),
            "scrypt, N = 16384, r = 16",
            &better_auth,
        ),
        Side::of_peer(
            "django-allauth",
            versions(
                DJANGO_ALLAUTH_PINS,
                &["django-allauth", "Django", "gunicorn"],
                PYTHON,
            ),
            "PBKDF2-SHA256, 1,000,000 iterations",
            &allauth,
        ),
    ];
    for _ in 0..ROUNDS {
        for side in &mut sides {
            side.measure_session_checks().await;
        }
        for side in &mut sides {
            side.measure_sign_ins().await;
        }
    }
    report_table(&mut report, sides);
    report.write();
}

impl Side {
    fn new(
        name: &'static str,
        versions: String,
        hash: &'static str,
        (process, address): (u32, SocketAddr),
        (check, sign_in): (Vec<u8>, Vec<u8>),
    ) -> Side {
        Side {
            name,
            versions,
            hash,
            process,
            address,
            check,
            sign_in,
            check_micros: Vec::new(),
            check_rates: Vec::new(),
            sign_in_millis: Vec::new(),
        }
    }

    fn of_peer(name: &'static str, versions: String, hash: &'static str, peer: &Peer) -> Side {
        let requests = (peer.check.clone(), peer.sign_in.clone());
        Side::new(
            name,
            versions,
            hash,
            (peer.process(), peer.address),
            requests,
        )
    }

    async fn measure_session_checks(&mut self) {
        self.assert_signed_in().await;
        let before = machine::cpu_time(self.process);
        let outcome = repeat_request(self.address, self.check.clone()).await;
        let spent = machine::cpu_time(self.process) - before;
        self.check_micros.push(cpu_micros(spent, &outcome));
        self.check_rates.push(outcome.rate(200));
        self.assert_signed_in().await;
    }

    /// Checks the body too, because a peer may also return 200 without a session.
    async fn assert_signed_in(&self) {
        let mut connection = Connection::open(self.address).await.expect("the site");
        let answer = site::send(&mut connection, &self.check).await;
        let body = String::from_utf8_lossy(&answer.body);
        let known = answer.status == 200 && body.contains(EMAIL);
        assert!(known, "{}: {} {body}", self.name, answer.status);
    }

    async fn measure_sign_ins(&mut self) {
        let (before, request) = (machine::cpu_time(self.process), self.sign_in.clone());
        let outcome = load(self.address, SIGN_IN_CONNECTIONS, DURATION, move |_, _| {
            request.clone()
        })
        .await
        .expect_statuses(&[200]);
        let spent = machine::cpu_time(self.process) - before;
        self.sign_in_millis.push(cpu_micros(spent, &outcome) / 1e3);
    }
}

fn report_table(report: &mut Report, sides: impl IntoIterator<Item = Side>) {
    report.head(&[
        "",
        "session check, 32 connections: server CPU",
        "checks a second",
        "times the program",
        "sign-in, 4 connections: server CPU",
        "its password hash",
        "versions",
    ]);
    let mut own = None;
    for side in sides {
        let check = median(side.check_micros);
        let times = check / *own.get_or_insert(check);
        report.cells(&[
            side.name,
            &format!("{check:.1} µs"),
            &format!("{:.0}", median(side.check_rates)),
            &format!("{times:.1}"),
            &format!("{:.1} ms", median(side.sign_in_millis)),
            side.hash,
            &side.versions,
        ]);
    }
}

/// The pinned versions of a peer, and its runtime.
fn versions(pins: &str, names: &[&str], runtime: &str) -> String {
    let pinned = names.iter().map(|name| {
        let found = pins.lines().find_map(|line| {
            let line = line.trim_start_matches([' ', '"']);
            let version = line
                .strip_prefix(name)?
                .trim_matches(|c: char| !c.is_ascii_digit());
            (!version.is_empty()).then_some(version)
        });
        format!("{name} {}", found.expect("a pinned version"))
    });
    let mut all: Vec<String> = pinned.collect();
    let runtime = command_output(runtime, &["--version"]);
    all.push(match runtime.strip_prefix('v') {
        Some(number) => format!("Node {number}"),
        None => runtime,
    });
    all.join(", ")
}
