//! PostgreSQL's own CPU time of a session check, a sign-in and a registration.

use std::time::Duration;

use super::{CONNECTIONS, DURATION, ROUNDS};
use crate::client::{Outcome, load, load_awake};
use crate::machine;
use crate::report::{Report, median};
use crate::server::{Database, Server};
use crate::site::{self, Person};

/// A cheap password hash, so that a round has thousands of sign-ins.
const SETTINGS: [(&str, &str); 2] = [
    ("ACCOUNT_PASSWORD__MEMORY_KIB", "64"),
    ("ACCOUNT_PASSWORD__ITERATIONS", "1"),
];

const SIGN_INS: usize = 4;

pub(super) async fn run(report: &mut Report) {
    let Some(database) = Database::postgres("bench_database_cpu").await else {
        return;
    };
    let server = Server::start(&database, &SETTINGS).await;
    let people = site::register_people(server.address, CONNECTIONS + SIGN_INS).await;
    // Sessions of other people than those who sign in: a device keeps only its newest 20 sessions.
    let (visitors, people) = people.split_at(SIGN_INS);
    let observer = database.client().await;
    let (mut alone, mut batched, mut sign_ins, mut joins) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        let checks = |connections| load_checks(&server, people, connections);
        alone.push(cpu_micros(&observer, 200, checks(1)).await);
        batched.push(cpu_micros(&observer, 200, checks(CONNECTIONS)).await);
        let requests: Vec<Vec<u8>> = visitors.iter().map(Person::sign_in).collect();
        let sign_in = load(server.address, SIGN_INS, DURATION, move |connection, _| {
            requests[connection].clone()
        });
        sign_ins.push(cpu_micros(&observer, 200, sign_in).await);
        let join = load(server.address, 4, DURATION, move |connection, number| {
            site::registration(&format!("cpu{round}x{connection}x{number}"))
        });
        joins.push(cpu_micros(&observer, 201, join).await);
    }
    for (what, micros, most) in [
        ("a session check, 1 connection", alone, 60.0),
        ("a session check, 32 connections", batched, 25.0),
        ("a sign-in, 4 connections", sign_ins, 2200.0),
        ("a registration, 4 connections", joins, 3800.0),
    ] {
        let micros = median(micros);
        report.row(
            &format!("PostgreSQL's CPU of {what}"),
            &format!("{micros:.0} µs"),
            "",
            &format!("≤ {most:.0} µs"),
            micros <= most,
        );
    }
}

async fn load_checks(server: &Server, people: &[Person], connections: usize) -> Outcome {
    let requests: Vec<Vec<u8>> = people.iter().map(Person::me).collect();
    load_awake(
        server.address,
        connections,
        DURATION,
        move |connection, _| requests[connection].clone(),
    )
    .await
}

/// The CPU time of the site's connections per successful response, in microseconds.
async fn cpu_micros(
    observer: &tokio_postgres::Client,
    status: u16,
    load: impl Future<Output = Outcome>,
) -> f64 {
    let before = connections_cpu(observer).await;
    let outcome = load.await.expect_statuses(&[status]);
    let cpu = connections_cpu(observer).await - before;
    cpu.as_secs_f64() * 1e6 / outcome.count(status) as f64
}

async fn connections_cpu(observer: &tokio_postgres::Client) -> Duration {
    let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'account'";
    let rows = observer.query(sql, &[]).await.expect("PostgreSQL");
    let processes = rows.iter().map(|row| row.get::<_, i32>(0).unsigned_abs());
    processes.map(machine::cpu_time).sum()
}
