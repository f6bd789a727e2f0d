//! Servers under Patroni fail while people register, sign in and sign out on two nodes. Ignored, because
//! the test takes minutes, root, etcd and Patroni: `make test-cluster`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use account::testing::time_limit::TimeLimit;
use reqwest::{Method, StatusCode};
use tempfile::TempDir;

use crate::prelude::*;
use crate::support::eventually::poll_for;
use crate::support::patroni::Patroni;

/// The number of people who sign in and out.
const MEMBERS: usize = 20;
/// The time in which a node answers each request, also while the database is away.
const RESPONSE_DEADLINE: TimeLimit = TimeLimit::from_secs(6);
const FAILOVER_DEADLINE: TimeLimit = TimeLimit::from_secs(180);

/// What the nodes have acknowledged in one step.
#[derive(Default)]
struct Record {
    registered: Vec<String>,
    /// The cookies of sessions that stay signed in.
    live: Vec<String>,
    /// The cookies of sessions that will be signed out.
    leaving: VecDeque<String>,
    /// The cookies of sessions whose sign-out was acknowledged.
    ended: Vec<String>,
    writes: Vec<Instant>,
    checks: Vec<Instant>,
    unavailable: usize,
    /// Responses that are neither the expected response nor 503.
    wrong: Vec<String>,
}

struct Load {
    nodes: [Process; 2],
    client: reqwest::Client,
    record: Mutex<Record>,
    stop: AtomicBool,
    _folder: TempDir,
}

/// The result of one failure: one row of the closing table.
struct Row {
    step: String,
    without_writes: Duration,
    without_checks: Duration,
    acknowledged: [usize; 3],
    unavailable: usize,
    lost: usize,
}

impl Load {
    async fn start() -> Arc<Load> {
        let folder = folder();
        let url = Patroni::url();
        let settings = [
            ("ACCOUNT_DATABASE__URL", url.as_str()),
            ("ACCOUNT_LIMITS__ENABLED", "false"),
            ("ACCOUNT_SECURITY__NEW_DEVICE", "off"),
            ("ACCOUNT_SECURITY__MAX_DEVICES", "100000"),
        ];
        let nodes = [
            Process::serve(&folder, &settings).await,
            Process::serve(&folder, &settings).await,
        ];
        let client = reqwest::Client::builder().no_proxy();
        let load = Arc::new(Load {
            nodes,
            client: client.timeout(RESPONSE_DEADLINE.get()).build().unwrap(),
            record: Mutex::default(),
            stop: AtomicBool::new(false),
            _folder: folder,
        });
        for member in 0..MEMBERS {
            let form = form(&format!("member{member}"));
            let (status, _) = load
                .call(0, Method::POST, "register", None, Some(&form))
                .await;
            assert_eq!(status, 201);
        }
        Load::verify_addresses().await;
        load
    }

    /// Sends 20 requests a second: 4 registrations, 4 sign-ins, 1 sign-out and 11 session checks.
    fn run(self: &Arc<Load>) {
        self.repeat(250, async |load, n| load.register(n).await);
        self.repeat(250, async |load, n| load.sign_in(n).await);
        self.repeat(1000, async |load, n| load.sign_out(n).await);
        self.repeat(90, async |load, n| load.check(n).await);
    }

