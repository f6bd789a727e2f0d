//! Connects to one of several hosts in a database URL, such as a primary and its standby. The driver limits only the
//! time of the TCP handshake: it would wait without end for a host that accepts connections but never responds. This
//! module gives each host a share of the whole time, beginning with the host that worked last.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{ConfigConnectImpl, Connect};
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls;
use crate::config::SslMode;

pub(super) struct HostConnector {
    configs: Vec<Config>,
    last_reachable: AtomicUsize,
    /// The time limit of the connection attempts to all hosts together.
    time_limit: Duration,
    ssl_mode: SslMode,
    connector: ConfigConnectImpl<MakeRustlsConnect>,
}

/// Returns host and port of each server, such as `one:5432, two:5432`.
pub(super) fn endpoints(configs: &[Config]) -> String {
    let hosts = configs.iter().flat_map(|config| {
        let port = config.get_ports().first().copied().unwrap_or(5432);
        config.get_hosts().iter().map(move |host| match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(folder) => folder.display().to_string(),
        })
    });
    hosts.collect::<Vec<_>>().join(", ")
}

type Connected = (Client, JoinHandle<()>);

impl HostConnector {
    pub(super) fn new(
        configs: Vec<Config>,
        time_limit: Duration,
        ssl_mode: SslMode,
        tls: MakeRustlsConnect,
    ) -> HostConnector {
        HostConnector {
            configs,
            last_reachable: AtomicUsize::new(0),
            time_limit,
            ssl_mode,
            connector: ConfigConnectImpl { tls },
        }
    }

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
