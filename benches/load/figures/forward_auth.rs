//! Forward-auth: what the question of a proxy costs, beside `GET /users/me` of the same people.

use super::{CONNECTIONS, DURATION, ROUNDS, cycle, load_session_checks};
use crate::client::load_awake;
use crate::report::{Report, median};
use crate::server::{Database, Server};
use crate::site;

const SETTINGS: &str =
    "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[forward_auth]\nenabled = true\n";
/// In times of `GET /users/me`.
const GOAL: f64 = 1.2;

pub async fn run(report: &mut Report) {
    for database in Database::both("bench_forward_auth").await {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("account.toml"), SETTINGS).expect("a file");
        let (server, _) = Server::start_in(folder, &database, &[]).await;
        let people = site::register_people(server.address, CONNECTIONS).await;
        let host = server.address.ip().to_string();
        let questions = cycle(
            people
                .iter()
                .map(|one| one.forward_auth_check(&host))
                .collect(),
        );
        let (mut plain, mut checked) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let checks = load_session_checks(server.address, &people);
            plain.push(server.measure(200, checks).await.0);
            let asked = load_awake(server.address, CONNECTIONS, DURATION, questions.clone());
            checked.push(server.measure(204, asked).await.0);
        }
        let what = format!(
            "forward-auth, {}, {CONNECTIONS} connections",
            database.name()
        );
        let peer = ("`GET /users/me`", median(plain));
        report.times(&what, median(checked), peer, GOAL);
    }
}
