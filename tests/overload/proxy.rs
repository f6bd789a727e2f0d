//! A proxy between the site and its database that can cut or hang connections.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    Works,
    /// Closes all connections, and new ones at once.
    Cut,
    /// Keeps connections open and forwards nothing.
    Hung,
}

pub struct Proxy {
    pub address: SocketAddr,
    link: watch::Sender<LinkState>,
}

impl Proxy {
    pub async fn start(target: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (link, state) = watch::channel(LinkState::Works);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(forward(stream, target.clone(), state.clone()));
            }
        });
        Proxy { address, link }
    }

    pub fn set_link(&self, link: LinkState) {
        self.link.send_replace(link);
    }
}

/// Forwards one connection while the line works. A hung line keeps the connection until the line works again and then
/// drops it, like a network that has lost its connection state.
async fn forward(mut near: TcpStream, target: String, mut link: watch::Receiver<LinkState>) {
    if *link.borrow() == LinkState::Works
        && let Ok(mut far) = TcpStream::connect(target).await
    {
        tokio::select! {
            // Both sides are closed now, whether or not an error occurred.
            _ = copy_bidirectional(&mut near, &mut far) => return,
            () = wait_until_not(&mut link, LinkState::Works) => {}
        }
        // The far side stays open too, so that neither end notices the fault.
        wait_until_not(&mut link, LinkState::Hung).await;
        return;
    }
    wait_until_not(&mut link, LinkState::Hung).await;
}

/// Returns when the line leaves this state. After the end of the test the state no longer changes.
async fn wait_until_not(link: &mut watch::Receiver<LinkState>, state: LinkState) {
    if link.wait_for(|now| *now != state).await.is_err() {
        std::future::pending::<()>().await;
    }
}
