//! Several hosts in one address, such as a primary and its standby. The driver limits only the TCP handshake with each
//! host, so a host that accepts connections and never responds would hide the hosts after it. Here each host gets a
//! share of the whole time, beginning with the host that worked last.

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

pub(super) struct Hosts {
    each: Vec<Config>,
    worked: AtomicUsize,
    /// The time limit for all hosts together.
    within: Duration,
    ssl_mode: SslMode,
    one: ConfigConnectImpl<MakeRustlsConnect>,
}

type Connected = (Client, JoinHandle<()>);

impl Hosts {
    pub(super) fn new(
        each: Vec<Config>,
        within: Duration,
        ssl_mode: SslMode,
        tls: MakeRustlsConnect,
    ) -> Hosts {
        Hosts {
            each,
            worked: AtomicUsize::new(0),
            within,
            ssl_mode,
            one: ConfigConnectImpl { tls },
        }
    }

    async fn reach(&self) -> Result<Connected, Error> {
        let count = self.each.len();
        let first = self.worked.load(Ordering::Relaxed);
        let share = self.within / u32::try_from(count).unwrap_or(u32::MAX);
        for at in (first..first + count - 1).map(|at| at % count) {
            match tokio::time::timeout(share, self.connect_to(at)).await {
                Ok(Ok(connected)) => {
                    self.worked.store(at, Ordering::Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => tracing::debug!(host = at, %error, "the next host is asked"),
                Err(_) => tracing::debug!(host = at, "silent; the next host is asked"),
            }
        }
        // The pool's time limit ends the last attempt.
        let at = (first + count - 1) % count;
        let connected = self.connect_to(at).await?;
        self.worked.store(at, Ordering::Relaxed);
        Ok(connected)
    }

    async fn connect_to(&self, at: usize) -> Result<Connected, Error> {
        let host = &self.each[at];
        let is_socket = host
            .get_hosts()
            .iter()
            .all(|host| matches!(host, Host::Unix(_)));
        // As in libpq, a Unix socket has no TLS and needs none.
        let mode = if is_socket {
            SslMode::Disable
        } else {
            self.ssl_mode
        };
        let mut tries = tls::tries(mode).iter().peekable();
        loop {
            let mut config = host.clone();
            if let Some(wire) = tries.next() {
                config.ssl_mode(*wire);
            }
            match self.one.connect(&config).await {
                Err(error) if tries.peek().is_some() && tls::other_way_may_work(&error) => {
                    tracing::debug!(
                        host = at,
                        "connecting the other way, without TLS or with it"
                    );
                }
                done => return done,
            }
        }
    }
}

impl Connect for Hosts {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + '_>> {
        Box::pin(self.reach())
    }
}
