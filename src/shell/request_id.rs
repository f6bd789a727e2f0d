//! A number for each request: in the answer's `x-request-id` and on every log line of it.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use tracing::Instrument;

use crate::api::caller::client_ip;
use crate::app::Shared;
use crate::rng::Rng;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What no other process and no other request has: nothing is asked of the system for it.
pub struct Numbers {
    process: u64,
    next: AtomicU64,
}

impl Numbers {
    pub fn start(rng: &Rng) -> Numbers {
        Numbers {
            process: u64::from_be_bytes(rng.bytes()),
            next: AtomicU64::new(1),
        }
    }

    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}{number:016x}", self.process)
    }
}

/// Logs one line a request: method, path without its query (it may hold a token), status, time.
pub async fn around(
    app: &Shared,
    request: Request,
    inner: impl AsyncFnOnce(Request) -> Response,
) -> Response {
    let id = app.requests.next();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let (parts, body) = request.into_parts();
    let ip = client_ip(&parts, app);
    let request = Request::from_parts(parts, body);
    let span = tracing::info_span!("request", request_id = %id, %ip);
    async move {
        let begun = tokio::time::Instant::now();
        let mut response = inner(request).await;
        let took = begun.elapsed();
        let millis = took.as_millis() as u64;
        let route = route.as_ref().map(MatchedPath::as_str);
        app.metrics.request(&method, route, response.status(), took);
        let status = response.status().as_u16();
        tracing::info!(target: "http", %method, path, status, millis);
        let value = HeaderValue::try_from(&id).expect("hexadecimal");
        response.headers_mut().insert(REQUEST_ID, value);
        response
    }
    .instrument(span)
    .await
}
