//! The primary dies under load and its synchronous standby takes over; a node starts on a standby.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use account::testing::time_limit::TimeLimit;

use crate::prelude::*;
use crate::support::cluster::Cluster;
use crate::support::database::open;
use crate::support::eventually::poll_for;
use crate::support::process::Caller;

/// Four clients that register accounts on two nodes.
#[derive(Default)]
struct Load {
    stop: AtomicBool,
    acknowledged: Mutex<Vec<String>>,
    unavailable: AtomicUsize,
}

impl Load {
    fn acknowledged(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// Registers one person after another.
    async fn register_until_stopped(self: Arc<Load>, url: String, client: usize) {
        let caller = Caller::new();
        for n in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                break;
            }
            let name = format!("client{client}n{n}");
            let response = caller.post(&url, &form(&name)).await.unwrap();
            match response.status().as_u16() {
                201 => self.acknowledged.lock().unwrap().push(name),
                503 => {
                    assert!(response.headers().contains_key("retry-after"));
                    self.unavailable.fetch_add(1, Ordering::SeqCst);
                }
                other => panic!("{other}: {}", response.text().await.unwrap()),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failover_to_a_standby_loses_no_acknowledged_registration() {
    let mut primary = Cluster::start().await;
    let standby = primary.with_standby().await;
    let (folder, database) = (folder(), primary.url_with(&standby));
    let settings = [
        ("ACCOUNT_DATABASE__URL", &*database),
        ("ACCOUNT_LIMITS__ENABLED", "false"),
    ];
    let nodes = [
        Process::serve(&folder, &settings).await,
        Process::serve(&folder, &settings).await,
    ];
    let load = Arc::<Load>::default();
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let url = format!("{}{API}/register", nodes[client % 2].url);
            tokio::spawn(load.clone().register_until_stopped(url, client))
        })
        .collect();
    eventually("people join", async || load.acknowledged() >= 40).await;

    primary.crash();
    eventually("the nodes say that they cannot", async || {
        load.unavailable.load(Ordering::SeqCst) >= 8
    })
    .await;
    standby.promote();
    let before = load.acknowledged();
    let join_again = eventually("people join again", async || {
        load.acknowledged() >= before + 40
    });
    within(TimeLimit::from_secs(20), "people join again", join_again).await;

    load.stop.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let client = standby.client().await;
    let acknowledged = std::mem::take(&mut *load.acknowledged.lock().unwrap());
    for name in acknowledged {
        let sql = "SELECT 1 FROM accounts a
                   JOIN (SELECT recipient FROM outbox UNION ALL SELECT recipient FROM kept_mail) m
                     ON m.recipient = a.email
                   WHERE a.username = $1";
        let found = client.query(sql, &[&name]).await.unwrap();
        assert_eq!(found.len(), 1, "{name} and the mail to prove the address");
    }
}

/// A node whose only database server is a standby, as during a failover: it waits until the standby is promoted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_starts_on_a_standby_waits_for_its_promotion() {
    let primary = Cluster::start().await;
    let standby = primary.with_standby().await;
    drop(open(&primary.url("postgres")).await);

    let folder = folder();
    let url = standby.url("postgres");
    let mut node =
        Process::start(&folder, "serve", &[("ACCOUNT_DATABASE__URL", url.as_str())]).await;
    let (caller, ready) = (Caller::new(), format!("{}/readyz", node.url));
    // Longer than the attempts of a migration that fails.
    let is_refused = async || {
        let response = caller.get(&ready).await.unwrap();
        assert_eq!(response.status(), 503);
        assert_eq!(response.text().await.unwrap(), "database unavailable\n");
        None::<()>
    };
    poll_for(Duration::from_secs(8), is_refused).await;
    let running = node.exit_code_within(Duration::ZERO).await;
    assert_eq!(running, None);
    let expected = "waiting for a database server that accepts writes";
    let events = node.events();
    let warnings: Vec<_> = (events.iter().filter(|e| e["level"] == "WARN"))
        .filter(|e| e["message"] == expected)
        .collect();
    let [warning] = &warnings[..] else {
        panic!("{events:?}")
    };
    let endpoint = format!("127.0.0.1:{}", standby.port);
    assert!(warning["error"].text().contains(&endpoint), "{warning}");

    standby.promote();
    let is_ready = eventually("the node is ready", async || {
        let response = caller.get(&ready).await;
        response.is_ok_and(|response| response.status() == 200)
    });
    within(TimeLimit::from_secs(15), "the node is ready", is_ready).await;
}
