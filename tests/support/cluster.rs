//! PostgreSQL servers that belong to one test, for replication and crashes, which would disturb the shared server. Also
//! a pooler.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::eventually::{eventually, eventually_some};
use super::free_address;

/// A process that ends with the test, also after a panic.
pub struct Running(Child);

impl Running {
    pub fn start(mut command: Command, folder: &Path) -> Running {
        let log = std::fs::File::create(folder.join("log")).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        Running(command.spawn().expect("the program starts"))
    }

    /// kill -9 of this process alone.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Crashes the whole server: PostgreSQL closes all connections at once and writes nothing more.
    pub fn crash(&mut self) {
        kill_process(Pid::from_child(&self.0), Signal::QUIT).unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = kill_process(Pid::from_child(&self.0), Signal::QUIT);
        let _ = self.0.wait();
    }
}

/// PostgreSQL and pgbouncer refuse to run as root: then they run as the user of Debian's package. In both cases they
/// get a signal when the test dies.
pub fn command_as_owner(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
    }
    command.arg("--pdeathsig=QUIT").arg(program);
    command.env("LC_ALL", "C").current_dir("/");
    command
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A folder that the servers' user may write to.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    if is_root() {
        change_owner(folder.path());
    }
    folder
}

fn change_owner(path: &Path) {
    let done = Command::new("chown").arg("postgres:").arg(path).status();
    assert!(done.unwrap().success());
}

pub fn postgres_programs() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/postgres-bin.sh");
    let output = Command::new(script).output().unwrap();
    assert!(output.status.success(), "PostgreSQL's server is missing");
    String::from_utf8(output.stdout).unwrap().trim().into()
}

fn run_to_end(mut command: Command) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

/// One server with its data.
pub struct Cluster {
    pub port: u16,
    folder: TempDir,
    password: String,
    server: Option<Running>,
}

impl Cluster {
    /// A new server that accepts standbys.
    pub async fn start() -> Cluster {
        let mut cluster = Cluster {
            port: free_address().port(),
            folder: folder(),
            password: account::testing::rng::Rng::System
                .id(0)
                .simple()
                .to_string(),
            server: None,
        };
        let file = cluster.folder.path().join("password");
        std::fs::write(&file, &cluster.password).unwrap();
        change_owner_if_root(&file);
        let mut initdb = command_as_owner(&postgres_programs().join("initdb"));
        initdb.arg(format!("--pgdata={}", cluster.data().display()));
        initdb.arg(format!("--pwfile={}", file.display()));
        initdb.args(["--username=account", "--auth=scram-sha-256", "--no-sync"]);
        initdb.args(["--encoding=UTF8", "--locale=C"]);
        run_to_end(initdb);
        cluster.start_server();
        cluster.client().await;
        cluster
    }

    /// Adds a standby of this server. All later commits wait for it.
    pub async fn with_standby(&self) -> Cluster {
        let mut standby = Cluster {
            port: free_address().port(),
            folder: folder(),
            password: self.password.clone(),
            server: None,
        };
        let mut copy = command_as_owner(&postgres_programs().join("pg_basebackup"));
        copy.arg(format!("--pgdata={}", standby.data().display()));
        copy.arg(format!("--dbname={}", self.url("replication")));
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        run_to_end(copy);
        standby.start_server();
        let client = self.client().await;
        let sql = "ALTER SYSTEM SET synchronous_standby_names = '*'";
        client.batch_execute(sql).await.unwrap();
        client
            .batch_execute("SELECT pg_reload_conf()")
            .await
            .unwrap();
        let sql = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
        eventually("the standby follows", async || {
            !client.query(sql, &[]).await.unwrap().is_empty()
        })
        .await;
        standby
    }

    /// Enables TLS with this certificate, and accepts only connections of one kind of `pg_hba.conf`: `hostssl`,
    /// `hostnossl`, or `hostssl with certificate` of the client.
    pub async fn enable_tls(&mut self, certificate: &Path, key: &Path, kind: &str) {
        let (word, option) = match kind.split_once(' ') {
            Some((word, _)) => (word, " clientcert=verify-ca"),
            None => (kind, ""),
        };
        self.write_data_file("server.pem", &std::fs::read_to_string(certificate).unwrap());
        self.write_data_file("server.key", &std::fs::read_to_string(key).unwrap());
        let line = format!("{word} all all 127.0.0.1/32 scram-sha-256{option}\n");
        self.write_data_file("pg_hba.conf", &line);
        let file = self.data().join("postgresql.auto.conf");
        let mut settings = std::fs::read_to_string(&file).unwrap_or_default();
        settings.push_str("ssl = on\nssl_cert_file = 'server.pem'\nssl_key_file = 'server.key'\n");
        self.write_data_file("postgresql.auto.conf", &settings);
        self.crash();
        self.start_server();
        eventually("the server is ready", async || {
            let mut ready = Command::new(postgres_programs().join("pg_isready"));
            ready.args(["--quiet", "--host=127.0.0.1", "--port"]);
            ready.arg(self.port.to_string()).status().unwrap().success()
        })
        .await;
    }

