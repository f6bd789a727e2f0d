//! Listening: slow clients are cut off, requests under way are finished before the process ends.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::extract::connect_info::ConnectInfo;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, TRANSFER_ENCODING};
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tower::ServiceExt;

use crate::app::Shared;
use crate::mail::worker;
use crate::{ops, router, sweep};

mod line_ends;
mod stream;
mod turn;

use stream::Stream;
use turn::{Answered, Limit, Turn};

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

/// Serves until SIGTERM or SIGINT.
pub async fn run(app: Shared) -> std::io::Result<()> {
    run_until(app, terminated()).await
}

/// Serves until told to stop, then finishes what is under way within the grace period.
pub async fn run_until(
    app: Shared,
    told: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let address = app.config.server.listen;
    let listener = listen("server.listen", address)?;
    let ops = match app.config.server.ops_listen {
        None => None,
        Some(address) => Some(listen("server.ops_listen", address)?),
    };
    let (stop, stopped) = watch::channel(false);
    let (mailing, sweeping, store) = (app.clone(), app.clone(), app.store.clone());
    let (no_mail, no_sweep, no_tending) = (stopped.clone(), stopped.clone(), stopped);
    let mail = begun_again(move || worker::run(mailing.clone(), no_mail.clone()));
    let sweeper = begun_again(move || sweep::run(sweeping.clone(), no_sweep.clone()));
    let tending = begun_again(move || store.clone().tend(no_tending.clone()));
    tracing::info!(%address, url = %format!("{}/account/", app.config.server.public_url), "listening");
    let grace = app.config.server.shutdown_grace.0;
    let scrapes = tokio::spawn(scrapes(app.clone(), ops, stop.subscribe()));
    // On a thread that answers: what begins on another one waits in the queue that these look into last,
    // and among hundreds who ask without pause somebody new waited for a second.
    let open = tokio::spawn(accept(router::build(app), listener, told)).await?;
    tracing::info!("stopping");
    // Nobody is left to answer to if the receivers are gone already.
    let _ = stop.send(true);
    let finished = async {
        open.shutdown().await;
        let _ = tokio::join!(mail, sweeper, tending, scrapes);
    };
    if tokio::time::timeout(grace, finished).await.is_err() {
        tracing::warn!("the grace period is over; what is still open is cut off");
    }
    tracing::info!("stopped");
    Ok(())
}

fn listen(setting: &str, address: SocketAddr) -> std::io::Result<TcpListener> {
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
    bound().map_err(|error: std::io::Error| {
        let problem = format!("{setting}: cannot listen on {address}: {error}");
        std::io::Error::new(error.kind(), problem)
    })
}

/// The operators' listener, where there is one.
async fn scrapes(app: Shared, listener: Option<TcpListener>, mut stop: watch::Receiver<bool>) {
    let Some(listener) = listener else { return };
    let told = async {
        // The sender is gone only when the process ends.
        let _ = stop.wait_for(|stop| *stop).await;
    };
    accept(ops::router(app), listener, told)
        .await
        .shutdown()
        .await;
}

/// Runs a task that lasts as long as the process. One that panics is begun again: a single bad row
/// must not end the mails of everybody.
fn begun_again<F>(task: impl Fn() -> F + Send + 'static) -> tokio::task::JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        // The error would repeat the panic's message, which can hold input; the panic itself is logged.
        while tokio::spawn(task()).await.is_err() {
            tracing::error!("a task in the background panicked and is begun again");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    })
}

async fn accept(
    service: axum::Router,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> GracefulShutdown {
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => return open,
        };
        match accepted {
            Ok((stream, peer)) => connection(&service, &open, stream, peer),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn connection(
    service: &axum::Router,
    open: &GracefulShutdown,
    stream: TcpStream,
    peer: SocketAddr,
) {
    // Answers are small and written at once: waiting to fill a packet only costs time.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "set_nodelay");
    }
    let service = service.clone();
    let turn = Turn::begin();
    let limit = Limit::new(turn.clone(), HEAD_TIME);
    let answer = hyper::service::service_fn(move |request| {
        turn.take();
        answer(service.clone(), request, peer, turn.clone())
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
    });
}

async fn answer(
    service: axum::Router,
    request: hyper::Request<hyper::body::Incoming>,
    peer: SocketAddr,
    turn: Turn,
) -> Result<hyper::Response<Answered>, Infallible> {
    if head_bytes(&request) > HEAD_BYTES {
        return Ok(too_large_a_head().map(|body| turn.answered(body)));
    }
    let mut request = request.map(axum::body::Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let is_last = request.headers().contains_key(TRANSFER_ENCODING);
    let mut response = service.oneshot(request).await?;
    if is_last {
        // Where such a body ends is what servers have disagreed on: nothing is read after it.
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

async fn terminated() {
    let (Ok(mut term), Ok(mut int)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        tracing::error!("signals cannot be waited for; only a kill will stop this process");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    // security: FI-12
    #[tokio::test]
    async fn a_task_in_the_background_that_panics_is_begun_again() {
        let begun = Arc::new(AtomicU32::new(0));
        let counted = begun.clone();
        let task = super::begun_again(move || {
            let times = counted.fetch_add(1, Ordering::SeqCst);
            async move { assert!(times > 0, "the first time it fails") }
        });
        task.await.unwrap();
        assert_eq!(begun.load(Ordering::SeqCst), 2);
    }
}
