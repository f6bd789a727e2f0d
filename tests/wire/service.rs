//! An external service: a small real HTTP server that responds as the test determines.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The reaction of the service to all later connections.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Writes these bytes and closes the connection.
    Writes(Vec<u8>),
    /// Writes them after this delay.
    WritesLate(Duration, Vec<u8>),
    /// Reads the request and never responds.
    Hangs,
    /// Writes a valid head and then one byte at each interval, without end.
    Drips(Duration),
    /// A valid head, then an endless body.
    Floods,
    /// Closes the connection at once.
    Closes,
}

impl Behaviour {
    pub fn response(status: &str, kind: &str, body: &str) -> Behaviour {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        );
        Behaviour::Writes([head.as_bytes(), body.as_bytes()].concat())
    }

    pub fn html(html: &str) -> Behaviour {
        Behaviour::response("200 OK", "text/html; charset=utf-8", html)
    }
}

#[derive(Clone)]
pub struct Service {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    behaviour: Behaviour,
    /// The head of each request, as received.
    requests: Vec<String>,
}

impl Service {
    pub async fn start(behaviour: Behaviour) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            behaviour,
            requests: Vec::new(),
        }));
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Service { address, state }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set_behaviour(&self, behaviour: Behaviour) {
        self.state.lock().unwrap().behaviour = behaviour;
    }

    /// The requests since the last call.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// The errors ignored here come from the client, which may close the connection at any time.
async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let behaviour = {
        let mut state = state.lock().unwrap();
        state.requests.push(String::from_utf8(head).unwrap());
        state.behaviour.clone()
    };
    match behaviour {
        Behaviour::Writes(bytes) => stream.write_all(&bytes).await.ok()?,
        Behaviour::WritesLate(wait, bytes) => {
            tokio::time::sleep(wait).await;
            stream.write_all(&bytes).await.ok()?;
        }
        Behaviour::Hangs => std::future::pending().await,
        Behaviour::Drips(wait) => {
            stream.write_all(GOOD).await.ok()?;
            loop {
                stream.write_all(b"x").await.ok()?;
                tokio::time::sleep(wait).await;
            }
        }
        Behaviour::Floods => {
            stream.write_all(GOOD).await.ok()?;
            let chunk = vec![b'x'; 64 << 10];
            loop {
                stream.write_all(&chunk).await.ok()?;
            }
        }
        Behaviour::Closes => {}
    }
    stream.shutdown().await.ok()
}
