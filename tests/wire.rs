//! The real listener, and clients that write bytes to it, for behaviour that a router without a network does not have.

pub mod client;
pub mod service;

use std::net::SocketAddr;

use account::config::Config;
use account::testing::serve;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::prelude::*;

pub use client::Client;

/// A site behind its listener, with its mail worker and its expiry job.
pub struct LiveSite {
    pub site: Site,
    pub address: SocketAddr,
    /// Dropping the sender stops the server.
    _stop: oneshot::Sender<()>,
}

impl Database {
    pub async fn live_site(&self) -> LiveSite {
        self.live_site_with(|_| {}).await
    }

    pub async fn live_site_with(&self, change: impl FnOnce(&mut Config)) -> LiveSite {
        let address = free_address();
        let site = self
            .site_with(|config| {
                config.server.listen = address;
                change(config);
            })
            .await;
        let (stop, stopped) = oneshot::channel();
        let stop_signal = async {
            // The sender never sends; it is dropped with the `LiveSite`.
            let _ = stopped.await;
        };
        tokio::spawn(serve::run_until(site.app.clone(), stop_signal));
        wait_for(address).await;
        LiveSite {
            site,
            address,
            _stop: stop,
        }
    }
}

impl LiveSite {
    pub async fn client(&self) -> Client {
        Client::connect(self.address).await
    }
}

/// Waits until the address accepts connections.
pub async fn wait_for(address: SocketAddr) {
    eventually("a listener", async || {
        TcpStream::connect(address).await.is_ok()
    })
    .await;
}
