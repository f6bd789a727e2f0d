//! The access log, and an id for each HTTP request. The id is in the response's `x-request-id` and on every log line of
//! the request.

use axum::extract::MatchedPath;
use tokio::time::Instant;
use tracing::Span;

use crate::http::extract::client::client_ip;
use crate::http::extract::same_origin::RefusedPrefetch;
use crate::http::prelude::*;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The access log entry of an HTTP request, which is logged together with the response.
pub(crate) struct AccessLogEntry {
    id: String,
    method: Method,
    /// The path without the query, because the query can contain a token.
    path: String,
    route: Option<MatchedPath>,
    started_at: Instant,
}

impl AccessLogEntry {
    /// Begins the access log entry of an HTTP request. Also returns the span for all log lines of the request.
    pub(crate) fn begin(app: &SharedApp, request: &Request) -> (AccessLogEntry, Span) {
        // 128 random bits do not reveal the number of requests.
        let id = format!("{:032x}", u128::from_be_bytes(app.rng.bytes()));
        let span = tracing::info_span!("request", request_id = %id,
            ip = %client_ip(request.extensions(), request.headers(),  app));
        let entry = AccessLogEntry {
            id,
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            started_at: Instant::now(),
        };
        (entry, span)
    }

    /// Logs method, path, status and duration, counts the request, and adds the id to the response.
    pub(crate) fn end(self, app: &App, response: &mut Response) {
        let took = self.started_at.elapsed();
        let route = self.route.as_ref().map(MatchedPath::as_str);
        let status = response.status();
        let counted_status = match response.extensions().get::<RefusedPrefetch>() {
            Some(RefusedPrefetch) => "prefetch",
            None => status.as_str(),
        };
        app.metrics
            .count_request(self.method.as_str(), route, counted_status, took);
        tracing::info!(target: "http", method = %self.method, path = self.path,
            status = status.as_u16(), millis = took.as_millis() as u64);
        let value = HeaderValue::try_from(self.id).expect("hexadecimal");
        response.headers_mut().insert(REQUEST_ID, value);
    }
}
