//! Sign-in and registration, each against the bare hash.

use std::time::Duration;

use super::{DURATION, ROUNDS};
use crate::client::{Outcome, load};
use crate::report::{Report, median};
use crate::server::{Database, Server, bare_hashes};
use crate::site::{self, Person};

/// More hashes than fit into `password.queue_wait` (2 s).
const CROWD_CONNECTIONS: usize = 600;
/// Nine seconds: a registration responds 50 ms after its hash, so a short run would count too much of the idle time
/// after the last hash.
const REGISTRATION_DURATION: Duration = Duration::from_secs(9);

pub(super) async fn run(report: &mut Report) {
    measure_alone(report).await;
    measure_crowded(report).await;
    measure_beside_session_checks(report).await;
}

/// Sign-in at 4 and 32 connections, and registration, in turns with the bare loop.
async fn measure_alone(report: &mut Report) {
    let server = Server::start(&Database::Sqlite, &[]).await;
    let people = site::register_people(server.address, 32).await;
    let (mut four, mut many, mut new) = (Vec::new(), Vec::new(), Vec::new());
    let (mut limits, mut slowest) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let limit = bare_hashes(DURATION);
        limits.push(limit);
        four.push(
            load_sign_ins(&server, &people, 4)
                .await
                .expect_statuses(&[200])
                .rate(200)
                / limit,
        );
        let outcome = load_sign_ins(&server, &people, 32)
            .await
            .expect_statuses(&[200]);
        many.push(outcome.rate(200) / limit);
        slowest.push(outcome.quantile(200, 0.99).as_secs_f64());
        let joined = load(
            server.address,
            32,
            REGISTRATION_DURATION,
            move |connection, number| {
                site::registration(&format!("new{round}x{connection}x{number}"))
            },
        );
        new.push(joined.await.expect_statuses(&[201]).rate(201) / limit);
    }
    let limit = median(limits);
    let against = format!("bare Argon2id loop {limit:.0}/s");
    for (what, shares, goal) in [
        ("sign-in, 4 connections", four, 0.90),
        ("sign-in, 32 connections", many, 0.90),
        ("registration, 32 connections, mail queued", new, 0.87),
    ] {
        let share = median(shares);
        let found = format!("{:.0}/s, {share:.3} of it", share * limit);
        report.row(
            what,
            &found,
            &against,
            &format!("≥ {goal:.2}"),
            share >= goal,
        );
    }
    let (p99, most) = (median(slowest), 2.0 + 1.0 / limit);
    let found = format!("{:.0} ms", p99 * 1e3);
    let goal = "≤ queue_wait + one hash";
    report.row(
        "sign-in, 32 connections: p99",
        &found,
        "",
        goal,
        p99 <= most,
    );
}

/// Many more sign-ins than the queue accepts: most are refused at once with 503.
async fn measure_crowded(report: &mut Report) {
    let server = Server::start(&Database::Sqlite, &[]).await;
    let people = site::register_people(server.address, 32).await;
    let (mut kept, mut refusals, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let limit = bare_hashes(DURATION);
        let outcome = load_sign_ins(&server, &people, CROWD_CONNECTIONS)
            .await
            .expect_statuses(&[200, 503]);
        kept.push(outcome.rate(200) / limit);
        refusals.push(outcome.quantile(503, 0.5).as_secs_f64() * 1e3);
        slowest.push(outcome.quantile(200, 0.99).as_secs_f64() * 1e3);
    }
    let what = format!("sign-in, {CROWD_CONNECTIONS} connections");
    let (share, ms, p99) = (median(kept), median(refusals), median(slowest));
    report.row(
        &format!("{what}: done"),
        &format!("{share:.2} of the bare loop"),
        "",
        "no collapse: ≥ 0.8",
        share >= 0.8,
    );
    let found = format!("{ms:.1} ms");
    report.row(
        &format!("{what}: a 503, median"),
        &found,
        "",
        "≤ 10 ms",
        ms <= 10.0,
    );
    let found = format!("{p99:.0} ms");
    let goal = "≤ queue_wait + one hash, and a tenth";
    report.row(
        &format!("{what}: p99 of the signed-in"),
        &found,
        "",
        goal,
        p99 <= 2200.0,
    );
}

/// 16 connections sign in while 16 others check their session.
async fn measure_beside_session_checks(report: &mut Report) {
    let server = Server::start(&Database::Sqlite, &[]).await;
    let people = site::register_people(server.address, 32).await;
    let (mut kept, mut slowest) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let alone = load_sign_ins(&server, &people, 16)
            .await
            .expect_statuses(&[200])
            .rate(200);
        // Sessions of other people than those who sign in: a device keeps only its newest 20 sessions.
        let sessions: Vec<Vec<u8>> = people[16..].iter().map(Person::me).collect();
        let checks = load(server.address, 16, DURATION, move |connection, _| {
            sessions[connection].clone()
        });
        let (beside, checks) = tokio::join!(load_sign_ins(&server, &people, 16), checks);
        kept.push(beside.expect_statuses(&[200]).rate(200) / alone);
        slowest.push(
            checks
                .expect_statuses(&[200])
                .quantile(200, 0.99)
                .as_secs_f64()
                * 1e3,
        );
    }
    let (share, p99) = (median(kept), median(slowest));
    let what = "16 sign in, 16 check sessions without pause";
    let found = format!("{p99:.2} ms");
    report.row(
        &format!("{what}: p99 of a check"),
        &found,
        "",
        "≤ 5 ms",
        p99 <= 5.0,
    );
    report.row(
        &format!("{what}: sign-ins"),
        &format!("{share:.2} of those without the checks"),
        "",
        "≥ 0.5",
        share >= 0.5,
    );
}

pub(super) async fn load_sign_ins(
    server: &Server,
    people: &[Person],
    connections: usize,
) -> Outcome {
    let requests: Vec<Vec<u8>> = people.iter().map(Person::sign_in).collect();
    let lasts: Duration = DURATION;
    load(server.address, connections, lasts, move |connection, _| {
        requests[connection % requests.len()].clone()
    })
    .await
}
