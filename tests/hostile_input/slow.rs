//! Slow clients: each is disconnected within the ten seconds of `http/server.rs`, and does not delay others.

use std::time::{Duration, Instant};

use account::testing::time_limit::TimeLimit;
use tokio::task::JoinSet;

use crate::support::prelude::*;
use crate::wire::Client;

const POST: &str = "POST /account/account-api/login HTTP/1.1\r\nHost: localhost:8080\r\n\
                    Content-Type: application/json\r\n";
/// After this time the server disconnects a slow client.
const PATIENCE: Duration = Duration::from_secs(10);
const MARGIN: TimeLimit = TimeLimit::from_secs(3);

/// Sends `first`, then `drip` repeatedly until the server disconnects. Returns the elapsed time.
async fn time_until_disconnect(
    mut client: Client,
    first: String,
    repeated: Option<&'static str>,
) -> Duration {
    let started = Instant::now();
    client.write(first).await;
    loop {
        let rest = tokio::time::timeout(Duration::from_millis(500), client.read_to_end());
        if rest.await.is_ok() {
            return started.elapsed();
        }
        if let Some(repeated) = repeated {
            client.write(repeated).await;
        }
    }
}

async fn connect_slow_clients(live: &LiveSite) -> JoinSet<Duration> {
    let length = format!("{POST}Content-Length: 1000\r\n\r\n{{");
    let chunked = format!("{POST}Transfer-Encoding: chunked\r\n\r\n");
    let answered = "GET /healthz HTTP/1.1\r\nHost: localhost:8080\r\n\r\n".to_owned();
    let mut all = JoinSet::new();
    for (many, first, repeated) in [
        (100, String::new(), None),
        (
            200,
            "GET /account/ HTTP/1.1\r\nHost: local".to_owned(),
            None,
        ),
        (50, "GET /account/ HTTP/1.1\r\nX: ".to_owned(), Some("x")),
        (50, length.clone(), Some(" ")),
        (50, length, None),
        (25, chunked, Some("1\r\n \r\n")),
        (75, answered, None),
    ] {
        for _ in 0..many {
            let client = live.client().await;
            all.spawn(time_until_disconnect(client, first.clone(), repeated));
        }
    }
    all
}

// security: BI-4
// SQLite only: none of these requests reaches the database.
on_sqlite!(slow_clients_are_disconnected_and_delay_no_other_client);
async fn slow_clients_are_disconnected_and_delay_no_other_client(live: LiveSite) {
    let mut crowd = connect_slow_clients(&live).await;
    let mut quick = live.client().await;
    let mut times = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_millis(10));
    for _ in 0..200 {
        pace.tick().await;
        let started = Instant::now();
        assert_ok!(quick.get("/account/account-api/config"));
        times.push(started.elapsed());
    }
    times.sort();
    let p95 = times[times.len() * 95 / 100];
    println!("with 550 slow clients: p95 {p95:?}");
    assert!(p95 < TimeLimit::from_millis(100).get(), "{p95:?}");
    while let Some(left) = crowd.join_next().await {
        let left = left.unwrap();
        assert!(
            left < PATIENCE + MARGIN.get(),
            "a slow client was connected for {left:?}"
        );
    }
}
