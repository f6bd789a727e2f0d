//! Session checks on a standby (`database.read_url`): a sign-out takes effect with the next request on every node.

use tokio_postgres::Client;

use super::browser_on_node;
use crate::support::cluster::Cluster;
use crate::support::process::{folder, run_to_exit};
use crate::support::{Database, Site, eventually};

async fn set(server: &Client, setting: &str, value: &str) {
    let sql = format!("ALTER SYSTEM SET {setting} = '{value}'");
    server.batch_execute(&sql).await.unwrap();
    let reload = "SELECT pg_reload_conf()";
    server.batch_execute(reload).await.unwrap();
}

/// Starts a primary whose commits wait until its standby has replayed them.
async fn start_servers() -> (Cluster, Cluster) {
    let primary = Cluster::start().await;
    let standby = primary.with_standby().await;
    set(
        &primary.client().await,
        "synchronous_commit",
        "remote_apply",
    )
    .await;
    (primary, standby)
}

async fn start_node(db: &Database, primary: &Cluster, standby: &Cluster) -> Site {
    db.allow_unread_mails();
    db.site_with(|config| {
        config.database.url = primary.url("postgres").parse().unwrap();
        config.database.read_url = Some(standby.url("postgres").parse().unwrap());
        config.limits.enabled = false;
    })
    .await
}

fn fallbacks(node: &Site) -> u64 {
    node.app.store.read_fallbacks()
}

/// Waits until the node looks up sessions on its standby.
async fn assert_standby_is_used(node: &Site) {
    let stranger = node.browser();
    stranger.set_cookie("session", &"A".repeat(43));
    eventually("a standby looks up sessions", async || {
        let before = fallbacks(node);
        assert_eq!(stranger.get("/users/me").await.status, 401);
        fallbacks(node) == before
    })
    .await;
}

on_postgres!(a_sign_out_takes_effect_with_the_next_request_on_a_standby);
async fn a_sign_out_takes_effect_with_the_next_request_on_a_standby(db: Database) {
    let (primary, standby) = start_servers().await;
    let one = start_node(&db, &primary, &standby).await;
    let two = start_node(&db, &primary, &standby).await;
    let ada = one.signed_in("ada").await;
    assert_standby_is_used(&one).await;
    assert_standby_is_used(&two).await;
    let before = fallbacks(&two);
    for _ in 0..20 {
        let there = browser_on_node(&two, &ada.browser);
        ada.assert_signed_in(&there).await;
        ada.browser.post_empty("/logout").await.assert_empty();
        there.assert_signed_out().await;
        ada.sign_in(&ada.browser).await;
    }
    let lookups_on_primary = fallbacks(&two) - before;
    assert!(lookups_on_primary < 20, "{lookups_on_primary} of 40");

    let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%FROM sessions s%'
               AND application_name = 'account'";
    let used: i64 = (standby.client().await.query_one(sql, &[]).await.unwrap()).get(0);
    assert!(used > 0);
}

on_postgres!(a_standby_of_an_idle_primary_is_used);
/// A primary that writes nothing for longer than the permitted lag: its standby stays usable.
async fn a_standby_of_an_idle_primary_is_used(db: Database) {
    let (primary, standby) = start_servers().await;
    let node = start_node(&db, &primary, &standby).await;
    let ada = node.signed_in("ada").await;
    assert_standby_is_used(&node).await;
    let before = fallbacks(&node);
    for _ in 0..6 {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        ada.assert_signed_in(&ada.browser).await;
    }
    assert!(fallbacks(&node) <= before + 1);
}

on_postgres!(a_sign_out_that_a_paused_standby_has_not_replayed_is_never_acknowledged);
async fn a_sign_out_that_a_paused_standby_has_not_replayed_is_never_acknowledged(db: Database) {
    let (primary, standby) = start_servers().await;
    let one = start_node(&db, &primary, &standby).await;
    let two = start_node(&db, &primary, &standby).await;
    let (ada, bob) = (one.signed_in("ada").await, one.signed_in("bob").await);
    let there = browser_on_node(&two, &ada.browser);
    assert_standby_is_used(&two).await;
    let session = ada.browser.cookie("session").unwrap();

    let replay = standby.client().await;
    let pause = "SELECT pg_wal_replay_pause()";
    replay.batch_execute(pause).await.unwrap();
    eventually("the replay is paused", async || {
        let sql = "SELECT pg_get_wal_replay_pause_state()";
        let state: String = replay.query_one(sql, &[]).await.unwrap().get(0);
        state == "paused"
    })
    .await;
    // The second sign-out finds no session any more, because the primary has committed the first one.
    for _ in 0..2 {
        assert_status!(ada.browser.post_empty("/logout"), 503);
        ada.browser.set_cookie("session", &session);
    }
    there.assert_signed_out().await;
    let before = fallbacks(&two);
    bob.assert_signed_in(&browser_on_node(&two, &bob.browser))
        .await;
    assert!(fallbacks(&two) > before);

    let resume = "SELECT pg_wal_replay_resume()";
    replay.batch_execute(resume).await.unwrap();
    assert_standby_is_used(&two).await;
    ada.browser.post_empty("/logout").await.assert_empty();
    there.assert_signed_out().await;
}

