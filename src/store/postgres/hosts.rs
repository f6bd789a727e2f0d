//! Several hosts in one address, such as a primary and its standby. The driver gives each a time for its
//! TCP handshake only: a host that takes connections and then says nothing would hide all after it. Here
//! each gets its share of the whole time, and the one that worked last is asked first.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool_postgres::{ConfigConnectImpl, Connect};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

pub(super) struct Hosts {
    each: Vec<Config>,
    worked: AtomicUsize,
    /// How long all of them may take together.
    within: Duration,
    one: ConfigConnectImpl<MakeRustlsConnect>,
}

type Connected = (Client, JoinHandle<()>);

impl Hosts {
    pub(super) fn new(each: Vec<Config>, within: Duration, tls: MakeRustlsConnect) -> Hosts {
        Hosts {
            each,
            worked: AtomicUsize::new(0),
            within,
            one: ConfigConnectImpl { tls },
        }
    }

    async fn reach(&self) -> Result<Connected, Error> {
        let count = self.each.len();
        let first = self.worked.load(Ordering::Relaxed);
        let share = self.within / u32::try_from(count).unwrap_or(u32::MAX);
        for at in (first..first + count - 1).map(|at| at % count) {
            match tokio::time::timeout(share, self.one.connect(&self.each[at])).await {
                Ok(Ok(connected)) => {
                    self.worked.store(at, Ordering::Relaxed);
                    return Ok(connected);
                }
                Ok(Err(error)) => tracing::debug!(host = at, %error, "the next host is asked"),
                Err(_) => tracing::debug!(host = at, "silent; the next host is asked"),
            }
        }
        // The pool's own time ends the last one.
        let at = (first + count - 1) % count;
        let connected = self.one.connect(&self.each[at]).await?;
        self.worked.store(at, Ordering::Relaxed);
        Ok(connected)
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

/// An address for each of the hosts in `postgres://user:password@one:5432,two:5432/name?…`.
pub(super) fn each(url: &str) -> Vec<String> {
    let scheme = url.find("://").map_or(0, |at| at + 3);
    let query = url.find('?').unwrap_or(url.len());
    let begin = url[..query].rfind('@').map_or(scheme, |at| at + 1);
    let end = url[begin..query].find('/').map_or(query, |at| begin + at);
    let (before, after) = (&url[..begin], &url[end..]);
    let hosts = url[begin..end].split(',');
    hosts.map(|host| format!("{before}{host}{after}")).collect()
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn every_host_gets_the_rest_of_the_address() {
        let one = "postgres://me:p@ss,/w@db:5432/account?options=a,b@c/d";
        assert_eq!(each(one), [one]);
        assert_eq!(
            each("postgres://me:p,w@one:1,two/account?x=y"),
            [
                "postgres://me:p,w@one:1/account?x=y",
                "postgres://me:p,w@two/account?x=y",
            ]
        );
        assert_eq!(
            each("postgres://one,two"),
            ["postgres://one", "postgres://two"]
        );
        assert_eq!(
            each("postgres:///account?host=/run"),
            ["postgres:///account?host=/run"]
        );
    }
}
