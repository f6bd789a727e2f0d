//! Writes that wait for a lost standby or for a lock: a node keeps its number of connections and checks sessions.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio_postgres::Client;

use crate::prelude::*;
use crate::support::cluster::Cluster;

on_postgres!(
    a_lost_standby_uses_up_no_connections,
    a_long_lock_uses_up_no_connections
);

const MAX_CONNECTIONS: i64 = 4;
/// The number of concurrent registrations, which is more than the number of connections.
const VISITORS: usize = 8;
const ROUNDS: usize = 3;

async fn site_on(db: &Database, cluster: &Cluster) -> (Site, Person) {
    db.allow_unread_mails();
    let site = db
        .site_with(|config| {
            config.database.url = cluster.url("postgres").parse().unwrap();
            config.database.max_connections = usize::try_from(MAX_CONNECTIONS).unwrap();
            config.limits.enabled = false;
        })
        .await;
    let ada = site.signed_in("ada").await;
    (site, ada)
}

/// Registers people while writes are blocked. Expects the response 503, live sessions, and no more connections than
/// the setting allows, apart from two connections that send cancel requests or are being closed.
async fn assert_connections_stay_bounded(site: &Site, ada: &Person, observer: &Client) {
    let responses = AtomicUsize::new(0);
    let visitors = (0..VISITORS).map(async |visitor| {
        for round in 0..ROUNDS {
            let visitor = form(&format!("visitor{visitor}n{round}"));
            assert_status!(site.browser().post("/register", &visitor), 503);
            assert_status!(ada.browser.get("/users/me"), 200);
            responses.fetch_add(1, Ordering::SeqCst);
        }
    });
    let all_counts_are_bounded = eventually("every visitor has responses", async || {
        let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'account'";
        let open: i64 = observer.query_one(sql, &[]).await.unwrap().get(0);
        assert!(open <= MAX_CONNECTIONS + 2, "{open} connections");
        responses.load(Ordering::SeqCst) == VISITORS * ROUNDS
    });
    tokio::join!(join_all(visitors), all_counts_are_bounded);
}

async fn assert_recovers(site: &Site) {
    eventually("people join again", async || {
        let response = site.browser().post("/register", &form("newcomer")).await;
        response.status == 201
    })
    .await;
}

async fn a_lost_standby_uses_up_no_connections(db: Database) {
    let cluster = Cluster::start().await;
    let mut standby = cluster.with_standby().await;
    let (site, ada) = site_on(&db, &cluster).await;
    let observer = cluster.client().await;
    standby.crash();
    assert_connections_stay_bounded(&site, &ada, &observer).await;
    let alone = "ALTER SYSTEM SET synchronous_standby_names = ''";
    observer.batch_execute(alone).await.unwrap();
    (observer.batch_execute("SELECT pg_reload_conf()").await).unwrap();
    assert_recovers(&site).await;
}

async fn a_long_lock_uses_up_no_connections(db: Database) {
    let cluster = Cluster::start().await;
    let (site, ada) = site_on(&db, &cluster).await;
    let (observer, owner) = (cluster.client().await, cluster.client().await);
    let lock = "BEGIN; LOCK TABLE accounts IN SHARE MODE";
    owner.batch_execute(lock).await.unwrap();
    assert_connections_stay_bounded(&site, &ada, &observer).await;
    owner.batch_execute("COMMIT").await.unwrap();
    assert_recovers(&site).await;
}
