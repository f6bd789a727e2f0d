//! `server.max_connections`.

use std::time::Duration;

use crate::prelude::*;
use crate::support::process::Caller;
use crate::wire::Client;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_over_the_connection_limit_waits() {
    let folder = folder();
    let ops = crate::support::free_address().to_string();
    let settings = [
        ("ACCOUNT_SERVER__MAX_CONNECTIONS", "2"),
        ("ACCOUNT_SERVER__OPS_LISTEN", ops.as_str()),
    ];
    let site = Process::serve(&folder, &settings).await;
    let address = site.address().parse().unwrap();
    let (mut one, mut two) = (
        Client::connect(address).await,
        Client::connect(address).await,
    );
    for client in [&mut one, &mut two] {
        assert_status!(client.get("/healthz"), 200);
    }
    let caller = Caller::new();
    eventually("the gauge shows both", async || {
        let text = caller.get(&format!("http://{ops}/metrics")).await.unwrap();
        text.text()
            .await
            .unwrap()
            .contains("\naccount_http_connections 2\n")
    })
    .await;
    let mut three = Client::connect(address).await;
    let waits = tokio::time::timeout(Duration::from_millis(300), three.get("/healthz")).await;
    assert!(waits.is_err(), "a connection beyond the limit is served");
    drop((one, three));
    assert_status!(Client::connect(address).await.get("/healthz"), 200);
    let full = |line: &&String| line.contains("server.max_connections is reached");
    assert!(site.log().iter().filter(full).count() >= 1);
}
