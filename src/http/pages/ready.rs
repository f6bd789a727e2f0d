//! `/healthz` reports that the process is running. `/readyz` reports that the database responds and accepts writes, and
//! that the process is not shutting down.

use crate::http::prelude::*;

pub(crate) async fn healthz() -> impl IntoResponse {
    (NO_STORE, "ok\n")
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
    (status, NO_STORE, text)
}
