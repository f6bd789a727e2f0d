//! The operators' listener: serves `/metrics` on `server.ops_listen`.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::SharedApp;
use crate::deliveries;
use crate::jobs::scrape;
use crate::mail::MailKind;

pub fn router(app: SharedApp) -> Router {
    app.metrics
        .init_mails(MailKind::ALL.iter().map(|kind| kind.as_str()));
    for endpoint in deliveries::endpoints(&app) {
        app.metrics.deliveries.init_endpoint(&endpoint.label);
    }
    Router::new()
        .route("/metrics", get(metrics))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Not found\n") })
        .with_state(app)
}

async fn metrics(State(app): State<SharedApp>) -> Response {
    scrape::refresh(&app).await;
    match app.metrics.encode() {
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
