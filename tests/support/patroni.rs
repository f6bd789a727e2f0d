//! PostgreSQL under Patroni and etcd, with the settings of `deploy/patroni.yml`: three servers, each in a network
//! namespace of its own, so that a test can cut one off from the others. The tests run as root in a private network
//! namespace (`make test-cluster`), which forwards packets between the servers.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use account::testing::time_limit::TimeLimit;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cluster::{Running, command_as_owner, folder, postgres_programs};
use super::eventually::poll_for;
use super::process::Caller;

const SETTINGS: &str = include_str!("../../deploy/patroni.yml");
/// A base backup or pg_rewind takes a while on a busy machine.
const DEADLINE: TimeLimit = TimeLimit::from_secs(180);
pub const SERVERS: [usize; 3] = [1, 2, 3];

pub struct Patroni {
    folders: Vec<TempDir>,
    etcds: Vec<Running>,
    patronis: Vec<Running>,
    caller: Caller,
}

fn ip(arguments: &str) {
    let mut command = Command::new("ip");
    let done = command.args(arguments.split_whitespace()).status();
    assert!(done.unwrap().success(), "ip {arguments}: root is needed");
}

fn address(server: usize) -> String {
    format!("10.77.{server}.2")
}

/// The namespace of a server, which is connected to the namespace of the test.
fn add_namespace(server: usize) {
    for arguments in [
        format!("netns add db{server}"),
        format!("link add db{server} type veth peer name eth0 netns db{server}"),
        format!("address add 10.77.{server}.1/24 dev db{server}"),
        format!("link set db{server} up"),
        format!("-n db{server} address add {}/24 dev eth0", address(server)),
        format!("-n db{server} link set eth0 up"),
        format!("-n db{server} link set lo up"),
        format!("-n db{server} route add default via 10.77.{server}.1"),
    ] {
        ip(&arguments);
    }
}

/// A command in the namespace of a server. `ip` replaces itself by the command.
fn command_on(server: usize, program: &Path) -> Command {
    let inner = command_as_owner(program);
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &format!("db{server}")]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.env("LC_ALL", "C").current_dir("/");
    command
}

fn start_etcd(server: usize, folder: &Path) -> Running {
    let own = address(server);
    let members = SERVERS.map(|server| format!("db{server}=http://{}:2380", address(server)));
    let mut command = command_on(server, Path::new("/usr/bin/etcd"));
    command.arg(format!("--name=db{server}"));
    command.arg("--data-dir").arg(folder.join("etcd"));
    for (flag, port) in [
        ("listen-client-urls", 2379),
        ("advertise-client-urls", 2379),
        ("listen-peer-urls", 2380),
        ("initial-advertise-peer-urls", 2380),
    ] {
        command.arg(format!("--{flag}=http://{own}:{port}"));
    }
    command.arg(format!("--initial-cluster={}", members.join(",")));
    Running::start(command, &subfolder(folder, "etcd-log"))
}

