//! A number for each request: in the answer's `x-request-id` and on every log line of it.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::response::Response;
use tokio::time::Instant;
use tracing::Span;

use crate::api::caller::client_ip;
use crate::app::Shared;
use crate::rng::Rng;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What no other process and no other request has: nothing is asked of the system for it.
pub struct Numbers {
    /// 16 hexadecimal digits.
    process: String,
    next: AtomicU64,
}

impl Numbers {
    pub fn start(rng: &Rng) -> Numbers {
        Numbers {
            process: format!("{:016x}", u64::from_be_bytes(rng.bytes())),
            next: AtomicU64::new(1),
        }
    }

    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(32);
        id.push_str(&self.process);
        // `{number:016x}` in a thirtieth of the instructions: it is for every request.
        for place in (0..16).rev() {
            id.push(char::from(
                b"0123456789abcdef"[(number >> (4 * place)) as usize & 15],
            ));
        }
        id
    }
}

/// What is said of a request when it is answered.
pub struct Line {
    id: String,
    method: Method,
    /// Without its query, which may hold a token.
    path: String,
    route: Option<MatchedPath>,
    begun: Instant,
}

impl Line {
    /// The span holds all that is logged meanwhile.
    pub fn begin(app: &Shared, request: &Request) -> (Line, Span) {
        let id = app.requests.next();
        let span = tracing::info_span!("request", request_id = %id,
            ip = %client_ip(request.extensions(), request.headers(), app));
        let line = Line {
            id,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            begun: Instant::now(),
        };
        (line, span)
    }

    /// Logs one line: method, path, status, time. Counts the request, and puts its number into the answer.
    pub fn end(self, app: &Shared, response: &mut Response) {
        let took = self.begun.elapsed();
        let route = self.route.as_ref().map(MatchedPath::as_str);
        app.metrics
            .request(&self.method, route, response.status(), took);
        tracing::info!(target: "http", method = %self.method, path = self.path,
            status = response.status().as_u16(), millis = took.as_millis() as u64);
        let value = HeaderValue::try_from(self.id).expect("hexadecimal");
        response.headers_mut().insert(REQUEST_ID, value);
    }
}
