//! Endpoints that fail, hang, are gone or fall behind.

use account::testing::outbox::queues;
use tokio::sync::watch;

use super::{deliver, endpoint, site_with_receiver};
use crate::outbox::{register, register_many};
use crate::prelude::*;
use crate::support::database::Kind;
use crate::support::receiver::{Reaction, Receiver};

on_both_databases!(
    a_failed_delivery_is_attempted_ten_times_with_growing_delays,
    a_crashed_worker_loses_no_event,
    several_nodes_deliver_each_event_once,
    a_hanging_endpoint_delays_neither_mails_nor_other_endpoints,
    an_endpoint_that_responds_410_gets_no_event_until_the_restart,
    at_most_ten_thousand_events_are_queued_and_the_oldest_dropped
);

async fn a_failed_delivery_is_attempted_ten_times_with_growing_delays(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    register(&site, "ada").await;
    let waits = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"];
    for (n, wait) in waits.into_iter().enumerate() {
        // A redirect is a failure too.
        receiver.set_reaction(match n % 2 {
            0 => Reaction::With(500),
            _ => Reaction::Elsewhere,
        });
        assert_eq!(deliver(&site).await, 1);
        site.advance(wait);
        site.set_clock_back("1ms");
        assert_eq!(deliver(&site).await, 0, "not before {wait}");
        site.advance("1ms");
    }
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(site.count("deliveries").await, 0, "given up");
    let arrived = receiver.received_requests();
    assert_eq!(arrived.len(), 10);
    let id = arrived[0].header("webhook-id");
    for one in &arrived {
        assert_eq!(one.header("webhook-id"), id);
        assert_eq!(one.body, arrived[0].body);
    }
    let times = |n: usize| {
        arrived[n]
            .header("webhook-timestamp")
            .parse::<i64>()
            .unwrap()
    };
    assert!(times(1) > times(0), "each try is signed anew");
}

// security: WH-1
async fn a_crashed_worker_loses_no_event(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    register(&site, "ada").await;
    receiver.set_reaction(Reaction::Never);
    let app = site.app.clone();
    let dying = tokio::spawn(async move { queues::drain_requests(&app).await });
    eventually("the request is on its way", async || {
        receiver.received_requests().len() == 1
    })
    .await;
    dying.abort();
    receiver.set_reaction(Reaction::With(200));
    assert_eq!(deliver(&site).await, 0, "the claim still holds");
    site.advance("31s");
    assert_eq!(deliver(&site).await, 1);
    let arrived = receiver.received_requests();
    assert_eq!(
        arrived[0].header("webhook-id"),
        arrived[1].header("webhook-id")
    );
}

async fn several_nodes_deliver_each_event_once(db: Database) {
    db.allow_unread_mails();
    let receiver = Receiver::start().await;
    let hooks = || vec![endpoint(&receiver, &["*"])];
    let one = db.site_with(|c| c.webhooks = hooks()).await;
    let two = db.site_with(|c| c.webhooks = hooks()).await;
    register_many(&one, "ada", 10).await;
    let tried = tokio::join!(deliver(&one), deliver(&two));
    assert_eq!(tried.0 + tried.1, 10);
    assert_eq!(receiver.received_requests().len(), 10);
}

// security: WH-3
async fn a_hanging_endpoint_delays_neither_mails_nor_other_endpoints(db: Database) {
    db.allow_unread_mails();
    let (slow, fast) = (Receiver::start().await, Receiver::start().await);
    slow.set_reaction(Reaction::Never);
    let hooks = vec![endpoint(&slow, &["*"]), endpoint(&fast, &["*"])];
    let site = db.site_with(|c| c.webhooks = hooks).await;
    let (stop, stopped) = watch::channel(false);
    let mut workers = tokio::task::JoinSet::new();
    for name in queues::queue_names(&site.app) {
        workers.spawn(queues::run(site.app.clone(), name, stopped.clone()));
    }
    // More than the worker sends to one endpoint at the same time.
    register_many(&site, "ada", 12).await;
    eventually("the fast one has all", async || {
        fast.received_requests().len() == 12
    })
    .await;
    eventually("the slow one was tried", async || {
        !slow.received_requests().is_empty()
    })
    .await;
    assert_eq!(site.mails().await.len(), 12);
    assert!(
        site.count("deliveries").await >= 12,
        "the slow one has confirmed nothing"
    );
    stop.send(true).unwrap();
    workers.abort_all();
}

/// The label of the endpoint in the metrics.
fn labels_of(receiver: &Receiver) -> String {
    let host = receiver.url["http://".len()..].trim_end_matches("/hook");
    format!("endpoint=\"{host}\"")
}

async fn an_endpoint_that_responds_410_gets_no_event_until_the_restart(db: Database) {
    db.allow_unread_mails();
    let receiver = Receiver::start().await;
    let hooks = || vec![endpoint(&receiver, &["*"])];
    let site = db.site_with(|c| c.webhooks = hooks()).await;
    receiver.set_reaction(Reaction::With(410));
    register(&site, "ada").await;
    assert_eq!(deliver(&site).await, 1);
    register(&site, "bob").await;
    site.advance("1d");
    assert_eq!(deliver(&site).await, 0);
    let labels = labels_of(&receiver);
    site.scrape().await.assert_lines(&format!(
        "account_deliveries_endpoint_gone{{{labels}}} 1
         account_deliveries_waiting{{{labels}}} 2
         account_deliveries_oldest_age_seconds{{{labels}}} 86400"
    ));
    // The restart.
    receiver.set_reaction(Reaction::With(200));
    let site = db.site_with(|c| c.webhooks = hooks()).await;
    assert_eq!(deliver(&site).await, 2);
    site.assert_count("deliveries", 0).await;
}

// security: WH-3
async fn at_most_ten_thousand_events_are_queued_and_the_oldest_dropped(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    receiver.set_reaction(Reaction::With(410));
    register(&site, "ada").await;
    deliver(&site).await;
    let numbers = match db.kind() {
        Kind::Sqlite => {
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10049)
             INSERT INTO deliveries (id, kind, endpoint, facts, created_at, due_at, attempts)
               SELECT randomblob(16), d.kind, d.endpoint, d.facts,
                 d.created_at + numbers.n, d.due_at, 0 FROM deliveries d, numbers"
        }
        Kind::Postgres => {
            "INSERT INTO deliveries (id, kind, endpoint, facts, created_at, due_at, attempts)
               SELECT gen_random_uuid(), d.kind, d.endpoint, d.facts,
                 d.created_at + n, d.due_at, 0 FROM deliveries d, generate_series(1, 10049) n"
        }
    };
    db.run_script(numbers).await;
    site.assert_count("deliveries", 10_050).await;
    deliver(&site).await;
    site.assert_count("deliveries", 10_000).await;
    let oldest: i64 = site.value("SELECT MIN(created_at) FROM deliveries").await;
    assert_eq!(oldest, site.now() + 50);
    let dropped = format!("{},result=\"dropped\"", labels_of(&receiver));
    let dropped = format!("account_deliveries_total{{{dropped}}} 50");
    site.scrape().await.assert_lines(&dropped);
}
