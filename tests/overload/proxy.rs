//! A network between the site and its database, which can be cut and can be hung.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Works,
    /// Connections end, and new ones are ended at once.
    Cut,
    /// Nothing ends, and nothing comes through.
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

/// Carries one connection as long as the line works. A hung line holds it until it is mended, and
/// then drops it, as networks do that have forgotten what they carried.
async fn carry(mut near: TcpStream, target: String, mut line: watch::Receiver<Line>) {
    if *line.borrow() == Line::Works
        && let Ok(mut far) = TcpStream::connect(target).await
    {
        tokio::select! {
            // However it ended: both sides are closed now.
            _ = copy_bidirectional(&mut near, &mut far) => return,
            () = leaves(&mut line, Line::Works) => {}
        }
        // The far side is kept open too, so that neither end notices.
        leaves(&mut line, Line::Hung).await;
        return;
    }
    leaves(&mut line, Line::Hung).await;
}

/// Waits until the line has another state. After the test the state no longer changes.
async fn leaves(line: &mut watch::Receiver<Line>, state: Line) {
    if line.wait_for(|now| *now != state).await.is_err() {
        std::future::pending::<()>().await;
    }
}