    /// Sets the authority of client certificates, which takes effect at the next start.
    pub fn set_client_authority(&self, authority: &Path) {
        self.write_data_file("clients.pem", &std::fs::read_to_string(authority).unwrap());
        self.write_data_file("postgresql.auto.conf", "ssl_ca_file = 'clients.pem'\n");
    }

    /// Writes a file in the data folder that only the server can read.
    fn write_data_file(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.data().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        change_owner_if_root(&path);
    }

    pub fn crash(&mut self) {
        self.server.as_mut().unwrap().crash();
    }

    /// Promotes the standby. Returns when it accepts writes.
    pub fn promote(&self) {
        let mut promote = command_as_owner(&postgres_programs().join("pg_ctl"));
        promote.arg("promote").arg("--pgdata").arg(self.data());
        run_to_end(promote);
    }

    pub fn url(&self, database: &str) -> String {
        let (password, port) = (&self.password, self.port);
        format!("postgres://account:{password}@127.0.0.1:{port}/{database}")
    }

    /// One address with both servers: the client uses the one that accepts writes.
    pub fn url_with(&self, other: &Cluster) -> String {
        let (password, one, two) = (&self.password, self.port, other.port);
        format!(
            "postgres://account:{password}@127.0.0.1:{one},127.0.0.1:{two}/postgres\
             ?target_session_attrs=read-write"
        )
    }

    /// Waits until the server accepts connections.
    pub async fn client(&self) -> tokio_postgres::Client {
        eventually_some("the server takes connections", async || {
            let url = self.url("postgres");
            let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
            let (client, connection) = connected.ok()?;
            tokio::spawn(connection);
            Some(client)
        })
        .await
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn start_server(&mut self) {
        let mut server = command_as_owner(&postgres_programs().join("postgres"));
        server.arg("-D").arg(self.data());
        server.arg("-p").arg(self.port.to_string());
        for setting in [
            "listen_addresses=127.0.0.1", "unix_socket_directories=",
            // The tests kill processes, not machines, so no fsync is necessary.
            "fsync=off", "jit=off",
        ] {
            server.args(["-c", setting]);
        }
        self.server = Some(Running::start(server, self.folder.path()));
    }
}

fn change_owner_if_root(path: &Path) {
    if is_root() {
        change_owner(path);
    }
}

/// Debian's pgbouncer in transaction mode in front of one database, with few connections to it.
pub struct Pooler {
    pub url: String,
    _running: Running,
    _folder: TempDir,
}

impl Pooler {
    /// Starts it in front of this database: `postgres://user:password@host:port/name`.
    pub async fn start_for(database: &str, connections: u32) -> Pooler {
        let (folder, port) = (folder(), free_address().port());
        let url = url::Url::parse(database).unwrap();
        let (user, password) = (url.username(), url.password().unwrap());
        let host = url.host_str().unwrap();
        let (server_port, name) = (url.port().unwrap_or(5432), url.path());
        let users = folder.path().join("users");
        let settings = format!(
            "[databases]\nsite = host={host} port={server_port} dbname={} user={user}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = scram-sha-256\nauth_file = {}\npool_mode = transaction\n\
             default_pool_size = {connections}\nmax_client_conn = 200\n",
            &name[1..],
            users.display(),
        );
        let file = folder.path().join("pgbouncer.ini");
        for (path, text) in [
            (&users, format!("\"{user}\" \"{password}\"\n")),
            (&file, settings),
        ] {
            std::fs::write(path, text).unwrap();
            change_owner_if_root(path);
        }
        let mut command = command_as_owner(Path::new("/usr/sbin/pgbouncer"));
        command.arg(&file);
        let running = Running::start(command, folder.path());
        eventually("the pooler listens", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .is_ok()
        })
        .await;
        Pooler {
            url: format!("postgres://{user}:{password}@127.0.0.1:{port}/site"),
            _running: running,
            _folder: folder,
        }
    }
}
