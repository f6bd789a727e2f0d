//! Accepts a bounded number of connections and serves HTTP/1.1 on them.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::connect_info::ConnectInfo;
use axum::http::header::{CONNECTION, TRANSFER_ENCODING};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use prometheus::IntGauge;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

use super::stream::ClientStream;
use super::unread_body;
use crate::http::extract::BODY_LIMIT;
use crate::http::prelude::*;
use crate::observability::metrics::GaugeGuard;

/// The time limit for the head of an HTTP request, and for an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time in which a client must read 64 KiB of a response. Every network in use is faster than the resulting 2 KB
/// per second.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum size of an HTTP request's head. A larger head gets 431.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// The length of the system's accept queue. If the queue is full, a client repeats its SYN after a second. With the
/// usual length of 128, some of 600 concurrent clients waited for that second.
const MAX_QUEUED_CONNECTIONS: u32 = 4096;
/// The pause after a failed `accept`, for example because no file descriptor is left.
const ACCEPT_ERROR_PAUSE: Duration = Duration::from_millis(50);
/// The shortest interval between two warnings of one kind.
const WARN_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn listen(setting: &str, address: SocketAddr) -> std::io::Result<Arc<TcpListener>> {
    let bound = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // SO_REUSEADDR lets a new process bind while connections of the previous process are in TIME_WAIT.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(MAX_QUEUED_CONNECTIONS)
    };
    bound().map(Arc::new).map_err(|error: std::io::Error| {
        let problem = format!("{setting}: cannot listen on {address}: {error}");
        std::io::Error::new(error.kind(), problem)
    })
}

#[derive(Clone)]
pub(super) struct ConnectionSettings {
    /// The router, which is read for each HTTP request because a reload replaces it.
    pub router: watch::Receiver<Router>,
    /// The permits that limit the open connections. Each open connection holds one permit.
    pub permits: Arc<Semaphore>,
    pub open_connections: IntGauge,
}

/// An open connection. Until this value is dropped, it counts in the metric and holds a permit.
type OpenConnection = (GaugeGuard, OwnedSemaphorePermit);

/// Limits a warning to one in each [`WARN_INTERVAL`], and counts the suppressed warnings.
#[derive(Default)]
struct WarningLimit {
    last: Option<Instant>,
    suppressed: u64,
}

impl WarningLimit {
    /// Returns the number of warnings suppressed since the last warning, or `None` if no warning may be logged now.
    fn allow_warning(&mut self) -> Option<u64> {
        if self.last.is_some_and(|last| last.elapsed() < WARN_INTERVAL) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(Instant::now());
        Some(std::mem::take(&mut self.suppressed))
    }
}

/// Serves connections until the future `stop` completes. At the connection limit, further clients wait in the system's
/// accept queue.
pub(super) async fn accept(
    settings: ConnectionSettings,
    listener: Arc<TcpListener>,
    stop: impl Future<Output = ()>,
) -> GracefulShutdown {
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    let (mut full, mut failed) = (WarningLimit::default(), WarningLimit::default());
    loop {
        if settings.permits.available_permits() == 0
            && let Some(suppressed) = full.allow_warning()
        {
            tracing::warn!(
                suppressed,
                "the maximum number of connections is reached; new connections wait"
            );
        }
        let accepted = tokio::select! {
            accepted = accept_next(&settings, &listener) => accepted,
            () = &mut stop => return open,
        };
        match accepted {
            Ok((stream, peer, counted)) => {
                spawn_connection(&settings, &open, stream, peer, counted);
            }
            Err(error) => {
                if let Some(suppressed) = failed.allow_warning() {
                    tracing::warn!(%error, suppressed, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_ERROR_PAUSE).await;
            }
        }
    }
}

async fn accept_next(
    terms: &ConnectionSettings,
    listener: &TcpListener,
) -> std::io::Result<(TcpStream, SocketAddr, OpenConnection)> {
    let permit = terms.permits.clone().acquire_owned().await;
    let permit = permit.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    let counted = (GaugeGuard::new(&terms.open_connections), permit);
    Ok((stream, peer, counted))
}

fn spawn_connection(
    settings: &ConnectionSettings,
    open: &GracefulShutdown,
    stream: TcpStream,
    peer: SocketAddr,
    counted: OpenConnection,
) {
    // Responses are small and written at once, so Nagle's algorithm would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "set_nodelay");
    }
    let router = settings.router.clone();
    let respond = hyper::service::service_fn(move |request| {
        let service = router.borrow().clone();
        respond_to(service, request, peer)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(
            TokioIo::new(ClientStream::new(stream, READ_TIMEOUT)),
            respond,
        );
    let connection = open.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection ended");
        }
        drop(counted);
    });
}

async fn respond_to(
    service: Router,
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
) -> Result<hyper::Response<axum::body::Body>, Infallible> {
    if head_bytes(&request) > MAX_HEAD_BYTES {
        let close = [(CONNECTION, "close")];
        return Ok((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, close).into_response());
    }
    let (mut head, body) = request.into_parts();
    head.extensions.insert(ConnectInfo(peer));
    // The connection closes after a chunked body, because servers have disagreed on where such a body ends (request
    // smuggling).
    let mut is_last = head.headers.contains_key(TRANSFER_ENCODING);
    let (body, rest) = unread_body::split_body(body, &head.headers);
    let request = hyper::Request::from_parts(head, body);
    let mut response = service.oneshot(request).await?;
    if let Some(rest) = rest {
        is_last |= !rest.drain(BODY_LIMIT).await;
    }
    if is_last {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    Ok(response)
}

/// Returns the least number of bytes that a request head takes as HTTP/1.1 text. Hyper limits only its read buffer,
/// which has room for a head of nearly twice the permitted size.
fn head_bytes<B>(request: &hyper::Request<B>) -> usize {
    let line =
        request.method().as_str().len() + request.uri().to_string().len() + " HTTP/1.1".len() + 3;
    let fields = request.headers().iter();
    line + 2
        + fields
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_client_over_the_connection_limit_waits() {
        let listener = listen("listen", ([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        let open_connections = IntGauge::new("connections", "open").unwrap();
        let settings = ConnectionSettings {
            router: watch::channel(Router::new()).1,
            permits: Arc::new(Semaphore::new(2)),
            open_connections: open_connections.clone(),
        };
        tokio::spawn(accept(settings, listener, std::future::pending()));
        let mut clients = Vec::new();
        for _ in 0..3 {
            let mut client = TcpStream::connect(address).await.unwrap();
            client
                .write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                .await
                .unwrap();
            clients.push(client);
        }
        clients[0].read_u8().await.unwrap();
        clients[1].read_u8().await.unwrap();
        assert_eq!(open_connections.get(), 2);
        let wait = tokio::time::timeout(Duration::from_millis(300), clients[2].read_u8());
        assert!(
            wait.await.is_err(),
            "a connection beyond the limit is served"
        );
        drop(clients.remove(0));
        clients[1].read_u8().await.unwrap();
    }
}
