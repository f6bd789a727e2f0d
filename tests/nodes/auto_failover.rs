//! The primary dies under load and pg_auto_failover promotes the standby: no command of ours is needed. Ignored, because
//! it takes 100 seconds and Debian's packages postgresql-15-auto-failover and pg-auto-failover-cli:
//!
//! `make test-failover`

use std::time::{Duration, Instant};

use super::standby::Registrations;
use crate::support::eventually;
use crate::support::eventually::poll_for;
use crate::support::formation::Formation;

/// The monitor waits 20 s before it calls a server dead, and then for the old primary to notice.
const FAILOVER_DEADLINE: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute and pg_auto_failover"]
async fn an_automatic_failover_loses_no_acknowledged_registration() {
    let mut formation = Formation::start().await;
    let load = Registrations::start(&formation.url()).await;

    formation.kill_first();
    let killed = Instant::now();
    eventually("the nodes say that they cannot", async || {
        load.unavailable() >= 8
    })
    .await;
    let before = load.acknowledged();
    let again = async || (load.acknowledged() > before).then_some(());
    poll_for(FAILOVER_DEADLINE, again)
        .await
        .expect("people join again");
    let away = killed.elapsed();
    let more = async || (load.acknowledged() >= before + 40).then_some(());
    poll_for(FAILOVER_DEADLINE, more).await.expect("and go on");

    let client = formation.second().await;
    let refused = load.unavailable();
    let joined = load.end().await;
    for name in &joined {
        let sql = "SELECT 1 FROM accounts WHERE username = $1";
        let found = client.query(sql, &[name]).await.unwrap();
        assert_eq!(found.len(), 1, "{name}");
    }
    eprintln!(
        "{} acknowledged, none lost; {refused} answered 503; {:.1} s without writes",
        joined.len(),
        away.as_secs_f64()
    );
}
