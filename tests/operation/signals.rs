//! A database that is unavailable at the start, SIGHUP, SIGTERM, and a log that stalls.

use std::process::Stdio;
use std::time::{Duration, Instant};

use account::testing::time_limit::TimeLimit;
use rustix::process::{Pid, Signal, kill_process};

use crate::overload::proxy::{LinkState, Proxy};
use crate::prelude::*;
use crate::support::database::with_database;
use crate::support::process::{Caller, command};
use crate::wire::{Client, wait_for};

async fn status(caller: &Caller, url: &str) -> u16 {
    let response = caller.get(url).await;
    response.map_or(0, |response| response.status().as_u16())
}

/// Waits until a new connection gets this status, or 0 for none.
async fn wait_for_status(url: &str, expected: u16) {
    eventually(&format!("{url} returns {expected}"), async || {
        status(&Caller::new(), url).await == expected
    })
    .await;
}

async fn wait_for_line(site: &Process, part: &str) {
    eventually(part, async || {
        site.log().iter().any(|line| line.contains(part))
    })
    .await;
}

/// A database behind a cut connection, and the address of the proxy to it.
async fn cut_database(url: &str) -> (Proxy, String) {
    let mut url = url::Url::parse(url).unwrap();
    let target = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
    let proxy = Proxy::start(target).await;
    proxy.set_link(LinkState::Cut);
    url.set_host(Some("127.0.0.1")).unwrap();
    url.set_port(Some(proxy.address.port())).unwrap();
    (proxy, url.into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_without_database_waits_and_logs() {
    with_database(async |url| {
        let (proxy, through) = cut_database(url).await;
        let folder = folder();
        let settings = [("ACCOUNT_DATABASE__URL", through.as_str())];
        let mut site = Process::start(&folder, "serve", &settings).await;
        let (caller, ready) = (Caller::new(), format!("{}/readyz", site.url));
        wait_for_status(&ready, 503).await;
        assert_eq!(status(&caller, &format!("{}/healthz", site.url)).await, 200);
        let me = format!("{}/account/account-api/users/me", site.url);
        let response = caller.get(&me).await.unwrap();
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()["retry-after"], "2");
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(body["code"], "unavailable");
        assert_eq!(site.exit_code_within(Duration::ZERO).await, None);
        let events = site.events();
        assert!(
            events
                .iter()
                .any(|e| e["message"] == "the database is unavailable; trying again"),
            "{events:?}"
        );
        proxy.set_link(LinkState::Works);
        wait_for_status(&ready, 200).await;
        assert_eq!(status(&caller, &me).await, 401);
        site.terminate();
        site.assert_exits_within(10).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_ends_the_wait_for_the_database() {
    let nowhere = format!("postgres://a:b@{}/account", free_address());
    let folder = folder();
    let settings = [("ACCOUNT_DATABASE__URL", nowhere.as_str())];
    let mut site = Process::start(&folder, "serve", &settings).await;
    wait_for_line(&site, "the database is unavailable").await;
    site.terminate();
    site.assert_exits_within(3).await;
}

// A load balancer needs time to notice the failed probe.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_makes_readyz_fail_before_the_listener_closes() {
    let folder = folder();
    let mut site = Process::serve(&folder, &[]).await;
    let (caller, ready) = (Caller::new(), format!("{}/readyz", site.url));
    assert_eq!(status(&caller, &ready).await, 200);
    site.terminate();
    wait_for_status(&ready, 503).await;
    wait_for_status(&ready, 0).await;
    site.assert_exits_within(10).await;
}

// security: FI-7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drained_node_serves_until_the_delay_is_over() {
    let folder = folder();
    // On a busy machine the requests during the delay take longer.
    let delay = TimeLimit::from_millis(1500).get();
    let (delay_setting, grace) = (format!("{}ms", delay.as_millis()), 4 * delay);
    let settings = [
        ("ACCOUNT_SERVER__DRAIN_DELAY", delay_setting.as_str()),
        (
            "ACCOUNT_SERVER__SHUTDOWN_GRACE",
            &format!("{}ms", grace.as_millis()),
        ),
    ];
    let mut site = Process::serve(&folder, &settings).await;
    let ready = format!("{}/readyz", site.url);
    let page = format!("{}/account/", site.url);
    let terminated_at = Instant::now();
    site.terminate();
    wait_for_status(&ready, 503).await;
    // A load balancer that has not noticed yet: new connections get pages, and the process counts as alive.
    let alive = format!("{}/healthz", site.url);
    let mut served = 0;
    eventually("the listener closes", async || {
        let statuses = (
            status(&Caller::new(), &alive).await,
            status(&Caller::new(), &page).await,
        );
        served += u32::from(statuses == (200, 200));
        assert!(matches!(statuses.0, 0 | 200), "{statuses:?}");
        assert!(matches!(statuses.1, 0 | 200), "{statuses:?}");
        statuses == (0, 0)
    })
    .await;
    assert!(served > 0);
    let closed = terminated_at.elapsed();
    assert!(closed >= delay, "closed after {closed:?}");
    site.assert_exits_within(10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_reloads_brands() {
    let folder = folder();
    let write = |brand: &str| {
        let text = format!("[[regions]]\nid = \"us\"\nbrand = \"{brand}\"\n");
        write(&folder, "account.toml", text);
    };
    write("First Moon");
    let arguments = "serve --config account.toml";
    let site = Process::serve_with(&folder, arguments, &[]).await;
    let (caller, url) = (Caller::new(), format!("{}/account/", site.url));
    let shows = async |brand: &str| {
        let page = caller.get(&url).await.unwrap().text().await.unwrap();
        page.contains(brand)
    };
    assert!(shows("First Moon").await);
    write("Second Moon");
    site.signal(Signal::HUP);
    eventually("the new brand is shown", async || {
        shows("Second Moon").await
    })
    .await;
    assert!(!shows("First Moon").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_reloads_settings_and_never_ends_the_process() {
    let folder = folder();
    let write = |text: &str| write(&folder, "account.toml", text);
    write("[limits]\nlogin_ip = \"1/d\"\n[log]\nlevel = \"warn\"\n");
    let arguments = "serve --config account.toml";
    let site = Process::serve_with(&folder, arguments, &[]).await;
    let caller = Caller::new();
    let login = format!("{}/account/account-api/login", site.url);
    let body = json!({"email": "ada@example.org", "password": "Sup3rSecret"});
    let sign_in = async || caller.post(&login, &body).await.unwrap().status().as_u16();
    assert_eq!((sign_in().await, sign_in().await), (401, 429));
    assert!(!site.log().iter().any(|line| line.contains("\"http\"")));

    write(
        "[limits]\nlogin_ip = \"1000/d\"\nlogin_failed_account = \"1000/d\"\n[log]\nlevel = \"info\"\n",
    );
    site.signal(Signal::HUP);
    eventually("the new limit holds", async || sign_in().await == 401).await;
    wait_for_line(&site, "\"http\"").await;

    write("[limits]\nlogin_ip = \"whenever\"\n");
    site.signal(Signal::HUP);
    wait_for_line(&site, "was not reloaded").await;
    assert_eq!(sign_in().await, 401);
    assert_eq!(status(&caller, &format!("{}/healthz", site.url)).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unread_log_pipe_blocks_nothing() {
    let folder = folder();
    let address = free_address();
    let listen = address.to_string();
    let settings = [("ACCOUNT_SERVER__LISTEN", listen.as_str())];
    let mut command = command(&folder, "serve", &settings);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_for(address).await;
    let mut client = Client::connect(address).await;
    // Each round logs one line: together they exceed a pipe (64 KiB) by far.
    for _ in 0..1500 {
        assert_status!(client.get("/healthz"), 200);
    }
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let ended = eventually_some("the program ends with an unread log", async || {
        child.try_wait().unwrap()
    });
    assert_eq!(ended.await.code(), Some(0));
}
