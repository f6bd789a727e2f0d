//! A number for each request: in the answer's `x-request-id` and on every log line of it.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::response::Response;
use tokio::time::Instant;
use tracing::Span;

use crate::api::request_context::client_ip;
use crate::app::Shared;
use crate::rng::Rng;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Makes the ids: 128 random bits each, so that one says nothing of how many there were.
#[derive(Clone)]
pub struct RequestIds {
    rng: Rng,
}

impl RequestIds {
    pub fn new(rng: &Rng) -> RequestIds {
        RequestIds { rng: rng.clone() }
    }

    /// 32 hexadecimal digits.
    fn next(&self) -> String {
        let mut id = String::with_capacity(32);
        // By a table: `format!` takes thirty times as long, and this is for every request.
        for byte in self.rng.bytes::<16>() {
            for digit in [byte >> 4, byte & 15] {
                id.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
            }
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
