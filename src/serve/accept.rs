//! Taking connections: a bounded number of them, and few words about those that cannot be taken.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, TRANSFER_ENCODING};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use prometheus::IntGauge;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

use super::stream::Stream;
use super::turn::{Answered, Limit, Turn};
use super::unread;

/// How long a client may take for a request's head, and how long an idle connection is kept.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a client may take for 64 KiB of an answer: 2 KB a second is less than any line in use.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// Larger heads are answered 431.
const HEAD_BYTES: usize = 32 * 1024;
/// Connections that wait to be accepted, if the system allows so many. Beyond them a client is heard again
/// after a second only: with the usual 128 a crowd of 600 waited that long.
const BACKLOG: u32 = 4096;
/// After `accept` failed (no file descriptors left), before it is tried again.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Between two warnings of one kind.
const WARN_EVERY: Duration = Duration::from_secs(1);

pub fn listen(setting: &str, address: SocketAddr) -> std::io::Result<Arc<TcpListener>> {
    let bound = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A restart does not wait until the last one's connections are forgotten.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bound().map(Arc::new).map_err(|error: std::io::Error| {
        let problem = format!("{setting}: cannot listen on {address}: {error}");
        std::io::Error::new(error.kind(), problem)
    })
}

/// What holds for all connections of a listener.
#[derive(Clone)]
pub struct Terms {
    /// Looked up for each request: a reload replaces it.
    pub router: watch::Receiver<Router>,
    /// A permit for each connection that may be open.
    pub places: Arc<Semaphore>,
    /// Open connections.
    pub open: IntGauge,
    /// `server.body_limit` in bytes.
    pub body_limit: usize,
}

/// A connection that is open, until it is dropped.
struct Place {
    open: IntGauge,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.dec();
    }
}

/// Says a warning once a second at most, and how many were left out since the last one.
#[derive(Default)]
struct Rarely {
    last: Option<Instant>,
    left_out: u64,
}

impl Rarely {
    fn turn(&mut self) -> Option<u64> {
        if self.last.is_some_and(|last| last.elapsed() < WARN_EVERY) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(Instant::now());
        Some(std::mem::take(&mut self.left_out))
    }
}

/// Serves whoever connects until told to stop. Beyond the limit of connections, clients wait in the system's queue.
pub async fn accept(
    terms: Terms,
    listener: Arc<TcpListener>,
    stop: impl Future<Output = ()>,
) -> GracefulShutdown {
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    let (mut full, mut failed) = (Rarely::default(), Rarely::default());
    loop {
        if terms.places.available_permits() == 0
            && let Some(left_out) = full.turn()
        {
            tracing::warn!(left_out, "server.max_connections are open; new ones wait");
        }
        let accepted = tokio::select! {
            accepted = next(&terms, &listener) => accepted,
            () = &mut stop => return open,
        };
        match accepted {
            Ok((stream, peer, place)) => connection(&terms, &open, stream, peer, place),
            Err(error) => {
                if let Some(left_out) = failed.turn() {
                    tracing::warn!(%error, left_out, "cannot accept a connection");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn next(
    terms: &Terms,
    listener: &TcpListener,
) -> std::io::Result<(TcpStream, SocketAddr, Place)> {
    let permit = terms.places.clone().acquire_owned().await;
    let permit = permit.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    terms.open.inc();
    let place = Place {
        open: terms.open.clone(),
        _permit: permit,
    };
    Ok((stream, peer, place))
}

fn connection(
    terms: &Terms,
    open: &GracefulShutdown,
    stream: TcpStream,
    peer: SocketAddr,
    place: Place,
) {
    // Answers are small and written at once: waiting to fill a packet only costs time.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "set_nodelay");
    }
    let (router, body_limit) = (terms.router.clone(), terms.body_limit);
    let turn = Turn::begin();
    let limit = Limit::new(turn.clone(), HEAD_TIME);
    let answer = hyper::service::service_fn(move |request| {
        turn.take();
        let service = router.borrow().clone();
        answer(service, request, peer, turn.clone(), body_limit)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .serve_connection(
            TokioIo::new(Stream::new(stream, limit, ANSWER_TIME)),
            answer,
        );
    let connection = open.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection ended");
        }
        drop(place);
    });
}

async fn answer(
    service: Router,
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    turn: Turn,
    body_limit: usize,
) -> Result<hyper::Response<Answered>, Infallible> {
    if head_bytes(&request) > HEAD_BYTES {
        return Ok(too_large_a_head().map(|body| turn.answered(body)));
    }
    let (mut head, body) = request.into_parts();
    head.extensions.insert(ConnectInfo(peer));
    // Where a body in chunks ends is what servers have disagreed on: nothing is read after it.
    let mut is_last = head.headers.contains_key(TRANSFER_ENCODING);
    let (body, rest) = unread::split(body, &head.headers);
    let request = hyper::Request::from_parts(head, body);
    let mut response = service.oneshot(request).await?;
    if let Some(rest) = rest {
        is_last |= !rest.drain(body_limit).await;
    }
    if is_last {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    Ok(response.map(|body| turn.answered(body)))
}

/// The size of a request's head as it is written most briefly. hyper bounds its buffer, which takes in nearly
/// twice as much.
fn head_bytes<B>(request: &hyper::Request<B>) -> usize {
    let line =
        request.method().as_str().len() + request.uri().to_string().len() + " HTTP/1.1".len() + 3;
    let fields = request.headers().iter();
    line + 2
        + fields
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum::<usize>()
}

fn too_large_a_head() -> hyper::Response<axum::body::Body> {
    let mut response = hyper::Response::new(axum::body::Body::empty());
    *response.status_mut() = hyper::StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}