    /// Begins an action again and again, also while earlier ones still wait.
    fn repeat<F, R>(self: &Arc<Load>, millis: u64, action: F)
    where
        F: Fn(Arc<Load>, usize) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let load = self.clone();
        tokio::spawn(async move {
            let mut interval = tokio::time::interval(Duration::from_millis(millis));
            for n in 0.. {
                interval.tick().await;
                if load.stop.load(Ordering::SeqCst) {
                    break;
                }
                tokio::spawn(action(load.clone(), n));
            }
        });
    }

    /// Returns the status and the cookie of a new session.
    async fn call(
        &self,
        node: usize,
        method: Method,
        path: &str,
        session: Option<&str>,
        body: Option<&Value>,
    ) -> (u16, Option<String>) {
        let url = format!("{}/account/account-api/{path}", self.nodes[node % 2].url);
        let mut request = self.client.request(method, url);
        if let Some(session) = session {
            request = request.header("cookie", format!("session={session}"));
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                self.edit(|record| record.wrong.push(format!("{path}: {error:?}")));
                return (0, None);
            }
        };
        let status = response.status();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            assert!(response.headers().contains_key("retry-after"));
            self.edit(|record| record.unavailable += 1);
        }
        let cookies = response.headers().get_all("set-cookie").iter();
        let cookies = cookies.filter_map(|cookie| cookie.to_str().ok());
        let session = cookies.filter_map(|cookie| cookie.strip_prefix("session="));
        let mut session = session.map(|rest| rest.split(';').next().unwrap_or_default().to_owned());
        (status.as_u16(), session.next_back())
    }

    fn edit<T>(&self, change: impl FnOnce(&mut Record) -> T) -> T {
        change(&mut self.record.lock().unwrap())
    }

    async fn register(&self, n: usize) {
        let name = format!("visitor{n}");
        let (status, _) = self
            .call(n, Method::POST, "register", None, Some(&form(&name)))
            .await;
        self.edit(|record| match status {
            201 => {
                record.registered.push(name);
                record.writes.push(Instant::now());
            }
            503 => {}
            _ => record.wrong.push(format!("registration: {status}")),
        });
    }

    async fn try_sign_in(&self, node: usize, name: &str) -> (u16, Option<String>) {
        let body = json!({"email": format!("{name}@example.org"), "password": PASSWORD});
        self.call(node, Method::POST, "login", None, Some(&body))
            .await
    }

    async fn sign_in(&self, n: usize) {
        let name = format!("member{}", n % MEMBERS);
        let (status, session) = self.try_sign_in(n, &name).await;
        self.edit(|record| match (status, session) {
            (200, Some(session)) => {
                record.writes.push(Instant::now());
                match n % 4 {
                    0 => record.leaving.push_back(session),
                    _ => record.live.push(session),
                }
            }
            (503, _) => {}
            _ => record.wrong.push(format!("sign-in: {status}")),
        });
    }

    /// Signs out, again until it is acknowledged. The session must then be gone at once, on the other node too.
    async fn sign_out(&self, n: usize) {
        let Some(session) = self.edit(|record| record.leaving.pop_front()) else {
            return;
        };
        loop {
            let (status, _) = self
                .call(n, Method::POST, "logout", Some(&session), None)
                .await;
            match status {
                204 => break,
                503 => tokio::time::sleep(Duration::from_millis(500)).await,
                _ => self.edit(|record| record.wrong.push(format!("sign-out: {status}"))),
            }
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
        }
        self.edit(|record| record.writes.push(Instant::now()));
        for node in [n + 1, n] {
            let (status, _) = self
                .call(node, Method::GET, "users/me", Some(&session), None)
                .await;
            if ![401, 503].contains(&status) {
                self.edit(|record| record.wrong.push(format!("after a sign-out: {status}")));
            }
        }
        self.edit(|record| record.ended.push(session));
    }

    async fn check(&self, n: usize) {
        let session = self.edit(|record| record.live.get(n % record.live.len().max(1)).cloned());
        let Some(session) = session else { return };
        let (status, _) = self
            .call(n, Method::GET, "users/me", Some(&session), None)
            .await;
        self.edit(|record| match status {
            200 => record.checks.push(Instant::now()),
            503 => {}
            _ => record.wrong.push(format!("session check: {status}")),
        });
    }

    async fn verify_addresses() {
        let client = Patroni::connect_as_superuser("account").await;
        let sql =
            "UPDATE accounts SET email_verified_at = created_at WHERE email_verified_at IS NULL";
        // This statement locks many accounts, so it can be the victim of a deadlock with a request of the load.
        let update = async || client.batch_execute(sql).await.ok();
        poll_for(FAILOVER_DEADLINE.get(), update)
            .await
            .expect("the addresses are verified");
    }

    /// Waits until writes are acknowledged again after this time.
    async fn wait_for_writes(&self, after: Instant) {
        let is_written = async || {
            let recent = self.edit(|record| record.writes.iter().any(|at| *at > after));
            recent.then_some(())
        };
        let written = poll_for(FAILOVER_DEADLINE.get(), is_written).await;
        written.expect("writes are acknowledged again");
    }

    /// Ends a step: returns its row, after every acknowledged change has been verified on both nodes.
    async fn finish(&self, step: &str, begun: Instant) -> Row {
        let ended = Instant::now();
        // Requests that were sent before are answered by then.
        tokio::time::sleep(RESPONSE_DEADLINE.get()).await;
        let record = self.edit(|record| {
            let leaving = std::mem::take(&mut record.leaving);
            let next = Record {
                leaving,
                ..Record::default()
            };
            std::mem::replace(record, next)
        });
        Load::verify_addresses().await;
        let mut lost = record.wrong.clone();
        for (n, name) in record.registered.iter().enumerate() {
            let status = answered(async || self.try_sign_in(n, name).await).await;
            if status != 200 {
                lost.push(format!("{name} cannot sign in: {status}"));
            }
        }
        for (sessions, expected) in [(&record.live, 200), (&record.ended, 401)] {
            for (n, session) in sessions.iter().enumerate() {
                let check = async || {
                    self.call(n, Method::GET, "users/me", Some(session), None)
                        .await
                };
                let status = answered(check).await;
                if status != expected {
                    lost.push(format!("a session: {status} instead of {expected}"));
                }
            }
        }
        for line in &lost {
            eprintln!("{step}: {line}");
        }
        let row = Row {
            step: step.to_owned(),
            without_writes: longest_gap(&record.writes, begun, ended),
            without_checks: longest_gap(&record.checks, begun, ended),
            acknowledged: [
                record.registered.len(),
                record.live.len(),
                record.ended.len(),
            ],
            unavailable: record.unavailable,
            lost: lost.len(),
        };
        eprintln!("{}", row.text());
        row
    }
}

