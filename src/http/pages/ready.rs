//! `/healthz` reports that the process is running. `/readyz` reports that the database responds and accepts writes, and
//! that the process is not shutting down.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::IntoResponse;

use crate::app::SharedApp;

pub(crate) async fn healthz() -> impl IntoResponse {
    ([(CACHE_CONTROL, "no-store")], "ok\n")
}

pub(crate) async fn readyz(State(app): State<SharedApp>) -> impl IntoResponse {
    let (status, text) = match app.health.check(&app.store, &app.clock, &app.rng).await {
        _ if app.health.is_stopping() => (StatusCode::SERVICE_UNAVAILABLE, "stopping\n"),
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "database unavailable\n")
        }
    };
    (status, [(CACHE_CONTROL, "no-store")], text)
}