on_postgres!(sessions_are_looked_up_on_the_primary_while_the_standby_is_gone);
async fn sessions_are_looked_up_on_the_primary_while_the_standby_is_gone(db: Database) {
    let (primary, mut standby) = start_servers().await;
    let node = start_node(&db, &primary, &standby).await;
    let ada = node.signed_in("ada").await;
    assert_standby_is_used(&node).await;
    let before = node.scrape().await;
    standby.crash();
    for _ in 0..20 {
        let started = std::time::Instant::now();
        ada.assert_signed_in(&ada.browser).await;
        assert!(started.elapsed() < std::time::Duration::from_secs(2));
    }
    let name = "account_database_read_fallbacks_total";
    let fallen_back = node.scrape().await.value(name, &[]) - before.value(name, &[]);
    assert!(fallen_back >= 20.0, "{fallen_back}");
}

on_postgres!(a_standby_of_the_former_primary_is_not_used);
/// After a failover a standby has changes of the former primary that the new primary never had. Such a standby is ahead
/// of the new primary, but does not follow it.
async fn a_standby_of_the_former_primary_is_not_used(db: Database) {
    let mut former = Cluster::start().await;
    let (primary, stale) = (former.with_standby().await, former.with_standby().await);
    let (old, new) = (former.client().await, primary.client().await);
    set(&old, "synchronous_standby_names", "").await;
    set(&new, "primary_conninfo", "").await;
    eventually("the replication has ended", async || {
        let sql = "SELECT 1 FROM pg_stat_replication";
        old.query(sql, &[]).await.unwrap().len() == 1
    })
    .await;
    let write = "SELECT pg_logical_emit_message(true, '', repeat('x', 1000000))";
    for _ in 0..30 {
        old.batch_execute(write).await.unwrap();
    }
    let sql = "SELECT CAST(pg_current_wal_flush_lsn() - '0/0' AS BIGINT)";
    let end: i64 = old.query_one(sql, &[]).await.unwrap().get(0);
    let client = stale.client().await;
    eventually("the stale standby has everything", async || {
        let sql = "SELECT CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT)";
        client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) >= end
    })
    .await;
    former.crash();
    primary.promote();
    let _standby = primary.with_standby().await;
    set(&new, "synchronous_commit", "remote_apply").await;

    let node = start_node(&db, &primary, &stale).await;
    let ada = node.signed_in("ada").await;
    let before = fallbacks(&node);
    for _ in 0..10 {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        ada.assert_signed_in(&ada.browser).await;
    }
    assert_eq!(fallbacks(&node), before + 10);
}

/// Returns the warning of `account check-config` about `database.read_url`.
fn warning(primary: &Cluster, hosts: &str) -> Option<String> {
    let url = primary.url("postgres");
    let settings = [
        ("ACCOUNT_DATABASE__URL", url.as_str()),
        ("ACCOUNT_DATABASE__READ_URL", hosts),
    ];
    let (code, _, errors) = run_to_exit(folder().path(), &["check-config"], &settings);
    assert_eq!(code, 0, "{errors}");
    let prefix = "warning: database.read_url: ";
    let mut found = errors.lines().filter_map(|line| line.strip_prefix(prefix));
    found.next().map(str::to_owned)
}

on_postgres!(the_primary_must_wait_for_each_standby);
async fn the_primary_must_wait_for_each_standby(db: Database) {
    let (primary, standby) = start_servers().await;
    let (second, client) = (primary.with_standby().await, primary.client().await);
    let one = standby.url("postgres");
    assert_eq!(warning(&primary, &one), None);
    let both = one.replace("/postgres", &format!(",127.0.0.1:{}/postgres", second.port));
    let text = warning(&primary, &both).expect("a warning");
    assert!(text.contains("for 1 standbys, but 2"), "{text}");
    set(&client, "synchronous_standby_names", "2 (*)").await;
    assert_eq!(warning(&primary, &both), None);
    let text = warning(&primary, &primary.url("postgres")).expect("a warning");
    assert!(text.contains("not a standby"), "{text}");

    set(&client, "synchronous_commit", "on").await;
    let text = warning(&primary, &one).expect("a warning");
    assert!(text.contains("must be remote_apply"), "{text}");
    let node = start_node(&db, &primary, &standby).await;
    let ada = node.signed_in("ada").await;
    let before = fallbacks(&node);
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    ada.assert_signed_in(&ada.browser).await;
    assert_eq!(fallbacks(&node), before + 1);

    set(&client, "synchronous_commit", "remote_apply").await;
    set(&client, "synchronous_standby_names", "").await;
    let text = warning(&primary, &one).expect("a warning");
    assert!(text.contains("must list each standby"), "{text}");
}

#[test]
fn sqlite_has_no_standbys() {
    for (url, read_url) in [
        ("sqlite://account.db", "postgres://site@127.0.0.1/account"),
        ("postgres://site@127.0.0.1/account", "sqlite://account.db"),
    ] {
        let settings = [
            ("ACCOUNT_DATABASE__URL", url),
            ("ACCOUNT_DATABASE__READ_URL", read_url),
        ];
        let (code, _, errors) = run_to_exit(folder().path(), &["check-config"], &settings);
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains("database.read_url: "), "{errors}");
    }
}
