//! The start of the server. While the database is unavailable or accepts no writes, the process returns 503 and retries.

use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{
    CONNECTION, CONTENT_SECURITY_POLICY, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::accept::accept;
use super::{Listeners, listener_settings};
use crate::app::StartError;
use crate::clock::Clock;
use crate::db::StoreError;
use crate::http::error::status_of;
use crate::http::ops;
use crate::http::prelude::*;
use crate::observability::metrics::Metrics;
use crate::rng::Rng;

/// The time in which an available database usually responds and is migrated. The process accepts no connections in this
/// time.
const FIRST_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);
const FIRST_RETRY_PAUSE: Duration = Duration::from_millis(250);
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Builds the app; retries while a PostgreSQL server is unavailable or accepts no writes.
pub(super) async fn build(config: &Config, listeners: &Listeners) -> Result<SharedApp, StartError> {
    let mut building = std::pin::pin!(retry_build(config));
    if let Ok(built) = tokio::time::timeout(FIRST_ATTEMPT_TIMEOUT, &mut building).await {
        return built;
    }
    let (is_built, wait) = watch::channel(false);
    let site = tokio::spawn(serve(stub_router(), &listeners.site, wait.clone()));
    let ops = listeners.ops.as_ref();
    let ops = ops.map(|listener| tokio::spawn(serve(metrics_router(), listener, wait)));
    let built = building.await;
    // Sending fails only if there is no receiver, but the server tasks own receivers.
    let _ = is_built.send(true);
    site.await.map_err(std::io::Error::other)?;
    if let Some(ops) = ops {
        ops.await.map_err(std::io::Error::other)?;
    }
    built
}

async fn retry_build(config: &Config) -> Result<SharedApp, StartError> {
    let is_remote = config.database.url.sqlite_path().is_none();
    let mut pause = FIRST_RETRY_PAUSE;
    let mut has_warned_of_standby = false;
    loop {
        match App::build(config.clone(), Clock::System, Rng::System).await {
            Err(StartError::Store(
                error @ (StoreError::Unavailable(_) | StoreError::Conflict(_)),
            )) if is_remote => {
                tracing::warn!(%error, again_in_millis = pause.as_millis() as u64,
                    "the database is unavailable; trying again");
            }
            // The wait for the promotion of a standby server can be long, so only its beginning is logged.
            Err(StartError::Store(error @ StoreError::NotWritable(_))) if is_remote => {
                if !std::mem::replace(&mut has_warned_of_standby, true) {
                    tracing::warn!(%error, "waiting for a database server that accepts writes");
                }
            }
            built => return built,
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_RETRY_PAUSE);
    }
}

/// Serves 503 until the app is built, and then completes open HTTP requests.
fn serve(
    router: Router,
    listener: &Arc<TcpListener>,
    mut over: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send + use<> {
    let (_keep, router) = watch::channel(router);
    let terms = listener_settings(router);
    let listener = listener.clone();
    async move {
        let stop = async {
            // The task also ends if the sender is dropped.
            let _ = over.wait_for(|over| *over).await;
        };
        accept(terms, listener, stop).await.shutdown().await;
    }
}

/// Returns the router that responds 503 until the app is built.
fn stub_router() -> Router {
    Router::new()
        .route(
            "/healthz",
            get(|| async { plain_text(StatusCode::OK, "ok\n") }),
        )
        .route("/readyz", get(not_ready))
        .fallback(respond_unavailable)
}

async fn not_ready() -> Response {
    plain_text(StatusCode::SERVICE_UNAVAILABLE, "database unavailable\n")
}

fn plain_text(status: StatusCode, text: &'static str) -> Response {
    (status, FIXED_HEADERS, text).into_response()
}

/// The headers of every response before the app is built. The connection closes, because the next HTTP request must
/// reach the app.
const FIXED_HEADERS: [(axum::http::HeaderName, &str); 5] = [
    (CACHE_CONTROL, "no-store"),
    (CONNECTION, "close"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
];

async fn respond_unavailable(headers: HeaderMap) -> Response {
    let code = ErrorCode::Unavailable;
    let language = headers
        .get(axum::http::header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .and_then(Language::from_accept_language)
        .unwrap_or(Language::En);
    let body = json!({"code": code.as_str(), "detail": code.message().text(language)});
    let kind = [(CONTENT_TYPE, "application/json"), (RETRY_AFTER, "2")];
    (status_of(code), FIXED_HEADERS, kind, body.to_string()).into_response()
}

/// Returns the router of the operators' listener, with the metrics of a process that has no database yet.
fn metrics_router() -> Router {
    let metrics = Arc::new(Metrics::new("postgres", Clock::System.millis()));
    let scrape = move || std::future::ready((FIXED_HEADERS, ops::encode_metrics(&metrics)));
    Router::new().route("/metrics", get(scrape))
}
