//! Forward-auth: what the question of a proxy costs, beside `GET /users/me` of the same people.

use super::{CONNECTIONS, DURATION, ROUNDS, cpu_micros, load_session_checks};
use crate::client::load_awake;
use crate::report::{Report, median};
use crate::server::{Database, Server};
use crate::site;

const SETTINGS: &str =
    "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[forward_auth]\nenabled = true\n";
/// In times of `GET /users/me`.
const GOAL: f64 = 1.2;

pub(super) async fn run(report: &mut Report) {
    let postgres = Database::postgres("bench_forward_auth").await;
    for database in [Some(Database::Sqlite), postgres].into_iter().flatten() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("account.toml"), SETTINGS).expect("a file");
        let (server, _) = Server::start_in(folder, &database, &[]).await;
        let people = site::register_people(server.address, CONNECTIONS).await;
        let host = server.address.ip().to_string();
        let questions: Vec<_> = people
            .iter()
            .map(|one| one.forward_auth_check(&host))
            .collect();
        let (mut plain, mut checked) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let before = server.cpu();
            let outcome = load_session_checks(server.address, &people).await;
            plain.push(cpu_micros(server.cpu() - before, &outcome));
            let (before, questions) = (server.cpu(), questions.clone());
            let request = move |connection: usize, _| questions[connection].clone();
            let outcome = load_awake(server.address, CONNECTIONS, DURATION, request).await;
            let answers = outcome.expect_statuses(&[204]).count(204) as f64;
            checked.push((server.cpu() - before).as_secs_f64() * 1e6 / answers);
        }
        let (plain, checked) = (median(plain), median(checked));
        let ratio = checked / plain;
        report.row(
            &format!(
                "forward-auth, {}, 32 connections: server CPU",
                database.name()
            ),
            &format!("{checked:.1} µs, {ratio:.2} times"),
            &format!("`GET /users/me` {plain:.1} µs"),
            &format!("≤ {GOAL} times"),
            ratio <= GOAL,
        );
    }
}