/// The status of the first response that is not 503.
async fn answered(call: impl AsyncFn() -> (u16, Option<String>)) -> u16 {
    let is_answered = async || Some(call().await.0).filter(|status| *status != 503);
    let status = poll_for(FAILOVER_DEADLINE.get(), is_answered).await;
    status.expect("a response that is not 503")
}

fn longest_gap(acknowledged: &[Instant], begun: Instant, ended: Instant) -> Duration {
    let within = acknowledged
        .iter()
        .copied()
        .filter(|at| (begun..ended).contains(at));
    let mut times: Vec<Instant> = within.chain([begun, ended]).collect();
    times.sort_unstable();
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.max().unwrap_or_default()
}

impl Row {
    fn text(&self) -> String {
        let [registrations, sign_ins, sign_outs] = self.acknowledged;
        format!(
            "| {} | {:.1} | {:.1} | {registrations}, {sign_ins}, {sign_outs} | {} | {} |",
            self.step,
            self.without_writes.as_secs_f64(),
            self.without_checks.as_secs_f64(),
            self.unavailable,
            self.lost
        )
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes, root, etcd and Patroni"]
async fn failures_under_patroni_lose_no_acknowledged_change() {
    let mut patroni = Patroni::start().await;
    let load = Load::start().await;
    load.run();
    let mut rows = Vec::new();
    for step in [
        "none",
        "switchover",
        "kill -9 of the primary",
        "kill -9 of the etcd leader",
        "partition of the primary, healed",
        "partition of the primary, healed",
    ] {
        let begun = Instant::now();
        match step {
            "switchover" => patroni.switch_over().await,
            "kill -9 of the primary" => {
                let primary = patroni.kill_primary().await;
                // The first writes after it may still be those of requests that were on their way.
                load.wait_for_writes(begun + Duration::from_secs(2)).await;
                patroni.start_again(primary);
            }
            "kill -9 of the etcd leader" => {
                let leader = patroni.kill_etcd_leader().await;
                tokio::time::sleep(Duration::from_secs(20)).await;
                patroni.start_etcd_again(leader);
            }
            "partition of the primary, healed" => {
                let primary = patroni.primary().await.expect("a primary");
                Patroni::partition(primary);
                load.wait_for_writes(begun + Duration::from_secs(5)).await;
                tokio::time::sleep(Duration::from_secs(12)).await;
                Patroni::heal(primary);
            }
            _ => {}
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        patroni.wait_until_healthy().await;
        rows.push(load.finish(step, begun).await);
    }
    load.stop.store(true, Ordering::SeqCst);
    eprintln!(
        "\n| failure | s without writes | s without checks | registrations, sign-ins, sign-outs acknowledged | answered 503 | lost or wrong |"
    );
    eprintln!("|---|---|---|---|---|---|");
    for row in &rows {
        eprintln!("{}", row.text());
    }
    let lost: usize = rows.iter().map(|row| row.lost).sum();
    assert_eq!(lost, 0, "{}", patroni.logs());
}
