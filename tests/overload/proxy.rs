//! A proxy between the site and its database that can cut or hang connections.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Works,
    /// Closes all connections, and new ones at once.
    Cut,
    /// Keeps connections open and forwards nothing.
    Hung,
}

pub(crate) struct Proxy {
    pub address: SocketAddr,
    line: watch::Sender<Line>,
}

impl Proxy {
    pub(crate) async fn to(target: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (line, state) = watch::channel(Line::Works);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), state.clone()));
            }
        });
        Proxy { address, line }
    }

    pub(crate) fn is(&self, line: Line) {
        self.line.send_replace(line);
    }
}

/// Forwards one connection while the line works. A hung line keeps the connection until the line works again and then
/// drops it, like a network that has lost its connection state.
async fn carry(mut near: TcpStream, target: String, mut line: watch::Receiver<Line>) {
    if *line.borrow() == Line::Works
        && let Ok(mut far) = TcpStream::connect(target).await
    {
        tokio::select! {
            // Both sides are closed now, whether or not an error occurred.
            _ = copy_bidirectional(&mut near, &mut far) => return,
            () = leaves(&mut line, Line::Works) => {}
        }
        // The far side stays open too, so that neither end notices the fault.
        leaves(&mut line, Line::Hung).await;
        return;
    }
    leaves(&mut line, Line::Hung).await;
}

/// Returns when the line leaves this state. After the end of the test the state no longer changes.
async fn leaves(line: &mut watch::Receiver<Line>, state: Line) {
    if line.wait_for(|now| *now != state).await.is_err() {
        std::future::pending::<()>().await;
    }
}
