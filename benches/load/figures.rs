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

pub const ROUNDS: usize = 5;
/// Enough for some hundred hashes or some ten thousand session checks.
pub const DURATION: Duration = Duration::from_secs(3);
const CONNECTIONS: usize = 32;
const HASH_MB: f64 = 19.0 * 1.048_576;

const PARTS: [&str; 9] = [
    "sizes", "checks", "signing", "passkeys", "oidc", "forward_auth", "sweeping", "database_cpu",
    "import",
];

pub async fn run_all(mut report: Report) {
    for name in PARTS {
        run_part(&mut report, name).await;
    }
    report.write();
}

pub async fn run_one(mut report: Report, name: &str) {
    run_part(&mut report, name).await;
}

async fn run_part(report: &mut Report, name: &str) {
    match name {
        "sizes" => measure_sizes(report).await,
        "checks" => compare_session_checks(report).await,
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
    report.at_most("release binary", bytes as f64 / 1e6, "MB", 24.0);

    let (mut empty, mut existing) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().expect("a folder");
        let (server, took) = Server::start_in(folder, &Database::Sqlite, &[]).await;
        empty.push(took.as_secs_f64() * 1e3);
        let folder = server.stop().await;
        let (_server, took) = Server::start_in(folder, &Database::Sqlite, &[]).await;
        existing.push(took.as_secs_f64() * 1e3);
    }
    report.at_most(
        "start to ready, existing database",
        median(existing),
        "ms",
        15.0,
    );
    report.at_most("start to ready, empty database", median(empty), "ms", 40.0);
    let server = Server::start(&Database::Sqlite, &[]).await;
    report.at_most("resident, idle", server.resident_mb(), "MB", 25.0);
}

/// The results of [`session_checks`] for one database.
struct CheckedServer {
    database: Database,
    server: Server,
    people: Vec<Person>,
    micros: Vec<f64>,
    slowest: Vec<f64>,
}

/// `GET /users/me` with a live session, beside a bare handler that returns the same response.
async fn compare_session_checks(report: &mut Report) {
    let mut sides = Vec::new();
    for database in Database::both("bench_figures").await {
        let server = Server::start(&database, &[]).await;
        let people = site::register_people(server.address, CONNECTIONS).await;
        sides.push(CheckedServer {
            database,
            server,
            people,
            micros: Vec::new(),
            slowest: Vec::new(),
        });
    }
    let bare = start_bare_like(&sides[0]).await;
    let mut bare_micros = Vec::new();
    for _ in 0..ROUNDS {
        let checks = load_session_checks(bare.address, &sides[0].people);
        bare_micros.push(bare.measure(checks).await.0);
        for side in &mut sides {
            let checks = load_session_checks(side.server.address, &side.people);
            let (micros, outcome) = side.server.measure(200, checks).await;
            side.micros.push(micros);
            side.slowest.push(outcome.quantile_ms(200, 0.99));
        }
    }
    let bare = ("bare axum", median(bare_micros));
    for side in sides {
        let name = side.database.name();
        let what = format!("`GET /users/me`, {name}, {CONNECTIONS} connections");
        report.times(&what, median(side.micros), bare, 2.2);
        report.at_most(&format!("{what}: p99"), median(side.slowest), "ms", 2.0);
        let what = format!("resident after this load, {name}, with a hash of 19 MiB");
        report.at_most(&what, side.server.resident_mb(), "MB", 40.0 + HASH_MB);
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
    load_awake(
        address,
        CONNECTIONS,
        DURATION,
        cycle(people.iter().map(Person::me).collect()),
    )
    .await
}

/// The nth connection sends the nth of these requests again and again.
fn cycle(requests: Vec<Vec<u8>>) -> impl Fn(usize, usize) -> Vec<u8> + Clone {
    move |connection, _| requests[connection % requests.len()].clone()
}
