//! The primary dies under load and pg_auto_failover promotes the standby: no command of ours is needed. Ignored, because
//! it takes 100 seconds and Debian's packages postgresql-15-auto-failover and pg-auto-failover-cli:
//!
//! `make test-failover`

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::standby::{Load, join_on};
use crate::support::eventually;
use crate::support::eventually::poll_for;
use crate::support::formation::Formation;
use crate::support::process::Process;

/// The monitor waits 20 s before it calls a server dead, and then for the old primary to notice.
const TAKE_OVER: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute and pg_auto_failover"]
async fn an_automatic_failover_loses_no_acknowledged_registration() {
    let mut formation = Formation::start().await;
    let folder = tempfile::tempdir().unwrap();
    let url = formation.url();
    let settings = [
        ("ACCOUNT_DATABASE__URL", url.as_str()),
        ("ACCOUNT_LIMITS__ENABLED", "false"),
    ];
    let nodes = [
        Process::serve(folder.path(), &settings).await,
        Process::serve(folder.path(), &settings).await,
    ];
    let load = Arc::new(Load::default());
    let lanes: Vec<_> = (0..4)
        .map(|lane| {
            let url = format!("{}/account/account-api/register", nodes[lane % 2].url);
            tokio::spawn(join_on(url, lane, load.clone()))
        })
        .collect();
    let acknowledged = || load.acknowledged.load(Ordering::SeqCst);
    eventually("people join", async || acknowledged() >= 40).await;

    formation.kill_first();
    let killed = Instant::now();
    eventually("the nodes say that they cannot", async || {
        load.unavailable.load(Ordering::SeqCst) >= 8
    })
    .await;
    let before = acknowledged();
    let again = async || (acknowledged() > before).then_some(());
    poll_for(TAKE_OVER, again).await.expect("people join again");
    let away = killed.elapsed();
    let more = async || (acknowledged() >= before + 40).then_some(());
    poll_for(TAKE_OVER, more).await.expect("and go on");
    load.stop.store(true, Ordering::SeqCst);

    let client = formation.second().await;
    let mut joined = 0;
    for lane in lanes {
        for name in lane.await.unwrap() {
            let sql = "SELECT 1 FROM accounts WHERE username = $1";
            let found = client.query(sql, &[&name]).await.unwrap();
            assert_eq!(found.len(), 1, "{name}");
            joined += 1;
        }
    }
    let refused = load.unavailable.load(Ordering::SeqCst);
    eprintln!(
        "{joined} acknowledged, none lost; {refused} answered 503; {:.1} s without writes",
        away.as_secs_f64()
    );
}
