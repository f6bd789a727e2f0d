//! Deletes a million expired sessions while the site is in use.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::{Outcome, load_with_pauses};
use crate::report::Report;
use crate::server::{Database, Server};
use crate::site::{self, Person};

const EXPIRED: i64 = 1_000_000;
/// Hashes of negligible cost, so that the duration of a sign-in is that of the database.
const CHEAP_HASH_SETTINGS: [(&str, &str); 2] = [
    ("ACCOUNT_PASSWORD__MEMORY_KIB", "64"),
    ("ACCOUNT_PASSWORD__ITERATIONS", "1"),
];
const ROUND_DURATION: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);
const DEADLINE: Duration = Duration::from_secs(420);

pub(super) async fn run(report: &mut Report) {
    let calm = [
        &CHEAP_HASH_SETTINGS[..],
        &[("ACCOUNT_LIFETIMES__SWEEP", "1h")],
    ]
    .concat();
    let server = Server::start(&Database::Sqlite, &calm).await;
    let people = site::register_people(server.address, 8).await;
    let folder = server.stop().await;
    let file = folder.path().join("data/account.db");
    add_expired_sessions(&file);
    let busy = [
        &CHEAP_HASH_SETTINGS[..],
        &[("ACCOUNT_LIFETIMES__SWEEP", "1s")],
    ]
    .concat();
    let (server, _) = Server::start_in(folder, &Database::Sqlite, &busy).await;
    let (begun, mut slowest) = (Instant::now(), Duration::ZERO);
    while count_expired(&file) > 0 && begun.elapsed() < DEADLINE {
        let outcome = load_site(&server, &people).await;
        slowest = slowest.max(outcome.quantile(200, 1.0));
    }
    let (left, seconds) = (count_expired(&file), begun.elapsed().as_secs());
    assert_eq!(left, 0, "expired rows are left after {seconds} s");
    let ms = slowest.as_secs_f64() * 1e3;
    report.row(
        "sweeping a million expired sessions: the slowest request meanwhile",
        &format!("{ms:.0} ms (over {seconds} s)"),
        "",
        "≤ 100 ms",
        ms <= 100.0,
    );
}

/// One half of the people check their session, the other half sign in, with a pause after each response.
async fn load_site(server: &Server, people: &[Person]) -> Outcome {
    let requests: Vec<Vec<u8>> = people
        .iter()
        .enumerate()
        .map(|(number, person)| match number % 2 {
            0 => person.me(),
            _ => person.sign_in(),
        })
        .collect();
    load_with_pauses(
        server.address,
        requests.len(),
        ROUND_DURATION,
        PAUSE,
        move |connection, _| requests[connection].clone(),
    )
    .await
    .expect_statuses(&[200])
}

/// In chronological order, as sessions are created.
fn add_expired_sessions(file: &Path) {
    let database = rusqlite::Connection::open(file).expect("the database");
    database
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {EXPIRED})
             INSERT INTO sessions (id_hash, account_id, device_id, created_at, last_used_at,
               idle_until, expires_at)
             SELECT randomblob(32), d.account_id, d.id, i, i, i, i
             FROM n, (SELECT id, account_id FROM devices LIMIT 1) d;"
        ))
        .expect("expired sessions");
}

fn count_expired(file: &Path) -> i64 {
    let database = rusqlite::Connection::open(file).expect("the database");
    let count = "SELECT count(*) FROM sessions WHERE expires_at < 10000000";
    database
        .query_row(count, [], |row| row.get(0))
        .expect("a count")
}
