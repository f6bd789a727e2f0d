//! The figures of a site of ordinary size.

use std::time::Duration;

use super::client::{Connection, Outcome, load_awake};
use super::report::{Report, median};
use super::server::{Bare, Database, Server};
use super::site::{self, Person};

mod database_cpu;
mod forward_auth;
mod import;
mod oidc;
mod passkeys;
mod signing;
mod sweeping;

pub(crate) const ROUNDS: usize = 5;
/// Enough for some hundred hashes or some ten thousand session checks.
pub(crate) const DURATION: Duration = Duration::from_secs(3);
const CONNECTIONS: usize = 32;
const HASH_MIB: f64 = 19.0;

const PARTS: [&str; 9] = [
    "sizes", "checks", "signing", "passkeys", "oidc", "forward_auth", "sweeping", "database_cpu",
    "import",
];

pub(crate) async fn run_all(mut report: Report) {
    for name in PARTS {
        run_part(&mut report, name).await;
    }
    report.write();
}

pub(crate) async fn run_one(mut report: Report, name: &str) {
    run_part(&mut report, name).await;
}

async fn run_part(report: &mut Report, name: &str) {
    match name {
        "sizes" => measure_sizes(report).await,
        "checks" => {
            let postgres = Database::postgres("bench_figures").await;
            compare_session_checks(report, postgres).await;
        }
        "signing" => signing::run(report).await,
        "passkeys" => passkeys::run(report).await,
        "oidc" => oidc::run(report).await,
        "forward_auth" => forward_auth::run(report).await,
        "sweeping" => sweeping::run(report).await,
        "database_cpu" => database_cpu::run(report).await,
        "import" => import::run(report).await,
        _ => panic!("no such part; there are {PARTS:?}"),
    }
}

/// Binary size, start time and memory.
async fn measure_sizes(report: &mut Report) {
    let binary = concat!(env!("CARGO_MANIFEST_DIR"), "/target/release/account");
    let bytes = std::fs::metadata(binary).expect("`make build`").len();
    let megabytes = bytes as f64 / 1e6;
    let found = format!("{megabytes:.1} MB");
    report.row("release binary", &found, "", "≤ 24 MB", megabytes <= 24.0);

    let (mut empty, mut existing) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().expect("a folder");
        let (server, took) = Server::start_in(folder, &Database::Sqlite, &[]).await;
        empty.push(took.as_secs_f64() * 1e3);
        let folder = server.stop().await;
        let (_server, took) = Server::start_in(folder, &Database::Sqlite, &[]).await;
        existing.push(took.as_secs_f64() * 1e3);
    }
    for (what, times, goal) in [
        ("start to ready, existing database", existing, 15.0),
        ("start to ready, empty database", empty, 40.0),
    ] {
        let ms = median(times);
        let (found, goal_text) = (format!("{ms:.0} ms"), format!("≤ {goal} ms"));
        report.row(what, &found, "", &goal_text, ms <= goal);
    }
    let server = Server::start(&Database::Sqlite, &[]).await;
    let idle = server.resident();
    let found = format!("{idle:.0} MiB");
    report.row(
        "resident, idle",
        &found,
        "",
        "≤ 25 MB",
        idle * 1.048_576 <= 25.0,
    );
}

/// The results of [`session_checks`] for one database.
struct CheckedServer {
    database: Database,
    server: Server,
    people: Vec<Person>,
    micros: Vec<f64>,
    rates: Vec<f64>,
    slowest: Vec<f64>,
}

/// `GET /users/me` with a live session, beside a bare handler that returns the same response.
async fn compare_session_checks(report: &mut Report, postgres: Option<Database>) {
    let mut sides = Vec::new();
    for database in [Some(Database::Sqlite), postgres].into_iter().flatten() {
        let server = Server::start(&database, &[]).await;
        let people = site::register_people(server.address, CONNECTIONS).await;
        sides.push(CheckedServer {
            database,
            server,
            people,
            micros: Vec::new(),
            rates: Vec::new(),
            slowest: Vec::new(),
        });
    }
    let bare = start_bare_like(&sides[0]).await;
    let (mut bare_micros, mut bare_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = bare.cpu();
        let outcome = load_session_checks(bare.address, &sides[0].people).await;
        bare_micros.push(cpu_micros(bare.cpu() - before, &outcome));
        bare_rates.push(outcome.rate(200));
        for side in &mut sides {
            let before = side.server.cpu();
            let outcome = load_session_checks(side.server.address, &side.people).await;
            side.micros
                .push(cpu_micros(side.server.cpu() - before, &outcome));
            side.rates.push(outcome.rate(200));
            side.slowest
                .push(outcome.quantile(200, 0.99).as_secs_f64() * 1e3);
        }
    }
    let (bare_micros, bare_rate) = (median(bare_micros), median(bare_rates));
    for side in sides {
        let name = side.database.name();
        let goal = 2.2;
        let (own, rate) = (median(side.micros), median(side.rates));
        let ratio = own / bare_micros;
        report.row(
            &format!("`GET /users/me`, {name}, 32 connections: server CPU"),
            &format!("{own:.1} µs ({rate:.0}/s), {ratio:.2} times"),
            &format!("bare axum {bare_micros:.1} µs ({bare_rate:.0}/s)"),
            &format!("≤ {goal} times"),
            ratio <= goal,
        );
        let p99 = median(side.slowest);
        let what = format!("`GET /users/me`, {name}, 32 connections: p99");
        report.row(&what, &format!("{p99:.2} ms"), "", "< 2 ms", p99 < 2.0);
        let (used, most) = (side.server.resident(), 40.0 / 1.048_576 + HASH_MIB);
        let what = format!("resident after this load, {name}, one hashing thread");
        let found = format!("{used:.0} MiB");
        report.row(&what, &found, "", "≤ 40 MB + 19 MiB a hash", used <= most);
    }
}

async fn start_bare_like(side: &CheckedServer) -> Bare {
    let mut connection = Connection::open(side.server.address)
        .await
        .expect("the site");
    let answer = connection
        .send(&side.people[0].me())
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200, "a live session");
    let body = String::from_utf8(answer.body).expect("JSON");
    Bare::start(&format!("{}\r\n\r\n{body}", answer.head)).await
}

/// One session per connection, as on the site: a lookup of a single session could be shared by all requests.
async fn load_session_checks(address: std::net::SocketAddr, people: &[Person]) -> Outcome {
    let requests: Vec<Vec<u8>> = people.iter().map(Person::me).collect();
    load_awake(address, CONNECTIONS, DURATION, move |connection, _| {
        requests[connection].clone()
    })
    .await
    .expect_statuses(&[200])
}

/// The CPU time per response, in microseconds.
pub(crate) fn cpu_micros(cpu: Duration, outcome: &Outcome) -> f64 {
    cpu.as_secs_f64() * 1e6 / outcome.count(200) as f64
}