fn subfolder(folder: &Path, name: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn start_patroni(server: usize, folder: &Path) -> Running {
    let program = std::env::var_os("ACCOUNT_TEST_PATRONI").expect("run make test-cluster");
    let mut command = command_on(server, Path::new(&program));
    command.arg(folder.join("patroni.yml")).env("HOME", folder);
    Running::start(command, &subfolder(folder, "patroni-log"))
}

/// `deploy/patroni.yml` with the addresses and folders of the test.
fn settings(server: usize, folder: &Path) -> String {
    let (data, programs) = (folder.join("data"), postgres_programs());
    let replacements = [
        ("name: db1", format!("name: db{server}")),
        ("listen: 10.0.0.11", format!("listen: {}", address(server))),
        (
            "connect_address: 10.0.0.11",
            format!("connect_address: {}", address(server)),
        ),
        ("10.0.0.11:2379", format!("{}:2379", address(1))),
        ("10.0.0.12:2379", format!("{}:2379", address(2))),
        ("10.0.0.13:2379", format!("{}:2379", address(3))),
        // Without passwords of the nodes, because SCRAM takes long in a development build.
        (
            "all all 10.0.0.0/24 scram-sha-256",
            "all all 10.77.0.0/16 trust".to_owned(),
        ),
        ("10.0.0.0/24", "10.77.0.0/16".to_owned()),
        ("/var/lib/postgresql/15/account", data.display().to_string()),
        ("/var/run/postgresql", folder.display().to_string()),
        ("/usr/lib/postgresql/15/bin", programs.display().to_string()),
    ];
    replacements
        .iter()
        .fold(SETTINGS.to_owned(), |text, (from, to)| {
            assert_contains!(text, from);
            text.replace(from, to)
        })
}

fn url_of(user: &str, database: &str) -> String {
    let hosts = SERVERS.map(|server| format!("{}:5432", address(server)));
    let hosts = hosts.join(",");
    format!("postgres://{user}:{user}-password@{hosts}/{database}")
}

fn change_partition(server: usize, action: &str) {
    ip(&format!("rule {action} iif db{server} blackhole"));
    for other in SERVERS.into_iter().filter(|other| *other != server) {
        let network = format!("10.77.{server}.0/24");
        ip(&format!(
            "rule {action} to {network} iif db{other} blackhole"
        ));
    }
}

impl Patroni {
    /// Returns when both standbys follow the primary, and the database and its role exist.
    pub async fn start() -> Patroni {
        std::fs::write("/proc/sys/net/ipv4/ip_forward", "1").unwrap();
        let folders: Vec<TempDir> = SERVERS.iter().map(|_| folder()).collect();
        SERVERS.into_iter().for_each(add_namespace);
        let path = |server: usize| folders[server - 1].path();
        let etcds = SERVERS.map(|server| start_etcd(server, path(server)));
        for server in SERVERS {
            std::fs::write(
                path(server).join("patroni.yml"),
                settings(server, path(server)),
            )
            .unwrap();
        }
        let patronis = SERVERS.map(|server| start_patroni(server, path(server)));
        let patroni = Patroni {
            etcds: etcds.into(),
            patronis: patronis.into(),
            folders,
            caller: Caller::new(),
        };
        patroni.wait_until_healthy().await;
        let client = Patroni::connect_as_superuser("postgres").await;
        for sql in [
            "CREATE ROLE site LOGIN PASSWORD 'site-password'",
            "CREATE DATABASE account OWNER site",
        ] {
            client.batch_execute(sql).await.unwrap();
        }
        patroni
    }

    /// The address of the primary, whichever server that is.
    pub fn url() -> String {
        let url = url_of("site", "account");
        format!("{url}?target_session_attrs=read-write")
    }

    pub async fn connect_as_superuser(database: &str) -> tokio_postgres::Client {
        let url = url_of("postgres", database);
        let url = url.replace("postgres-password", "superuser-password");
        let url = format!("{url}?target_session_attrs=read-write");
        let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.unwrap();
        tokio::spawn(connection);
        client
    }

    /// The JSON that one of Patroni's members returns, or `None` if it does not answer.
    async fn get(&self, server: usize, path: &str) -> Option<Value> {
        let url = format!("http://{}:8008/{path}", address(server));
        let response = tokio::time::timeout(TimeLimit::from_secs(2).get(), self.caller.get(&url));
        let text = response.await.ok()?.ok()?.text().await.ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The number of the server that has the leader's lock, according to the members that answer.
    pub async fn primary(&self) -> Option<usize> {
        for server in SERVERS {
            if let Some(state) = self.get(server, "patroni").await
                && state["role"] == "primary"
                && state["state"] == "running"
            {
                return Some(server);
            }
        }
        None
    }

    /// Waits until two standbys stream from one primary, which waits for one of them.
    pub async fn wait_until_healthy(&self) {
        let mut last = Value::Null;
        let is_healthy = async || {
            let cluster = self.get(1, "cluster").await?;
            last = cluster["members"].clone();
            let count = |role: &str, state: &str| {
                let members = cluster["members"].as_array()?;
                let matching = members.iter();
                let matching = matching.filter(|one| one["role"] == role && one["state"] == state);
                Some(matching.count())
            };
            let is_complete = count("leader", "running")? == 1
                && count("sync_standby", "streaming")? == 1
                && count("replica", "streaming")? == 1;
            tokio::time::sleep(Duration::from_millis(200)).await;
            is_complete.then_some(())
        };
        let healthy = poll_for(DEADLINE.get(), is_healthy).await;
        assert!(healthy.is_some(), "never healthy: {last}");
    }

    /// A planned change of the primary.
    pub async fn switch_over(&self) {
        let primary = self.primary().await.expect("a primary");
        let url = format!("http://{}:8008/switchover", address(primary));
        let body = json!({"leader": format!("db{primary}")});
        let response = self.caller.post(&url, &body).await.unwrap();
        assert_eq!(response.status(), 200, "{:?}", response.text().await);
    }

    /// Kills PostgreSQL and Patroni of the primary, as if its machine had failed, but not etcd. Returns its number.
    pub async fn kill_primary(&mut self) -> usize {
        let primary = self.primary().await.expect("a primary");
        let listed = Command::new("ip")
            .args(["netns", "pids", &format!("db{primary}")])
            .output();
        let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
        for id in listed.split_whitespace() {
            let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
            if name.trim() != "etcd" {
                let kill = Command::new("kill").args(["-KILL", id]).output();
                // Some processes end with their parents.
                kill.unwrap();
            }
        }
        primary
    }

    pub fn start_again(&mut self, server: usize) {
        self.patronis[server - 1] = start_patroni(server, self.folders[server - 1].path());
    }

    /// Kills the leader of etcd. Returns its number.
    pub async fn kill_etcd_leader(&mut self) -> usize {
        for server in SERVERS {
            let url = format!("http://{}:2379/v3/maintenance/status", address(server));
            let response = self.caller.post(&url, &json!({})).await.unwrap();
            let status: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            if status["leader"] == status["header"]["member_id"] {
                self.etcds[server - 1].kill();
                return server;
            }
        }
        panic!("etcd has no leader");
    }

    pub fn start_etcd_again(&mut self, server: usize) {
        self.etcds[server - 1] = start_etcd(server, self.folders[server - 1].path());
    }

    /// Drops all packets between this server and the other two. The site still reaches all three.
    pub fn partition(server: usize) {
        change_partition(server, "add");
    }

    pub fn heal(server: usize) {
        change_partition(server, "del");
    }

    /// The last lines that Patroni has logged on each server.
    pub fn logs(&self) -> String {
        let logs = self.folders.iter().map(|folder| {
            let path = folder.path().join("patroni-log/log");
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(40).collect();
            lines.into_iter().rev().collect::<Vec<_>>().join("\n")
        });
        logs.collect::<Vec<_>>().join("\n\n")
    }
}
