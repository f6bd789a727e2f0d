//! The release binary as a child process on its own core, with a database of its own.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::client::Connection;
use super::machine;

pub(crate) const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/release/account");

/// The place of a server's data.
#[derive(Clone)]
pub(crate) enum Database {
    Sqlite,
    /// The address of an empty PostgreSQL database.
    Postgres(String),
}

impl Database {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Database::Sqlite => "SQLite",
            Database::Postgres(_) => "PostgreSQL",
        }
    }

    /// A new database on the server of `ACCOUNT_TEST_POSTGRES_URL`.
    pub(crate) async fn postgres(name: &str) -> Option<Database> {
        let server = std::env::var("ACCOUNT_TEST_POSTGRES_URL").ok()?;
        let client = connect(&server).await;
        let create = format!("CREATE DATABASE {name}");
        client.batch_execute(&create).await.expect("a new database");
        let (before, _) = server.rsplit_once('/').expect("a database in the address");
        Some(Database::Postgres(format!("{before}/{name}")))
    }

    /// A connection to a PostgreSQL database.
    pub(crate) async fn client(&self) -> tokio_postgres::Client {
        match self {
            Database::Sqlite => panic!("SQLite has no connections"),
            Database::Postgres(url) => connect(url).await,
        }
    }
}

async fn connect(url: &str) -> tokio_postgres::Client {
    let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
    let (client, connection) = connected.expect("PostgreSQL");
    tokio::spawn(connection);
    client
}

pub(crate) struct Server {
    child: Child,
    pub address: SocketAddr,
    pub folder: tempfile::TempDir,
}

impl Server {
    /// Starts `account serve` without limits and device approval, and waits until it is ready.
    pub(crate) async fn start(database: &Database, settings: &[(&str, &str)]) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let (server, _) = Server::start_in(folder, database, settings).await;
        server
    }

    /// The same in a folder that may already contain a database. Also returns the time until it was ready.
    pub(crate) async fn start_in(
        folder: tempfile::TempDir,
        database: &Database,
        settings: &[(&str, &str)],
    ) -> (Server, Duration) {
        let address = free_address();
        let listen = address.to_string();
        let mut command = machine::command_on_server_core(PROGRAM);
        command
            .arg("serve")
            .env_clear()
            .env("ACCOUNT_SERVER__LISTEN", &listen)
            .env("ACCOUNT_SERVER__PUBLIC_URL", format!("http://{listen}"))
            .env("ACCOUNT_LIMITS__ENABLED", "false")
            .env("ACCOUNT_SECURITY__NEW_DEVICE", "off")
            .env("ACCOUNT_LOG__LEVEL", "warn")
            .current_dir(folder.path())
            .stdout(Stdio::null());
        if let Database::Postgres(url) = database {
            command.env("ACCOUNT_DATABASE__URL", url);
        }
        // Settings that are lists of tables cannot be set by the environment.
        if folder.path().join("account.toml").exists() {
            command.args(["--config", "account.toml"]);
        }
        command.envs(settings.iter().copied());
        let begun = Instant::now();
        let child = command.spawn().expect("the release binary; `make build`");
        wait_until_ready(address).await;
        let took = begun.elapsed();
        let server = Server {
            child,
            address,
            folder,
        };
        (server, took)
    }

    /// Stops the server with SIGTERM and returns its folder.
    pub(crate) async fn stop(mut self) -> tempfile::TempDir {
        assert!(machine::terminate(self.child.id()), "kill");
        while self.child.try_wait().expect("a child").is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn cpu(&self) -> Duration {
        machine::cpu_time(self.process())
    }

    pub(crate) fn resident(&self) -> f64 {
        machine::resident_mib(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process has already exited if `stop` was called.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A bare server: this program as another process on the server's core.
pub(crate) struct Bare {
    child: Child,
    pub address: SocketAddr,
    _answer: tempfile::NamedTempFile,
}

impl Bare {
    /// Serves this response.
    pub(crate) async fn start(answer: &str) -> Bare {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), answer).expect("a file");
        let address = free_address();
        let path = file.path().to_str().expect("a path in UTF-8");
        let child = this_program()
            .args(["--bare-axum", &address.to_string(), path])
            .spawn()
            .expect("this program");
        while Connection::open(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Bare {
            child,
            address,
            _answer: file,
        }
    }

    pub(crate) fn cpu(&self) -> Duration {
        machine::cpu_time(self.child.id())
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // A bare server has no other way to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The hashes per second of a bare loop on the server's core.
pub(crate) fn bare_hashes(lasts: Duration) -> f64 {
    let seconds = lasts.as_secs_f64().to_string();
    let output = this_program().args(["--bare-hash", &seconds]).output();
    let printed = String::from_utf8(output.expect("this program").stdout).expect("a number");
    printed.trim().parse().expect("a number")
}

fn this_program() -> Command {
    let program = std::env::current_exe().expect("this program");
    machine::command_on_server_core(program.to_str().expect("a path in UTF-8"))
}

pub(crate) fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("a port")
}

/// Polls `/readyz` until it returns 200.
async fn wait_until_ready(address: SocketAddr) {
    let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    loop {
        if let Ok(mut connection) = Connection::open(address).await
            && let Ok(answer) = connection.send(request).await
            && answer.status == 200
        {
            return;
        }
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
}
