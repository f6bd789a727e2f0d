//! The operators' listener, which serves `/metrics` on `server.ops_listen`.

use axum::http::header::X_CONTENT_TYPE_OPTIONS;

use super::extract::client;
use super::prelude::*;
use crate::config::is_loopback_name;
use crate::jobs::scrape;
use crate::mail::MailKind;
use crate::observability::metrics::Metrics;
use crate::outbox;

pub fn router(app: SharedApp) -> Router {
    app.metrics
        .outbox
        .init_mails(MailKind::ALL.iter().map(|kind| kind.as_str()));
    for endpoint in outbox::endpoints(&app) {
        app.metrics.outbox.init_endpoint(&endpoint.label);
    }
    Router::new()
        .route("/metrics", get(metrics))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Not found\n") })
        .with_state(app)
}

/// Returns whether the HTTP request names a permitted host. On a loopback IP address only loopback names are permitted,
/// because a website could point its host name at that IP address, and its page in a browser on this machine could read
/// the metrics (DNS rebinding).
fn is_host_allowed(app: &SharedApp, uri: &Uri, headers: &HeaderMap) -> bool {
    let listen = app.config.server.ops_listen;
    let host = client::host(uri, headers);
    host.is_empty() || is_loopback_name(host) || !listen.is_some_and(|ops| ops.ip().is_loopback())
}

async fn metrics(State(app): State<SharedApp>, uri: Uri, headers: HeaderMap) -> Response {
    if !is_host_allowed(&app, &uri, &headers) {
        return (StatusCode::MISDIRECTED_REQUEST, "Unknown host\n").into_response();
    }
    scrape::refresh_metrics(&app).await;
    encode_metrics(&app.metrics)
}

pub(super) fn encode_metrics(metrics: &Metrics) -> Response {
    match metrics.encode() {
        Ok(text) => {
            let headers = [
                (CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"),
                (CACHE_CONTROL, "no-store"),
                (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, text).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
