//! Connects to one of several hosts in a database URL, such as a primary and its standby. The driver limits only the
//! time of the TCP handshake: it would wait without end for a host that accepts connections but never responds. This
//! module gives each host a share of the whole time, beginning with the host that worked last.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{
    ConfigConnectImpl, Connect, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{CONNECTION_WAIT, Cause, Result as StoreResult, STATEMENT_TIMEOUT, StoreError, tls};
use crate::config::{self, DatabaseAddress, SslMode, display_endpoint};

/// The servers of `database.url`, with what is needed to connect to them.
pub(super) struct Servers {
    hosts: Vec<tokio_postgres::Config>,
    ssl_mode: SslMode,
    pub(super) tls: MakeRustlsConnect,
}

impl Servers {
    pub(super) fn new(settings: &config::Database) -> StoreResult<Servers> {
        let DatabaseAddress::Postgres(address) = &*settings.url else {
            return Err(StoreError::Other("database.url: is no PostgreSQL".into()));
        };
        let mut hosts = address.hosts.clone();
        for host in &mut hosts {
            host.application_name("account")
                .connect_timeout(CONNECTION_WAIT.get())
                .tcp_user_timeout(STATEMENT_TIMEOUT.get());
        }
        Ok(Servers {
            hosts,
            ssl_mode: address.effective_ssl_mode(settings),
            tls: tls::connector(settings, address).map_err(StoreError::InvalidSetting)?,
        })
    }

    /// Returns host and port of each server, such as `one:5432, two:5432`.
    pub(super) fn endpoints(&self) -> String {
        let hosts = self.hosts.iter().flat_map(|config| {
            let port = config.get_ports().first().copied().unwrap_or(5432);
            config.get_hosts().iter().map(move |host| match host {
                Host::Tcp(name) => display_endpoint(name, port),
                Host::Unix(folder) => folder.display().to_string(),
            })
        });
        hosts.collect::<Vec<_>>().join(", ")
    }

    /// Returns a pool whose connections lead to any of the servers.
    pub(super) fn new_pool(&self, max_connections: usize) -> StoreResult<Pool> {
        let connector = HostConnector {
            configs: self.hosts.clone(),
            last_reachable: AtomicUsize::new(0),
            time_limit: CONNECTION_WAIT.get(),
            ssl_mode: self.ssl_mode,
            connector: ConfigConnectImpl {
                tls: self.tls.clone(),
            },
        };
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_connect(self.hosts[0].clone(), connector, recycling);
        Pool::builder(manager)
            .max_size(max_connections)
            .wait_timeout(Some(CONNECTION_WAIT.get()))
            .create_timeout(Some(CONNECTION_WAIT.get()))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Other(Cause::of(error)))
    }
}

struct HostConnector {
    configs: Vec<Config>,
    last_reachable: AtomicUsize,
    /// The time limit of the connection attempts to all hosts together.
    time_limit: Duration,
    ssl_mode: SslMode,
    connector: ConfigConnectImpl<MakeRustlsConnect>,
}

type Connected = (Client, JoinHandle<()>);

impl HostConnector {
    async fn connect_to_any(&self) -> Result<Connected, Error> {
        let count = self.configs.len();
        let first = self.last_reachable.load(Ordering::Relaxed);
        let host_timeout = self.time_limit / u32::try_from(count).unwrap_or(u32::MAX);
        for at in (first..first + count - 1).map(|at| at % count) {
            match tokio::time::timeout(host_timeout, self.connect_to_host(at)).await {
                Ok(Ok(connected)) => {
                    self.last_reachable.store(at, Ordering::Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => tracing::debug!(host = at, %error, "trying the next host"),
                Err(_) => tracing::debug!(host = at, "no response; trying the next host"),
            }
        }
        // The time limit of the connection pool ends the last attempt.
        let at = (first + count - 1) % count;
        let connected = self.connect_to_host(at).await?;
        self.last_reachable.store(at, Ordering::Relaxed);
        Ok(connected)
    }

    async fn connect_to_host(&self, at: usize) -> Result<Connected, Error> {
        let host = &self.configs[at];
        let is_socket = host
            .get_hosts()
            .iter()
            .all(|host| matches!(host, Host::Unix(_)));
        // A connection over a Unix socket does not use TLS, as in libpq.
        let mode = if is_socket {
            SslMode::Disable
        } else {
            self.ssl_mode
        };
        let mut attempts = tls::connection_modes(mode).iter().peekable();
        loop {
            let mut config = host.clone();
            if let Some(wire) = attempts.next() {
                config.ssl_mode(*wire);
            }
            match self.connector.connect(&config).await {
                Err(error) if attempts.peek().is_some() && tls::may_succeed_otherwise(&error) => {
                    tracing::debug!(
                        host = at,
                        "connecting the other way, without TLS or with it"
                    );
                }
                result => return result,
            }
        }
    }
}

impl Connect for HostConnector {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + '_>> {
        Box::pin(self.connect_to_any())
    }
}
