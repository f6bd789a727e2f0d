//! PostgreSQL under pg_auto_failover (Debian: pg-auto-failover-cli, postgresql-15-auto-failover): a monitor and two
//! servers with automatic failover.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::cluster::{Running, command_as_owner, folder, postgres_programs};
use super::eventually::poll_for;
use super::free_address;

/// A base backup and a health check take a while.
const DEADLINE: Duration = Duration::from_secs(180);

pub(crate) struct Formation {
    monitor_port: u16,
    ports: [u16; 2],
    nodes: Vec<Running>,
    _monitor: Running,
    _folders: Vec<TempDir>,
}

/// `pg_autoctl create …` in a process group and with a state folder of its own.
fn start(folder: &Path, arguments: &[String]) -> Running {
    let mut command = command_as_owner(Path::new("/usr/bin/pg_autoctl"));
    let programs = postgres_programs();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    command.arg("create").args(arguments);
    command.args([
        "--auth",
        "trust",
        "--no-ssl",
        "--hostname",
        "127.0.0.1",
        "--run",
    ]);
    command.arg("--pgdata").arg(folder.join("data"));
    command
        .env("PATH", path)
        .env("HOME", folder)
        .process_group(0);
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
        command.env(name, folder.join(name));
    }
    Running::start(command, folder)
}

async fn connect(url: &str) -> Option<tokio_postgres::Client> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .ok()?;
    tokio::spawn(connection);
    Some(client)
}

impl Formation {
    /// Returns when commits of the first server wait for the second.
    pub(crate) async fn start() -> Formation {
        let folders: Vec<TempDir> = (0..3).map(|_| folder()).collect();
        let [monitor_port, one, two] = [(); 3].map(|()| free_address().port());
        let words = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let monitor = start(
            folders[0].path(),
            &words(format!("monitor --pgport {monitor_port}")),
        );
        let mut formation = Formation {
            monitor_port,
            ports: [one, two],
            nodes: Vec::new(),
            _monitor: monitor,
            _folders: folders,
        };
        let monitor_url = formation.monitor_url();
        let responses = async || connect(&monitor_url).await.map(drop);
        poll_for(DEADLINE, responses)
            .await
            .expect("the monitor answers");
        for (n, expected) in [(0, &["single"][..]), (1, &["primary", "secondary"])] {
            let port = formation.ports[n];
            let node = format!(
                "postgres --pgport {port} --name node{n} --dbname account --username account --monitor {monitor_url}"
            );
            let folder = formation._folders[n + 1].path().to_owned();
            formation.nodes.push(start(&folder, &words(node)));
            formation.wait_for_states(expected).await;
        }
        formation
    }

    fn monitor_url(&self) -> String {
        format!(
            "postgres://autoctl_node@127.0.0.1:{}/pg_auto_failover",
            self.monitor_port
        )
    }

    /// Waits until the servers report these states.
    async fn wait_for_states(&self, expected: &[&str]) {
        let reported = async || {
            // The base backup for the second server begins with a checkpoint of the first; this one makes it start at
            // once.
            if let Some(first) = connect(&self.superuser_url(0)).await {
                let _ = first.batch_execute("CHECKPOINT").await;
            }
            let monitor = connect(&self.monitor_url()).await?;
            let sql = "SELECT reportedstate::text FROM pgautofailover.node ORDER BY nodeid";
            let rows = monitor.query(sql, &[]).await.ok()?;
            let states: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            (states == expected).then_some(())
        };
        let reached = poll_for(DEADLINE, reported).await;
        reached.unwrap_or_else(|| panic!("never: {expected:?}"));
    }

    fn superuser_url(&self, node: usize) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{}/postgres",
            self.ports[node]
        )
    }

    /// One address with both servers: the client uses the one that accepts writes.
    pub(crate) fn url(&self) -> String {
        let [one, two] = self.ports;
        format!(
            "postgres://account@127.0.0.1:{one},127.0.0.1:{two}/account\
             ?target_session_attrs=read-write&sslmode=disable"
        )
    }

    /// The database at the second server.
    pub(crate) async fn second(&self) -> tokio_postgres::Client {
        let url = format!("postgres://account@127.0.0.1:{}/account", self.ports[1]);
        connect(&url).await.expect("the second server answers")
    }

    /// Kills the first server and its keeper at once, as if their machine had failed.
    pub(crate) fn kill_first(&mut self) {
        let group = format!("-{}", self.nodes[0].id());
        let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(killed.unwrap().success());
    }
}
